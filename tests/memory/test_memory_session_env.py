"""A live session's variables, and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memd.memory.session_env import of_process

WAITING = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc here")
def test_only_the_variables_about_memory_are_taken() -> None:
    environ = {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "MEMD_DISABLE": "a=b", "ANTHROPIC_API_KEY": "x", "PATH": ""}
    with subprocess.Popen(WAITING, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = of_process(process.pid)
        process.communicate()
    assert found == {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "MEMD_DISABLE": "a=b"}


def test_a_process_that_cannot_be_looked_at_says_nothing(tmp_path: Path) -> None:
    assert of_process(1, proc=tmp_path) is None

"""A session's variables, from the best source there is, and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

from memd.memory.session_env import SessionEnv, Transcript, of_process, of_session

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


OFF = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
CONFIG = "CLAUDE_CONFIG_DIR"
OWN = {"HOME": "/home/me", "XDG_DATA_HOME": "/data"}


def test_a_hook_knows_all_and_comes_first() -> None:
    own = OWN | {OFF: "1", OVERRIDE: "/mine", CONFIG: "/c"}
    found = of_session(
        own,
        forwarded={OVERRIDE: "/theirs", "ANTHROPIC_API_KEY": "x"},
        transcript=Transcript(section="present", directory="/seen"),
        process={OFF: "1"},
    )
    assert found == SessionEnv(environ=OWN | {OVERRIDE: "/theirs"}, section="present")


def test_a_hook_that_forwarded_nothing_says_that_nothing_was_set() -> None:
    assert of_session(OWN | {OFF: "1"}, forwarded={}) == SessionEnv(environ=OWN)


@pytest.mark.parametrize("section", ["present", "absent"])
def test_the_transcript_outdoes_the_switches_of_process_and_memd(section: Literal["present", "absent"]) -> None:
    switches = {OFF: "1", "CLAUDE_CODE_SIMPLE": "1", "CLAUDE_CODE_REMOTE": "1"}
    for process in (switches, None):
        found = of_session(OWN | switches, transcript=Transcript(section=section), process=process)
        assert found == SessionEnv(environ=OWN, section=section)


def test_the_directory_of_the_prompt_takes_the_place_of_an_override() -> None:
    found = of_session(OWN | {OVERRIDE: "/mine"}, transcript=Transcript(section="present", directory="/seen"))
    assert found == SessionEnv(environ=OWN, section="present", directory="/seen")


def test_a_live_process_knows_what_the_transcript_does_not_tell() -> None:
    process = {OVERRIDE: "/theirs", OFF: "0"}
    assert of_session(OWN | {OFF: "1", CONFIG: "/c"}, process=process) == SessionEnv(environ=OWN | process)


def test_memds_own_are_the_last_resort() -> None:
    own = OWN | {OFF: "1", OVERRIDE: "/mine"}
    assert of_session(own) == SessionEnv(environ=own)


def test_where_the_transcript_lies_tells_the_configuration_directory() -> None:
    found = of_session(OWN | {CONFIG: "/c"}, transcript=Transcript(config_dir="/other"))
    assert found.environ[CONFIG] == "/other"


def test_memd_switched_off_stays_off_whoever_is_asked() -> None:
    own = OWN | {"MEMD_DISABLE": "1"}
    sources: tuple[dict[str, dict[str, str]], ...] = ({"forwarded": {}}, {"process": {}}, {})
    for source in sources:
        assert of_session(own, **source).environ["MEMD_DISABLE"] == "1"  # type: ignore[arg-type]  # mappings by name
    assert "MEMD_DISABLE" not in of_session(OWN | {"MEMD_DISABLE": "0"}, forwarded={}).environ

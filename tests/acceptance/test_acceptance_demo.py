"""The README's first command: the real daemon in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def demo(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memd.cli.main", "demo", *arguments]
    return subprocess.run(
        command, env={**os.environ, **environ}, capture_output=True, text=True, timeout=55, check=False
    )


def test_the_demo_shows_memories_as_they_come_and_leaves_nothing(home: Path, tmp_path: Path) -> None:
    done = demo(TMPDIR=str(tmp_path), MEMD_EXTRACT_QUIET="1h", CLAUDE_CONFIG_DIR="/nowhere")
    assert (done.returncode, done.stderr) == (0, "")
    for words in ("make lint", "frozen from 20", "grafana.example.internal/d/inv-42", "英文"):
        assert words in done.stdout
    assert done.stdout.count("**Why:**") >= 3
    assert "\x1b[" not in done.stdout
    assert (list(home.iterdir()), list(tmp_path.iterdir())) == ([], [])


def test_with_keep_the_home_stays_to_look_around_in(tmp_path: Path) -> None:
    done = demo("--keep", TMPDIR=str(tmp_path))
    [kept] = tmp_path.iterdir()
    assert done.stdout.rstrip().endswith(f"Kept: {kept}")
    assert list(kept.glob(".claude/projects/*/memory/MEMORY.md"))
    assert {path.stat().st_mode & 0o077 for path in (kept / ".local" / "state" / "memd").rglob("*")} == {0}

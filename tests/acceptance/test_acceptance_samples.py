"""Real transcripts of both versions, written line by line while the real `memd run` watches."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memd.memory import location
from tests.fakes.claude_lines import SAMPLES, samples
from tests.fakes.inside import called

VERSIONS = ("2.1.197", "2.1.332")
SUBAGENT = SAMPLES / "2.1.332" / "subagents" / "agent-ac085f7dab3cdc349.jsonl"
SOON = 50.0  # seconds until everything has to be over

# What becomes of each, where it is not that nothing was worth saving.
SPECIAL = {
    "7284ebb7-e911-5d53-94c7-eb736d3cfcdb": ("skipped", "agent_wrote_memory"),
    "headless_mem": ("skipped", "agent_wrote_memory"),
    "interactive_external_memory_edit": ("saved", None),  # "... I prefer tabs over spaces, remember for later ..."
}
NOTHING = ("nothing", None)
# Conversations that share all their prompts: whichever comes second has nothing new.
TWINS = {"11111111-1111-4111-8111-111111111111", "dc6450dc-090f-45dd-a41a-07efd0b91531"}


@contextmanager
def daemon(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`memd run` until the block ends; it has to stop by itself in under two seconds."""
    settings = {"MEMD_EXTRACT_QUIET": "2s", "MEMD_EXTRACT_STALLED": "2s", "MEMD_EXTRACT_MIN_INTERVAL": "0s"}
    with log.open("wb") as stream:
        command = [sys.executable, "-m", "memd.cli.main", "run"]
        with ready_socket(log.with_suffix(".sock")) as ready:
            environ = {**os.environ, **settings, "NOTIFY_SOCKET": ready.getsockname()}
            process = subprocess.Popen(command, env=environ, stdout=stream, stderr=stream)
            assert ready.recv(100) == b"READY=1"
    try:
        yield process
    finally:
        process.terminate()
        assert process.wait(timeout=2.0) == 0


@contextmanager
def ready_socket(path: Path) -> Iterator[socket.socket]:
    """Listen as a service manager does: the daemon says there when it watches."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        ready.bind(str(path))
        ready.settimeout(20.0)
        yield ready


def replay(home: Path, version: str) -> dict[str, Path]:
    """Write the samples of a version, a line of each in turn, as if all their sessions ran at once."""
    directory = home / ".claude" / "projects" / location.slug(str(home / "repo"))
    directory.mkdir(parents=True)
    moves = ((b"-home-dev-repo", location.slug(str(home / "repo")).encode()), (b"/home/dev", str(home).encode()))
    sources = [path for path in samples() if path.parent.name == version]
    texts = {path: _moved(path.read_bytes(), moves).splitlines(keepends=True) for path in sources}
    for turn in range(max(map(len, texts.values()))):
        for path, lines in texts.items():
            if turn < len(lines):
                with (directory / path.name).open("ab") as stream:
                    stream.write(lines[turn])
    return {path.stem: directory / path.name for path in sources}


def _moved(text: bytes, moves: tuple[tuple[bytes, bytes], ...]) -> bytes:
    for there, here in moves:
        text = text.replace(there, here)
    return text


def outcomes(home: Path) -> dict[str, list[tuple[str | None, str | None]]]:
    """What memd says it did, by session, oldest first."""
    told = called("history", "--all", "--limit", "500", "--json", cwd=home, environ={})
    assert told.returncode == 0, told.stderr
    runs: list[dict[str, Any]] = json.loads(told.stdout)["runs"]
    found: dict[str, list[tuple[str | None, str | None]]] = {}
    for run in reversed(runs):
        found.setdefault(run["session"].rpartition(":")[2], []).append((run["outcome"], run["reason"]))
    return found


def wait_for_runs(home: Path, sessions: set[str]) -> None:
    """Poll what memd says it did until every session had its run."""
    deadline = time.monotonic() + SOON
    while missing := sessions - {name for name, results in outcomes(home).items() if results[-1][0]}:
        if time.monotonic() > deadline:
            pytest.fail(f"no run within {SOON} s for {missing}")
        time.sleep(0.1)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_sample_has_its_outcome_and_a_reason(home: Path, tmp_path: Path, version: str) -> None:
    (home / "repo").mkdir()
    with daemon(tmp_path / "log") as process:
        files = replay(home, version)
        wait_for_runs(home, set(files))
        found = outcomes(home)
        assert process.poll() is None
    alone = {name: sorted(set(results)) for name, results in found.items() if name not in TWINS}
    assert alone == {name: [SPECIAL.get(name, NOTHING)] for name in files if name not in TWINS}
    twins = sorted(str(results[-1][1]) for name, results in found.items() if name in TWINS)
    assert twins in ([], ["None", "nothing_new"])
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_sub_agent_s_transcript_is_never_touched(home: Path, tmp_path: Path) -> None:
    (home / "repo").mkdir()
    directory = home / ".claude" / "projects" / location.slug(str(home / "repo"))
    inner = directory / "11111111-1111-4111-8111-111111111111" / "subagents"
    inner.mkdir(parents=True)
    (inner / SUBAGENT.name).write_bytes(SUBAGENT.read_bytes())
    (directory / SUBAGENT.name).write_bytes(SUBAGENT.read_bytes())  # moved to where conversations are
    with daemon(tmp_path / "log"):
        replay_one = directory / "2.jsonl"
        replay_one.write_bytes(next(path for path in samples() if path.stem == "headless_hello").read_bytes())
        wait_for_runs(home, {"2"})
        assert list(outcomes(home)) == ["2"]

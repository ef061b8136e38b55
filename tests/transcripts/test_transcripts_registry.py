"""Which sessions live, from the registry of a real directory and real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.transcripts import registry
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import ProcessState

PROC = Path("/proc")
needs_proc = pytest.mark.skipif(not (PROC / "self" / "stat").exists(), reason="the system shows no start times")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    return tmp_path


@pytest.fixture
def living() -> Iterator[int]:
    """The pid of a process that waits on its standard input."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        yield child.pid
        child.kill()


def ended_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    return child.pid


def start_of(pid: int) -> str:
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]


def register(config: Path, pid: int, **extra: object) -> None:
    entry = {"pid": pid, "sessionId": "sid", "cwd": "/p", "status": "busy", "entrypoint": "cli"} | extra
    (config / "sessions" / f"{pid}.json").write_text(json.dumps(entry))


@needs_proc
@pytest.mark.parametrize("shape", [str, int])
def test_a_process_with_its_start_time_is_alive(config: Path, living: int, shape: type) -> None:
    register(config, living, procStart=shape(start_of(living)))
    assert ClaudeCode(config).processes() == {"sid": ProcessState.ALIVE}


@needs_proc
def test_a_reused_pid_is_another_process(config: Path, living: int) -> None:
    register(config, living, procStart="1")
    assert ClaudeCode(config).processes() == {"sid": ProcessState.GONE}


def test_a_dead_process_is_gone(config: Path) -> None:
    register(config, ended_pid(), procStart="1")
    assert ClaudeCode(config).processes() == {"sid": ProcessState.GONE}


@needs_proc
def test_a_zombie_is_gone(config: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        register(config, child.pid, procStart=start_of(child.pid))
        assert ClaudeCode(config).processes() == {"sid": ProcessState.GONE}


def test_without_start_times_a_running_pid_proves_nothing(config: Path, living: int, tmp_path: Path) -> None:
    register(config, living, procStart="1")
    assert ClaudeCode(config, proc=tmp_path / "none").processes() == {"sid": ProcessState.UNKNOWN}


@needs_proc
def test_an_entry_without_start_time_proves_nothing(config: Path, living: int) -> None:
    register(config, living)
    assert ClaudeCode(config).processes() == {"sid": ProcessState.UNKNOWN}


@needs_proc
def test_a_session_resumed_after_a_crash_lives(config: Path, living: int) -> None:
    register(config, living, procStart=start_of(living))
    register(config, ended_pid(), procStart="1")
    assert ClaudeCode(config).processes() == {"sid": ProcessState.ALIVE}


def test_memds_own_runs_are_left_out(config: Path) -> None:
    register(config, os.getpid(), entrypoint="memd")
    assert ClaudeCode(config).processes() == {}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("1.json", b""),
        ("1.json", b"{"),
        ("1.json", b"[]"),
        ("1.json", b'{"pid": "1", "sessionId": "sid"}'),
        ("1.json", b'{"pid": 1}'),
        ("1.json", b'{"pid": 2, "sessionId": "sid"}'),
        ("-1.json", b'{"pid": -1, "sessionId": "sid"}'),
        ("0.json", b'{"pid": 0, "sessionId": "sid"}'),
        ("1.json", b'{"pid": 1, "sessionId": ' + b"[" * 60_000),
        ("1.json", b"\xff\xfe"),
        ("1.abc.key", b'{"pid": 1, "sessionId": "sid"}'),
    ],
)
def test_malformed_entries_are_passed_over(config: Path, name: str, data: bytes) -> None:
    (config / "sessions" / name).write_bytes(data)
    assert ClaudeCode(config).processes() == {}


def test_a_huge_pid_is_gone(config: Path) -> None:
    register(config, 2**40)
    assert ClaudeCode(config).processes() == {"sid": ProcessState.GONE}


def test_links_and_directories_are_no_entries(config: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text('{"pid": 1, "sessionId": "sid"}')
    (config / "sessions" / "1.json").symlink_to(target)
    (config / "sessions" / "2.json").mkdir()
    assert ClaudeCode(config).processes() == {}


def test_no_registry_lists_nothing(tmp_path: Path) -> None:
    assert ClaudeCode(tmp_path).processes() == {}


@needs_proc
def test_the_process_of_a_session_is_known_while_it_certainly_lives(config: Path, living: int) -> None:
    register(config, ended_pid(), procStart="1")
    assert registry.pid_of("sid", config / "sessions", PROC) is None
    register(config, living, procStart=start_of(living))
    assert registry.pid_of("sid", config / "sessions", PROC) == living
    assert registry.pid_of("other", config / "sessions", PROC) is None
    register(config, living)
    assert registry.pid_of("sid", config / "sessions", PROC) is None


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["pid", "sessionId", "procStart", "entrypoint", "name", "status", "cwd", "odd"])


@given(entry=st.dictionaries(KEYS, ANY, max_size=8), pid=st.integers(-5, 2**70), whole=st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_entry_breaks_the_registry(entry: dict[str, object], pid: int, *, whole: bool) -> None:
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory)
        (config / "sessions").mkdir()
        shaped = {"pid": pid, "sessionId": "s"} | entry if whole else entry
        (config / "sessions" / f"{pid}.json").write_text(json.dumps(shaped))
        found = ClaudeCode(config).processes()
    assert set(found.values()) <= set(ProcessState)
    assert len(found) <= 1

"""The client that agents start, against daemons of every kind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd import hook
from memd.cli import hook_settings
from memd.memory.enabled import VARIABLES

SCRIPT = Path(hook.__file__)
PAYLOAD = b'{"session_id": "a", "cwd": "/"}'


def run(
    event: str = "Stop", payload: bytes = PAYLOAD, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The client as an agent starts it."""
    command = [sys.executable, "-I", "-S", "-E", str(SCRIPT), event]
    return subprocess.run(
        command, input=payload, env={**os.environ, **(environ or {})}, capture_output=True, check=False, timeout=20
    )


@contextmanager
def listening(state: Path, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """Something at the daemon's place that deals with one connection."""
    state.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as door:
        directory = os.open(state, os.O_RDONLY)
        door.bind(f"/proc/self/fd/{directory}/control.sock")
        os.close(directory)
        door.listen()

        def accept() -> None:
            line, _ = door.accept()
            with line:
                serve(line)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield
        thread.join(5)


def heard(line: socket.socket) -> bytes:
    with line.makefile("rb") as stream:
        return stream.read()


@pytest.fixture
def state(home: Path) -> Path:
    return home / ".local" / "state" / "memd"


def test_it_forwards_what_the_daemon_knows_to_ask_for() -> None:
    assert [name.decode() for name in hook.VARIABLES] == list(VARIABLES)


def test_event_variables_and_payload_go_out_and_the_answer_is_printed_as_it_comes(state: Path) -> None:
    got: list[bytes] = []
    before = time.monotonic()

    def serve(line: socket.socket) -> None:
        got.append(heard(line))
        line.sendall(b"x" * 200_000)

    with listening(state, serve):
        done = run(environ={"CLAUDE_CODE_SIMPLE": "é\n1", "ANTHROPIC_API_KEY": "not this one"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"x" * 200_000, b"")
    block = "CLAUDE_CODE_SIMPLE=é\n1\0".encode()
    [(head, rest)] = [one.split(b"\n", 1) for one in got]
    *words, until = head.split()
    assert (words, rest) == ([b"hook", b"Stop", b"%d" % len(block)], block + PAYLOAD)
    assert before + hook.SECONDS <= int(until) / 1000 + 0.001 <= time.monotonic() + hook.SECONDS


@pytest.mark.parametrize("where", ["long name", "other place"])
def test_the_daemon_is_found_wherever_the_state_is(home: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = home / ("ö" * 120 if where == "long name" else "state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    with listening(state / "memd", lambda line: line.sendall(heard(line)[:4])):
        assert run().stdout == b"hook"


def test_without_a_daemon_it_is_silent(home: Path, state: Path) -> None:
    assert run().returncode == 0
    state.mkdir(parents=True)
    assert run().returncode == 0
    (state / "control.sock").touch()
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert run(environ={"HOME": str(home / "nowhere")}).returncode == 0


@pytest.mark.parametrize("until", ["accepted", "asked", "half answered"])
def test_a_daemon_that_hangs_is_waited_for_no_longer_than_a_moment(state: Path, until: str) -> None:
    over = threading.Event()

    def serve(line: socket.socket) -> None:
        if until != "accepted":
            heard(line)
        if until == "half answered":
            line.sendall(b"{")
        over.wait()

    with listening(state, serve):
        try:
            done = run()
        finally:
            over.set()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_agent_that_never_finishes_its_sentence_gets_no_answer(state: Path) -> None:
    with listening(state, lambda _line: None):
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-E", str(SCRIPT), "Stop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        with process:
            assert process.wait(timeout=10) == 0
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(state / "control.sock"))


@pytest.mark.parametrize(
    ("event", "payload", "environ"),
    [
        ("Stop", b"x" * (hook.LONGEST + 1), {}),
        ("Stop", PAYLOAD, {"MEMD_CHILD": "1"}),
        ("Stop", PAYLOAD, {"HOME": ""}),
    ],
    ids=["too long", "own child", "homeless"],
)
def test_there_are_events_that_nobody_hears_of(
    state: Path, event: str, payload: bytes, environ: dict[str, str]
) -> None:
    heard_any: list[bytes] = []
    with listening(state, lambda line: heard_any.append(heard(line))):
        done = run(event, payload, environ)
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(state / "control.sock"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert heard_any == [b""]


def test_whatever_it_is_called_with_it_is_silent() -> None:
    for arguments in ([], ["é", "x"], [""]):
        command = [sys.executable, "-I", "-S", "-E", str(SCRIPT), *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b"")
        assert b"Traceback" not in done.stderr


def test_it_loads_nothing_of_memd_and_no_module_that_takes_time() -> None:
    code = f"import sys; before = set(sys.modules); sys.path.insert(0, {str(SCRIPT.parent)!r}); import hook; "
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-S", "-E", "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["_signal", "_socket", "hook"] or done.stdout.split() == ["_socket", "hook"]


def test_it_runs_from_places_with_odd_names(state: Path, tmp_path: Path) -> None:
    """A space or a letter beyond ASCII in a path broke hooks (CM#2097, CM#2123)."""
    odd = tmp_path / "John Doe's" / "é"
    odd.mkdir(parents=True)
    (odd / "python").symlink_to(sys.executable)
    (odd / "hook.py").write_bytes(SCRIPT.read_bytes())
    command = hook_settings.command(str(odd / "python"), str(odd / "hook.py"), "Stop")
    with listening(state, lambda line: line.sendall(heard(line)[:9])):
        done = subprocess.run(["/bin/sh", "-c", command], input=PAYLOAD, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"hook Stop", b"")

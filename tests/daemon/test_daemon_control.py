"""The socket of a real daemon: hints through it, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import config
from memd.daemon.control import ask
from memd.daemon.requests import Request, Verb, parse, spelled
from memd.errors import DaemonNotRunningError, MemdError, UsageError
from memd.ledger import Ledger
from memd.transcripts.ending import EndHint
from tests.daemon.conftest import DaemonProcess, talk, until

Start = Callable[..., DaemonProcess]

SLOW = {"MEMD_EXTRACT_QUIET": "1h", "MEMD_EXTRACT_STALLED": "1h"}


def control() -> Path:
    return config.find_paths(os.environ).control


def said(raw: bytes) -> dict[str, Any]:
    """What the daemon answers to these very bytes; nothing: an empty answer."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(str(control()))
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        with line.makefile("rb") as answer:
            return dict(json.loads(answer.read() or b"{}"))


def test_an_end_that_a_hook_tells_of_makes_the_conversation_due_in_three_seconds(start: Start, root: Path) -> None:
    daemon = start(**SLOW).ready()
    talk(root, "a", "human", "done")
    began = time.monotonic()
    ask(control(), Request(verb=Verb.HINT, session="a", hint=EndHint.SESSION_END))
    until(lambda: daemon.noted("claimed"))
    assert time.monotonic() - began >= 2.8
    assert [one["reason"] for one in daemon.logged("extraction_queued")] == ["session_end"]


def test_a_wish_makes_the_conversation_due_as_soon_as_its_turn_completes(start: Start, root: Path) -> None:
    root.mkdir(parents=True)
    daemon = start(**SLOW).ready()
    path = talk(root, "a", "human", "done")
    ask(control(), Request(verb=Verb.HINT, session="a", hint=EndHint.REMEMBER, path=str(path)))
    assert ask(control(), Request(verb=Verb.STATUS))["tracked"] == 1  # seen without an event, as its path was told
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("claimed"))
    assert [one["reason"] for one in daemon.logged("extraction_queued")] == ["remember"]


def test_run_now_looks_at_everything_and_waits_for_nothing_that_is_complete(start: Start, root: Path) -> None:
    daemon = start(**SLOW).ready()
    talk(root, "a", "human", "done")
    talk(root, "b", "human")
    assert ask(control(), Request(verb=Verb.RUN_NOW))["ok"]
    until(lambda: daemon.noted("claimed"))
    assert [note[1] for note in daemon.noted("claimed")] == ["lines:a"]


def test_a_pause_holds_over_restarts_and_loses_nothing(start: Start, root: Path, ledger: Callable[[], Ledger]) -> None:
    daemon = start().ready()
    ask(control(), Request(verb=Verb.PAUSE))
    talk(root, "a", "human", "done")
    until(lambda: daemon.logged("extraction_queued"))
    daemon.stop()
    again = start().ready()
    assert ledger().paused_at() is not None
    assert again.noted("started") == []
    ask(control(), Request(verb=Verb.RESUME))
    until(lambda: again.noted("claimed"))
    assert ledger().paused_at() is None
    assert [one["event"] for one in again.log() if one["event"].startswith("work_")] == ["work_resumed"]


@pytest.mark.parametrize("how", ["socket", "signal"])
def test_new_settings_hold_without_a_restart(start: Start, root: Path, home: Path, how: str) -> None:
    daemon = start(MEMD_WATCH_SWEEP="1h").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("claimed"))
    file = home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[extract]\nmin_interval = "0s"\n', "utf-8")
    if how == "socket":
        assert ask(control(), Request(verb=Verb.RELOAD)) == {"ok": True}
    else:
        daemon.process.send_signal(signal.SIGHUP)
    until(lambda: daemon.logged("settings_reloaded"))
    talk(root, "a", "human", "done")
    until(lambda: len(daemon.noted("claimed")) == 2)
    assert daemon.stop() == 0


def test_settings_that_are_wrong_are_refused_and_change_nothing(start: Start, root: Path, home: Path) -> None:
    daemon = start().ready()
    file = home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[extract]\nquite = 3\n", "utf-8")
    with pytest.raises(MemdError, match=r"unknown setting 'extract\.quite'"):
        ask(control(), Request(verb=Verb.RELOAD))
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("claimed"))


def test_the_socket_is_this_users_alone_and_goes_with_the_daemon(start: Start) -> None:
    daemon = start().ready()
    mode = control().lstat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600
    assert stat.S_IMODE(control().parent.stat().st_mode) == 0o700
    assert ask(control(), Request(verb=Verb.STATUS))["pid"] == daemon.process.pid
    assert daemon.stop() == 0
    assert not control().exists()
    with pytest.raises(DaemonNotRunningError):
        ask(control(), Request(verb=Verb.STATUS))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_gets_no_answer(start: Start) -> None:
    start().ready()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:  # who can reach the socket at all, as root can everything until it stops being root
        with socket.socket(socket.AF_UNIX) as line:
            control().chmod(0o777)
            control().parent.chmod(0o777)
            os.chdir(control().parent)
            os.setresuid(65534, 65534, 65534)
            try:
                line.connect(control().name)
                line.sendall(spelled(Request(verb=Verb.STATUS)))
                os.write(writer, b"heard " + line.recv(100))
            except OSError as error:
                os.write(writer, f"refused {type(error).__name__}".encode())
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 200) in {b"heard ", b"refused ConnectionResetError", b"refused BrokenPipeError"}


def test_a_dead_daemons_socket_is_no_obstacle(start: Start) -> None:
    start().ready().stop(signal.SIGKILL)
    assert control().exists()
    start().ready()
    assert ask(control(), Request(verb=Verb.STATUS))["ok"]


def test_a_home_with_a_very_long_name_has_its_socket_too(
    home: Path, root: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ("é" * 60) / ("long" * 20)))
    daemon = start(**SLOW).ready()
    talk(root, "a", "human", "done")
    ask(control(), Request(verb=Verb.HINT, session="a", hint=EndHint.SESSION_END))
    until(lambda: daemon.noted("claimed"))


NO_REQUESTS = {
    "nothing": b"",
    "empty": b"\n",
    "words": b"nonsense\n",
    "list": b"[1]\n",
    "unknown": b'{"verb": "dance"}\n',
    "no string": b'{"verb": ["hint"]}\n',
    "half": b'{"verb": "hint"}\n',
    "bytes": b"\xff\n",
    "digits": b"9" * 5000 + b"\n",
    "deep": b"[" * 60_000 + b"\n",
    "long": b'{"verb": "status", "path": "' + b"x" * 70_000 + b'"}\n',
}


def test_what_is_no_request_is_refused_and_harms_nobody(start: Start) -> None:
    daemon = start().ready()
    for name, raw in NO_REQUESTS.items():
        assert said(raw).get("ok", False) is False, name
        assert ask(control(), Request(verb=Verb.STATUS))["pid"] == daemon.process.pid, name


def test_a_crowd_of_silent_callers_does_not_keep_the_daemon_from_its_work(start: Start, root: Path) -> None:
    daemon = start().ready()
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(200)]
    try:
        for one in crowd:
            one.connect(str(control()))
        talk(root, "a", "human", "done")
        until(lambda: daemon.noted("claimed"))
    finally:
        for one in crowd:
            one.close()
    until(lambda: ask_quietly() is not None)
    assert daemon.stop() == 0


def ask_quietly() -> dict[str, Any] | None:
    try:
        return ask(control(), Request(verb=Verb.STATUS))
    except MemdError:
        return None


def test_many_ask_at_once_and_each_is_answered(start: Start) -> None:
    daemon = start().ready()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(control(), Request(verb=Verb.STATUS))["pid"], range(100)))
    assert answers == [daemon.process.pid] * 100


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=50)


@given(st.sampled_from(Verb), names, st.sampled_from(EndHint), st.none() | names)
def test_a_request_survives_the_wire(verb: Verb, session: str, hint: EndHint, path: str | None) -> None:
    request = Request(verb=verb, session=session, hint=hint, path=path)
    assert parse(spelled(request)) == request
    assert spelled(request).count(b"\n") == 1


@given(st.binary(max_size=200) | st.recursive(st.none() | st.text(), st.lists, max_leaves=5).map(repr).map(str.encode))
def test_any_bytes_are_a_request_or_an_error_that_says_so(line: bytes) -> None:
    with suppress(UsageError):
        assert isinstance(parse(line), Request)


def test_something_else_in_the_place_of_the_socket_does_not_spoil_the_end(start: Start) -> None:
    daemon = start().ready()
    control().unlink()
    control().mkdir()
    assert daemon.stop() == 0

"""What the service manager hears."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.daemon.notify import READY, notify, watchdog_interval


@pytest.fixture(params=["file", "abstract"])
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    name = str(tmp_path / "notify") if request.param == "file" else f"@memd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(name.replace("@", "\0", 1))
        channel.settimeout(5)
        yield channel, name


def test_a_message_arrives(listener: tuple[socket.socket, str]) -> None:
    channel, name = listener
    assert notify({"NOTIFY_SOCKET": name}, READY)
    assert channel.recv(100) == b"READY=1"


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "/nowhere/notify"}])
def test_nobody_listening_is_no_error(environ: dict[str, str]) -> None:
    assert not notify(environ, READY)


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "rubbish"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
    ],
)
def test_the_watchdog_gets_a_sign_twice_in_its_time(environ: dict[str, str], seconds: float | None) -> None:
    assert watchdog_interval(environ) == seconds

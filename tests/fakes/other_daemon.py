"""Something in the place of the daemon's socket that says what no daemon of memd's would."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

Saying = Callable[[socket.socket], None]


def status(**odd: Any) -> bytes:  # noqa: ANN401 - any document
    """A daemon's line about itself, of which something is odd."""
    return json.dumps({"ok": True, "pid": os.getpid(), **odd}).encode() + b"\n"


ODD = {
    "list": b"[]\n",
    "number": b"7\n",
    "nothing": b"",
    "deep": b"[" * 60_000 + b"\n",
    "not utf-8": b"\xff\xfe\n",
    "endless number": b'{"ok": true, "pid": ' + b"9" * 5000 + b"}\n",
    "endless": b"x" * 200_000,
    "half": b'{"ok": true, "pid"',
    "no ok": b"{}\n",
    "no pid": b'{"ok": true}\n',
    "rows of numbers": status(open=[1, 2]),
    "no rows": status(open=None),
    "odd row": status(open=[{"session": "\x1b[31m", "reason": 1}]),
    "endless wait": status(open=[{"session": "s", "path": "/p", "reason": "r", "seconds": float("inf")}]),
    "no count": status(tracked="x"),
    "endless time": status(at=1e300),
    "no time": status(at=float("nan")),
    "word for a time": status(at="yesterday"),
    "list for a word": status(settings_refused=["x"]),
    "table for a word": status(held_up={"a": 1}),
}


def saying(answer: bytes) -> Saying:
    """Say this, and hang up."""

    def say(line: socket.socket) -> None:
        line.recv(4096)
        line.sendall(answer)

    return say


def dripping(line: socket.socket) -> None:
    """A byte now and then, and no end of it before a minute is over."""
    never = threading.Event()
    for _ in range(600):
        line.sendall(b"x")
        never.wait(0.1)


@contextmanager
def other_daemon(path: Path, say: Saying) -> Iterator[None]:
    """Serve every caller at `path`, until the end."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen()
        thread = threading.Thread(target=_serve, args=(door, say), daemon=True)
        thread.start()
        try:
            yield
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            path.unlink()


def _serve(door: socket.socket, say: Saying) -> None:
    with suppress(OSError):
        while True:
            line, _ = door.accept()
            with line, suppress(OSError):  # who asked has had enough
                say(line)

"""The daemon's ear: a Unix socket in the state directory, for this user's processes alone."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.daemon.events import Asked
from memd.daemon.requests import Request, answered, parse, spelled
from memd.errors import DaemonNotRunningError, MemdError, UsageError

if TYPE_CHECKING:  # it takes longer to import than most commands take
    from structlog.typing import FilteringBoundLogger

Post = Callable[[Asked], None]
Serve = Callable[[bytes, asyncio.StreamReader], Awaitable[bytes]]  # from a first line and what follows to an answer

_LONGEST = 64 * 1024  # bytes of a request or an answer
_PATIENCE = 5.0  # seconds for a whole conversation
_AT_ONCE = 32  # conversations; further ones are turned away
_ADDRESS = 100  # bytes that an address may have on every system
_LOCAL_PEERCRED = 1  # macOS: of level 0, with a version and the user id first


@asynccontextmanager
async def listening(
    path: Path, post: Post, log: FilteringBoundLogger, others: Mapping[bytes, Serve] | None = None
) -> AsyncIterator[None]:
    """Post what is asked at `path` into the loop's queue. Where no socket can be had, hints are all that is lost.

    `others` serve the conversations whose first line begins with a word of theirs.

    Whoever calls this is the only daemon: a socket that stands there is a dead one's.
    """
    try:
        with _address(path) as address:
            door = _bound(address)
        server = await asyncio.start_unix_server(_Desk(post, others or {}).serve, sock=door, limit=_LONGEST)
    except OSError as error:
        log.warning("control_unavailable", error=error.strerror or str(error))
        yield
        return
    try:
        yield
    finally:
        server.close()
        with suppress(OSError):  # gone, or something else by now
            path.unlink()  # noqa: ASYNC240 - all is over


def ask(path: Path, request: Request, *, patience: float = _PATIENCE) -> dict[str, Any]:
    """What the daemon answers. Raises DaemonNotRunningError where none listens, MemdError where it refuses.

    `patience` is in seconds, for all of it: whoever says a little now and then has no more. What no daemon of memd's
    would say is no answer either; the error's cause is a ValueError then.
    """
    until = time.monotonic() + patience
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line, _address(path) as address:
            _within(line, until).connect(address)
            _within(line, until).sendall(spelled(request))
            said = answered(_heard(line, until), request)
    except (OSError, ValueError) as error:
        raise DaemonNotRunningError(f"no daemon answers at {path}: {error}") from error
    if not said["ok"]:
        raise MemdError(str(said.get("error", "the daemon refused")))
    return said


def _within(line: socket.socket, until: float) -> socket.socket:
    """Let what is done next with it take no longer. Raises TimeoutError where the time is over."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    line.settimeout(left)
    return line


def _heard(line: socket.socket, until: float) -> bytes:
    said = bytearray()
    while not said.endswith(b"\n") and len(said) <= _LONGEST and (more := _within(line, until).recv(4096)):
        said += more
    return bytes(said)


class _Desk:
    """Answers one line with one line, and hands on what is for others."""

    def __init__(self, post: Post, others: Mapping[bytes, Serve]) -> None:
        self._post = post
        self._others = others
        self._guests = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One conversation, from a process of this user, in a few seconds, or none."""
        self._guests += 1
        try:
            if self._guests <= _AT_ONCE and _peer(writer.get_extra_info("socket")) == os.geteuid():
                async with asyncio.timeout(_PATIENCE):
                    writer.write(await self._answer(reader))
                    await writer.drain()
        except (TimeoutError, OSError):  # whoever asked is slow, or gone
            pass
        finally:
            self._guests -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        try:
            line = await reader.readline()
            serve = self._others.get(line.split(b" ", 1)[0])
            if serve is not None:
                return await serve(line, reader)
            said = await self._asked(parse(line))
        except UsageError as error:
            said = {"ok": False, "error": str(error)}
        except ValueError:  # longer than the limit
            said = {"ok": False, "error": "this is too long"}
        return json.dumps(said).encode() + b"\n"

    async def _asked(self, request: Request) -> dict[str, Any]:
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._post(Asked(request=request, answer=answer))
        return await answer


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """An address for a socket at `path`, however long that is; good while the context lasts.

    Raises OSError where the system has no way to name it.
    """
    if len(os.fsencode(path)) <= _ADDRESS:
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)


def _bound(address: str) -> socket.socket:
    with suppress(FileNotFoundError):
        os.unlink(address)  # noqa: PTH108 - an address, not always a path
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        door.bind(address)  # its directory is closed to others
        os.chmod(address, 0o600)  # noqa: PTH101 - likewise
    except BaseException:
        door.close()
        raise
    return door


def _peer(line: socket.socket) -> int | None:
    """The user at the other end; None where the system does not say."""
    try:
        if sys.platform == "linux":
            said = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return int(struct.unpack("3i", said)[1])
        return int(struct.unpack("2I", line.getsockopt(0, _LOCAL_PEERCRED, 76)[:8])[1])
    except (OSError, struct.error):
        return None

"""Something that listens where a git daemon should, and says what no git daemon would."""

from __future__ import annotations

import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

OID = "ce013625030ba8dba906f756967f9e9ca394464a"
_CAPABLE = "side-band-64k ofs-delta no-progress agent=git/2"

Saying = Callable[[socket.socket], None]
RUBBISH: dict[str, Saying] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where it listens."""

    port: int

    @property
    def address(self) -> str:
        """For git."""
        return f"git://127.0.0.1:{self.port}/memory.git"


@contextmanager
def listening(saying: Saying) -> Iterator[Server]:
    """Serve every caller in a thread of its own, until the end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threads: list[threading.Thread] = []
        loop = threading.Thread(target=_serve, args=(server, saying, threads), daemon=True)
        loop.start()
        yield Server(port=server.getsockname()[1])
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
    loop.join(5)
    for thread in threads:
        thread.join(5)


def _serve(server: socket.socket, saying: Saying, threads: list[threading.Thread]) -> None:
    with suppress(OSError):
        while True:
            peer, _ = server.accept()
            threads.append(threading.Thread(target=_answer, args=(peer, saying), daemon=True))
            threads[-1].start()


def _answer(peer: socket.socket, saying: Saying) -> None:
    with peer, suppress(OSError):
        peer.settimeout(20)
        peer.recv(4096)  # the request
        saying(peer)


def line(text: bytes) -> bytes:
    """A line of git's protocol."""
    return b"%04x%s" % (len(text) + 4, text)


def refs(*names: str, oid: str = OID, capable: str = _CAPABLE) -> bytes:
    """What a remote has."""
    first, *rest = names
    said = line(f"{oid} {first}\0{capable}\n".encode()) + b"".join(line(f"{oid} {name}\n".encode()) for name in rest)
    return said + b"0000"


def _asked(peer: socket.socket) -> None:
    """Wait for what is wanted."""
    said = b""
    while b"done" not in said:
        piece = peer.recv(65536)
        if not piece:
            return
        said += piece


def _band(number: int, data: bytes) -> bytes:
    return b"".join(line(bytes([number]) + data[n : n + 60_000]) for n in range(0, len(data), 60_000))


def _says(name: str, data: bytes) -> None:
    RUBBISH[name] = lambda peer: peer.sendall(data)


def _forever(name: str, head: bytes, again: bytes, *, pause: float = 0) -> None:
    def saying(peer: socket.socket) -> None:
        peer.sendall(head)
        while True:
            peer.sendall(again)
            time.sleep(pause)

    RUBBISH[name] = saying


def _silent(peer: socket.socket) -> None:
    while peer.recv(4096):
        pass


def _packed(name: str, pack: bytes, *, forever: bytes = b"") -> None:
    """The right words, and then a pack that is none."""

    def saying(peer: socket.socket) -> None:
        peer.sendall(refs("refs/heads/memd"))
        _asked(peer)
        peer.sendall(line(b"NAK\n") + _band(1, pack))
        while forever:
            peer.sendall(forever)
        peer.sendall(b"0000")

    RUBBISH[name] = saying


def _pack(count: int, body: bytes = b"") -> bytes:
    return b"PACK" + struct.pack(">II", 2, count) + body


RUBBISH["no word"] = lambda _peer: None
RUBBISH["silence"] = _silent
_says("a web page", b"HTTP/1.1 200 OK\r\n\r\n<html>")
_says("zeros", bytes(4096))
_says("a broken length", b"zzzzhello")
_says("a length beyond any", b"ffff" + b"x" * 0xFFFF)
_says("half a line", b"00ff" + OID.encode())
_says("an error with escapes", line(b"ERR \x1b[2J\x1b]0;owned\x07 access denied or repository not exported"))
_says("an error with a secret", line(b"ERR use AKIA" + b"Z7KQ4M2PXW5TRN3B to log in"))
_says("a name that leads out", refs("refs/heads/../../../home/canary", "refs/heads/memd"))
_says("no object", refs("refs/heads/memd", oid="0" * 40))
_says("an object of another kind", refs("refs/heads/memd", capable=_CAPABLE + " object-format=sha256"))
_says("a name for HEAD that leads out", refs("HEAD", "refs/heads/memd", capable=_CAPABLE + " symref=HEAD:../../x"))
_says(
    "a pack elsewhere",
    line(b"version 2\n") + line(b"ls-refs\n") + line(b"fetch=packfile-uris\n") + line(b"bundle-uri\n") + b"0000",
)
_says("one name a thousand times", refs(*["refs/heads/memd"] * 1_000))
_forever("refs without end", b"", line(f"{OID} refs/heads/x\n".encode()) * 100)
_forever("rubbish without end", b"", b"\x00\xff" * 4096)
_forever("a drip", b"ffff", b"x", pause=0.2)
_packed("no pack", b"hello, this is no pack")
_packed("an empty pack", _pack(0))
_packed("more objects than there can be", _pack(0xFFFFFFFF))
_packed("half an object", _pack(1, b"\x3a" + zlib.compress(b"hello")[:5]))
_packed("another size than it says", _pack(1, b"\xff\xff\xff\xff\x7f" + zlib.compress(b"x")))
_packed("a delta to four gigabytes", _pack(1, b"\x7a" + bytes(20) + zlib.compress(b"\x05\xff\xff\xff\xff\x0f\x90\x05")))
_packed("a pack without end", _pack(1, b"\x3f"), forever=_band(1, bytes(60_000)))
_packed("progress without end", _pack(1), forever=_band(2, b"\x1b[2Jremote: working\r" * 1000))
_packed("a remote's last words", _pack(1), forever=b"")


def _dies(peer: socket.socket) -> None:
    peer.sendall(refs("refs/heads/memd"))
    _asked(peer)
    peer.sendall(line(b"NAK\n") + _band(3, b"\x1b[31mfatal: you are owned; password is hunter2-Xk9!vQ\n"))


RUBBISH["a last word with escapes"] = _dies

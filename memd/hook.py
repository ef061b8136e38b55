"""What an agent starts at each of its events: hands the event to the daemon and prints what comes back.

Started as `python -I -S -E hook.py EVENT`, before every prompt and behind every tool call, so it imports next to
nothing, and nothing of memd. Whatever goes wrong, it says nothing and its exit code is 0: an agent must never wait for
memd, and never be stopped by it.
"""

import _signal  # type: ignore[import-not-found]  # the built-in part of `signal`, which takes a millisecond to load
import posix
import sys
import time

try:
    import _socket
except ImportError:  # another Python than CPython
    import socket as _socket  # type: ignore[no-redef]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 0.2  # for everything; then the agent goes on without an answer
LONGEST = 1 << 20  # bytes of an event, and of an answer; nothing is done about a longer one
# The variables that decide whether a session has memory, and where. No other leaves the agent's environment.
VARIABLES = (
    b"CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    b"CLAUDE_CODE_SIMPLE",
    b"CLAUDE_CODE_REMOTE",
    b"CLAUDE_CODE_REMOTE_MEMORY_DIR",
    b"MEMD_DISABLE",
    b"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
    b"CLAUDE_CONFIG_DIR",
)


def main(event: str) -> None:
    """Tell the daemon of an event, whose particulars are on standard input, and print its answer, if there is one."""
    _signal.signal(_signal.SIGALRM, lambda *_: leave())
    _signal.setitimer(_signal.ITIMER_REAL, SECONDS)
    until = time.monotonic() + SECONDS
    environ = posix.environ
    if environ.get(b"MEMD_CHILD"):  # an agent that memd itself started
        return
    try:
        answer = ask(event, read(0), environ, until)
    except OSError:  # no daemon, for one
        return
    _signal.setitimer(_signal.ITIMER_REAL, 0)  # half an answer is worse than a late one
    while answer:
        answer = answer[posix.write(1, answer) :]


def ask(event: str, payload: bytes, environ: "Mapping[bytes, bytes]", until: float) -> bytes:
    """What the daemon answers, which is told until when that is of use. Raises OSError."""
    state = environ.get(b"XDG_STATE_HOME", b"")
    if not state.startswith(b"/"):
        state = environ.get(b"HOME", b"") + b"/.local/state"
    variables = b"".join(b"%b=%b\0" % (name, environ[name]) for name in VARIABLES if name in environ)
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    posix.chdir(state + b"/memd")  # however long its path is, the socket's name is short
    line.connect("control.sock")
    head = b"hook %b %d %d\n" % (event.encode("ascii", "replace"), len(variables), until * 1000)
    line.sendall(head + variables + payload)
    line.shutdown(_socket.SHUT_WR)
    return b"".join(iter(lambda: line.recv(65536), b""))


def read(source: int) -> bytes:
    """All that comes from a descriptor. Raises OSError where that is too much."""
    payload = b""
    while more := posix.read(source, 65536):
        payload += more
        if len(payload) > LONGEST:
            raise OSError
    return payload


def leave() -> None:
    """End at once, with no word about anything."""
    posix._exit(0)  # noqa: SLF001 - its name


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    finally:
        leave()

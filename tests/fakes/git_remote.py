"""A real `git daemon` on loopback with bare repositories, a proxy that cuts, and a listener that never answers."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_GIT = shutil.which("git") or "git"
_ENVIRON = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.org",
}


def git(directory: Path, *words: str, stdin: bytes = b"", environ: dict[str, str] | None = None) -> str:
    """What git says; the test's own git, with nobody's configuration."""
    done = subprocess.run(
        [_GIT, *words], cwd=directory, input=stdin, capture_output=True, check=True, env=_ENVIRON | (environ or {})
    )
    return done.stdout.decode(errors="surrogateescape").strip()


def bare(directory: Path) -> Path:
    """An empty bare repository."""
    directory.mkdir(parents=True)
    git(directory, "init", "--quiet", "--bare", "--initial-branch=main")
    return directory


@dataclass(slots=True, kw_only=True)
class Server:
    """A `git daemon` that serves all of a directory, and takes pushes."""

    root: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def url(self, name: str = "team.git", port: int | None = None) -> str:
        """The address of one of its repositories."""
        return f"git://127.0.0.1:{port or self.port}/{name}"

    def start(self) -> None:
        """Serve, and come back when it does."""
        if self.process is not None:
            return
        self.process = subprocess.Popen(
            [_GIT, "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={self.port}", "--export-all",
             "--enable=receive-pack", f"--base-path={self.root}", str(self.root)],
            env=_ENVIRON, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        while not _answers(self.port):
            if self.process.poll() is not None:
                raise OSError("git daemon ended")

    def stop(self) -> None:
        """Cut every connection, as a machine does that loses its power."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(root: Path) -> Iterator[Server]:
    """A server of `root` while it lasts."""
    server = Server(root=root, port=free_port())
    server.start()
    try:
        yield server
    finally:
        server.stop()


@dataclass(slots=True, kw_only=True)
class Proxy:
    """Passes connections on to a port; after `cut_after` bytes either way both ends are closed; None: never."""

    to: int
    cut_after: int | None = None
    stalls: bool = False  # keep them open then, and say nothing more
    port: int = 0
    _listener: socket.socket = field(default_factory=socket.socket)
    _held: list[socket.socket] = field(default_factory=list)

    def start(self) -> None:
        """Listen."""
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def stop(self) -> None:
        """Close everything."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._held:
            one.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.to)) as server, client:
            self._pump(client, server)
            if self.stalls:
                self._held += [client.dup(), server.dup()]

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        left = self.cut_after
        with selectors.DefaultSelector() as ready:
            for one, other in ((client, server), (server, client)):
                ready.register(one, selectors.EVENT_READ, other)
            while ready.get_map():
                for key, _ in ready.select():
                    source: socket.socket = key.fileobj  # type: ignore[assignment]  # what was registered
                    chunk = source.recv(65536)
                    if left is not None and len(chunk) >= left:
                        key.data.sendall(chunk[:left])
                        return
                    left = None if left is None else left - len(chunk)
                    if chunk:
                        key.data.sendall(chunk)
                    else:
                        ready.unregister(source)
                        key.data.shutdown(socket.SHUT_WR)


@contextmanager
def proxy(to: int, cut_after: int | None = None, *, stalls: bool = False) -> Iterator[Proxy]:
    """A proxy while it lasts."""
    made = Proxy(to=to, cut_after=cut_after, stalls=stalls)
    made.start()
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def silence() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield int(listener.getsockname()[1])

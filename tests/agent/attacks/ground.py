"""A throw-away place to attack, and somebody without rights who does it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

NOBODY = 65534
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
MARKERS = ("outside-marker", "env-marker", "pem-marker", "git-marker", "environ-marker", "root:x:0")
_RUNNER = Path(__file__).parent / "run.py"
_REPOSITORY = Path(__file__).parents[3]
_ELSEWHERE = ("/dev/shm/memd-attack", "/tmp/memd-attack")  # noqa: S108 - what the attacks try to make


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A directory with a project, secrets outside of it, sockets nobody may call and a process nobody may touch."""

    root: Path
    victim: subprocess.Popen[bytes]
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    python: str
    uid: int
    began: float  # on the wall clock
    steady: float  # the monotonic clock at the same moment

    def attack(self, way: str, every: int = 1) -> dict[str, str]:
        """What the attacks of a kind were answered, by id."""
        done = subprocess.run(
            [self.python, str(_RUNNER)],
            input=json.dumps({"way": way, "every": every, "values": self._values()}).encode(),
            capture_output=True,
            cwd=self.root,
            timeout=300,
            check=False,
            env=_environment(self.root),
            **_as(self.uid),
        )
        assert done.returncode == 0, done.stderr.decode()
        answers: dict[str, str] = json.loads(done.stdout)
        return answers

    def effects(self) -> list[str]:
        """What is not as it should be, seen from outside."""
        clock = abs((time.time() - self.began) - (time.monotonic() - self.steady))
        return [
            *(["the victim is dead"] if self.victim.poll() is not None else []),
            *(["the clock was moved"] if clock > 60 else []),
            *(f"{name} was called" for name in ("tcp", "udp", "unix") if _called(getattr(self, name))),
            *(f"left behind: {process}" for process in self._processes()),
            *(f"made: {path}" for path in _ELSEWHERE if Path(path).exists()),
        ]

    def _values(self) -> dict[str, str]:
        root = self.root
        return {
            "X": str(root / "made" / "it"),
            "P": str(root / "project"),
            "M": str(root / "memory"),
            "S": str(root / "outside" / "secret.txt"),
            "PID": str(self.victim.pid),
            "PORT": str(self.tcp.getsockname()[1]),
            "SOCK": str(root / "socket"),
        }

    def _processes(self) -> list[str]:
        """Processes of the attacker's that outlived it. Without a user of its own: those that name this place."""
        found = []
        for process in psutil.process_iter(["pid", "uids", "cmdline", "create_time"]):
            told = process.info
            mine = told["uids"] is not None and told["uids"].real == self.uid and told["create_time"] >= self.began - 1
            named = self.uid == NOBODY or str(self.root) in " ".join(told["cmdline"] or [])
            if mine and named and told["pid"] not in {self.victim.pid, os.getpid()}:
                found.append(" ".join(told["cmdline"] or []))
        return found


def attacker() -> tuple[str, int] | None:
    """An interpreter and a user for the attacks: never root, since some of them would change the machine."""
    if os.geteuid() != 0:
        return sys.executable, os.geteuid()
    known = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")
    return next(((python, NOBODY) for python in known if _runs(python)), None)


@contextmanager
def made(python: str, uid: int) -> Iterator[Ground]:
    """A place to attack, and to look at afterwards."""
    root = Path(tempfile.mkdtemp(prefix="memd-attacks-"))
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        udp.bind(tcp.getsockname())
        _build(root)
        unix.bind(str(root / "socket"))
        unix.listen()
        _give(root, uid)
        victim = subprocess.Popen(["/bin/sleep", "300"], start_new_session=True, **_as(uid))
        place = Ground(
            root=root,
            victim=victim,
            tcp=tcp,
            udp=udp,
            unix=unix,
            python=python,
            uid=uid,
            began=time.time(),
            steady=time.monotonic(),
        )
        try:
            yield place
        finally:
            victim.kill()
            victim.wait()
            shutil.rmtree(root)


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a directory but the scratch space: kind, mode, owner, size, time and contents."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(root.rglob("*")):
        rel = path.relative_to(root).as_posix()
        if rel.split("/")[0] == "state":
            continue
        seen = path.lstat()
        contents = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
        found[rel] = (seen.st_mode, seen.st_uid, seen.st_size, seen.st_mtime_ns, seen.st_nlink, contents)
    return found


def told(answers: dict[str, str]) -> list[str]:
    """The attacks whose answers hold a secret, or ten characters of one."""
    pieces = [TOKEN[at : at + 10] for at in range(len(TOKEN) - 9)]
    return [key for key, text in answers.items() if any(mark in text for mark in (*MARKERS, *pieces))]


def _build(root: Path) -> None:
    project, outside = root / "project", root / "outside"
    for directory in (project / "src", project / ".git", project / "empty", outside, root / "made", root / "state"):
        directory.mkdir(parents=True)
    (root / "memory").mkdir()
    (root / "memory" / "user_role.md").write_text("---\nname: r\ndescription: d\ntype: user\n---\nA tester.\n")
    texts = {
        "src/app.py": "print('hello')\n" * 20,
        "src/secret.py": f"TOKEN = '{TOKEN}'\n",
        "src/Makefile": "all:\n\ttouch ../made/it\n",
        ".env": "PASSWORD=env-marker-7731\n",
        ".git/config": "[user]\nname = git-marker-7731\n",
        "deploy.pem": "pem-marker-7731\n",
        "evil.sh": f"#!/bin/sh\ntouch {root}/made/it\n",
        "cat": f"#!/bin/sh\ntouch {root}/made/it\n",
        "evil.so": "no library\n",
    }
    for name, text in texts.items():
        (project / name).write_text(text)
    (outside / "secret.txt").write_text("outside-marker-7731\n")
    for name in ("evil.sh", "cat"):
        (project / name).chmod(0o755)
    (project / "link-to-secret").symlink_to(outside / "secret.txt")
    (project / "link-to-outside").symlink_to(outside)
    os.link(outside / "secret.txt", project / "hard-link")
    os.mkfifo(project / "pipe")


def _give(root: Path, uid: int) -> None:
    for path in (root, *root.rglob("*")):
        os.chown(path, uid, -1, follow_symlinks=False)


def _as(uid: int) -> dict[str, Any]:
    return {"user": uid, "group": uid, "extra_groups": []} if os.geteuid() == 0 else {}


def _environment(root: Path) -> dict[str, str]:
    return {
        "HOME": str(root),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(_REPOSITORY), *(path for path in sys.path if "site-packages" in path)]),
        "SECRET": "environ-marker-7731",
    }


def _runs(python: str) -> bool:
    check = f"import sys, memd.agent.tools; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])})"
    try:
        done = subprocess.run(
            [python, "-c", check],
            capture_output=True,
            cwd="/",
            check=False,
            env=_environment(Path("/")),
            **_as(NOBODY),
        )
    except OSError:
        return False
    return not done.returncode


def _called(listener: socket.socket) -> bool:
    listener.settimeout(0)
    try:
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(1)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True

"""Hostile names and things, and a canary: a tree that no attack may change and nothing of which may get out."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SONG = b"CANARY-5e1f-never-to-be-seen"
TARGET = "secret.md"


_ODD = (  # as rows, as there are many
    "", ".", "..", "/", "//", "~", "-", "--help", "*", "?.md", "$HOME.md", "`id`.md", "$(id).md",
    "a\nb.md", "a\r.md", "CON", "con.md", "NUL.md", "aux.md", "COM1.md", "lpt1.md", "memory.md",
    "MeMoRy.md", "MEMORY.MD", "MEMORY.md ", "MEMORY.md.", "\uff2d\uff25\uff2d\uff2f\uff32\uff39.md",
    "MEMORY\u200b.md", "a.md.", "a.md ", " a.md", ".a.md", ".git/config", ".git/a.md",
    ".consolidate-lock", ".memd-0123456789abcdef.tmp", "logs/a.md", "logs/2026/04/2026-04-01.md",
    "LOGS/a.md", "Logs/a.md", "logs", "team/a.md", "team/MEMORY.md", "TEAM/a.md", "team", "a.md/",
    "a.md/b.md", "a:b.md", "a|b.md", "a.md::$DATA", "C:/a.md", "C:\\a.md", "//host/share/a.md",
    "\\\\host\\a.md", "\u202egnp.md", "a\u0301.md", "\xe1.md", "\ud800.md", "\udcff.md", "a\x7f.md",
    "a\x1b[2J.md", "a/b/c.md", "a/b/c/d/e/f.md", "\uff21.md", "\u2177.md", "\ufb01.md", "\u0131.md",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A directory with files of every kind that an attack would like to reach."""

    root: Path

    def state(self) -> dict[str, tuple[object, ...]]:
        """All that can be seen of it: names, kinds, modes, times and bytes."""
        return {str(path.relative_to(self.root)): _seen(path) for path in [self.root, *sorted(self.root.rglob("*"))]}


def _seen(path: Path) -> tuple[object, ...]:
    found = path.lstat()
    data = path.read_bytes() if stat.S_ISREG(found.st_mode) else b""
    return found.st_mode, found.st_mtime_ns, found.st_size, data


def canary(parent: Path) -> Canary:
    """Lay one out. Its index and log are such as a pass would like to rewrite."""
    root = parent / "canary"
    for name in (TARGET, "MEMORY.md", "sub/inner.md", "feedback_rule.md", "04/2026-04-01.md", "2026/04/2026-04-01.md"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SONG + b"\n" + name.encode())
        path.chmod(0o640)
    return Canary(root=root)


def leaks(*trees: Path) -> list[str]:
    """Where the canary's words stand below these trees, in plain files that are not the canary's own (hard links)."""
    found = []
    for tree in trees:
        for path in tree.rglob("*"):
            with suppress(OSError):
                seen = path.lstat()
                if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1 and SONG in path.read_bytes():
                    found.append(str(path))
    return found


def names(outside: Path) -> tuple[str, ...]:
    """Relative paths by which one would like to get out, or to something that is not a topic."""
    up = f"../{outside.name}/{TARGET}"
    dots = ("..", "．．", "‥", "․․", "%2e%2e", "..%00", "..;", "...", ".. ", " ..", "..\t", "\u202e..", "..\u200b")
    slashes = ("/", "／", "∕", "⁄", "\\", "%2f", "%5c", "//", "/./", "\u29f8")
    spelled = tuple(f"{dot}{slash}{outside.name}{slash}{TARGET}" for dot in dots for slash in slashes)
    deep = tuple("../" * depth + f"{outside.name}/{TARGET}" for depth in (2, 3, 8, 40, 500))
    inside = tuple(
        f"{way}{up}" for way in ("./", "sub/../", "sub/../../memory/", "././", "/", "sub/./../", "a/b/../../")
    )
    absolute = (
        str(outside / TARGET),
        f"/{outside / TARGET}",
        f"~/{outside.name}/{TARGET}",
        f"file://{outside / TARGET}",
    )
    cut = (f"{up}\0", f"\0{up}", f"ok.md\0/{up}", "\0", "a\0b.md")
    long = ("x" * 255 + ".md", "x" * 5000, "é" * 128 + ".md", "a/" * 300 + "b.md", "y" * 255, "a/" * 3000 + "b.md")
    return tuple(dict.fromkeys((up, *spelled, *deep, *inside, *absolute, *cut, *long, *_ODD)))


Planter = Callable[[Path, Path], None]  # (where, the canary's root)


def _link(target: Callable[[Path, Path], str]) -> Planter:
    def plant(where: Path, outside: Path) -> None:
        where.symlink_to(target(where, outside))

    return plant


def _socket(where: Path, _: Path) -> None:
    descriptor = os.open(where.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{descriptor}/{where.name}")
    finally:
        os.close(descriptor)


def _loop(where: Path, _: Path) -> None:
    other = where.with_name(where.name + ".loop")
    where.symlink_to(other.name)
    other.symlink_to(where.name)


def _kept_open(where: Path, outside: Path) -> None:
    """A link through /proc to a descriptor that this process holds; it stays open until the process ends."""
    descriptor = os.open(outside / TARGET, os.O_RDONLY)
    where.symlink_to(f"/proc/{os.getpid()}/fd/{descriptor}")


def _device(where: Path, _: Path) -> None:
    os.mknod(where, stat.S_IFCHR | 0o666, os.makedev(1, 5))


def _directory(where: Path, outside: Path) -> None:
    where.mkdir()
    (where / "inner.md").symlink_to(outside / TARGET)


def _chain(where: Path, outside: Path) -> None:
    middle = where.with_name(where.name + ".hop")
    middle.symlink_to(outside / TARGET)
    where.symlink_to(middle.name)


PLANTERS: dict[str, Planter] = {
    "absolute link": _link(lambda _, outside: str(outside / TARGET)),
    "relative link": _link(lambda where, outside: os.path.relpath(outside / TARGET, where.parent)),
    "link to a directory": _link(lambda _, outside: str(outside)),
    "link to a like-named file": _link(lambda where, outside: str(outside / where.name)),
    "relative link to a directory": _link(lambda where, outside: os.path.relpath(outside, where.parent)),
    "dangling link out": _link(lambda _, outside: str(outside / "new.md")),
    "link to itself": _link(lambda where, _: where.name),
    "loop": _loop,
    "chain of links": _chain,
    "link to /proc/self/fd": _link(lambda *_: "/proc/self/fd"),
    "link to /proc/self/root": _link(lambda _, outside: f"/proc/self/root{outside / TARGET}"),
    "link to /proc/self/cwd": _link(lambda *_: "/proc/self/cwd"),
    "link to an open descriptor": _kept_open,
    "link to /dev/zero": _link(lambda *_: "/dev/zero"),
    "link to /dev/stdin": _link(lambda *_: "/dev/stdin"),
    "link to /": _link(lambda *_: "/"),
    "link to ..": _link(lambda *_: ".."),
    "hard link": lambda where, outside: os.link(outside / TARGET, where),
    "pipe": lambda where, _: os.mkfifo(where),
    "socket": _socket,
    "device": _device,
    "directory": _directory,
}


def planted(what: str, where: Path, outside: Path) -> bool:
    """Put one of PLANTERS at a path, whatever stood there before. False where this user or system cannot."""
    with suppress(FileNotFoundError):
        where.rename(
            where.with_name(where.name + ".was")
        ) if where.is_dir() and not where.is_symlink() else where.unlink()
    where.parent.mkdir(parents=True, exist_ok=True)
    try:
        PLANTERS[what](where, outside)
    except PermissionError:
        return False
    return True

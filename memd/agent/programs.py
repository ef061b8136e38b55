"""Where the programs of the sandbox lie, and which files they must have to start."""

from __future__ import annotations

import errno
import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SEARCHED = "/usr/bin:/bin:/run/current-system/sw/bin"  # never a person's PATH
_SECONDS = 5.0
_LIBRARY = re.compile(r"^\s*(?:\S+ => )?(/\S+) \(0x", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a program must execute and read to start at all."""

    loader: str | None
    libraries: tuple[str, ...]


def found(name: str) -> str | None:
    """The real path of a program of the system; None where it has none."""
    found = shutil.which(name, path=_SEARCHED)
    return os.path.realpath(found) if found else None


def needs(program: str) -> Needs:
    """Asked of the program's own loader. What it can read it could run, so it gets these files and no directory."""
    loader = _loader(Path(program))
    if loader is None:
        return Needs(loader=None, libraries=())
    listed = _listed(loader, program)
    libraries = tuple(dict.fromkeys(_LIBRARY.findall(listed)))
    return Needs(loader=loader, libraries=libraries)


def _listed(loader: str, program: str) -> str:
    try:
        done = subprocess.run(
            [loader, "--list", program],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={},
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), loader) from error
    return done.stdout.decode(errors="replace")


def _loader(program: Path) -> str | None:
    """The interpreter that an ELF program (64 bits, this machine's byte order) names; None for a static one."""
    with program.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or not head.startswith(b"\x7fELF\x02"):  # noqa: PLR2004 - bytes of the header
            return None
        start, size, count = (
            struct.unpack_from("=Q", head, 32)[0],
            *struct.unpack_from("=HH", head, 54),
        )
        for number in range(count):
            file.seek(start + number * size)
            kind, _, at, _, _, length = struct.unpack("=IIQQQQ", file.read(40))
            if kind == 3:  # noqa: PLR2004 - PT_INTERP
                file.seek(at)
                return file.read(length).rstrip(b"\0").decode()
    return None

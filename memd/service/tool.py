"""Running the system's own tools: found without a PATH, in the language of programs, for a limited time."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

_SYSTEM = "/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a tool answered. `code` is -1 where it could not be run or did not end in time."""

    code: int
    out: str
    err: str


def found(name: str, environ: Mapping[str, str]) -> str | None:
    """The tool's path: by PATH where there is one, then where systems keep such things."""
    return shutil.which(name, path=f"{environ.get('PATH') or _SYSTEM}:{_SYSTEM}")


def run(command: tuple[str, ...], environ: Mapping[str, str], *, seconds: float) -> Said:
    """Run it to its end."""
    kept = {name: value for name, value in environ.items() if name in {"HOME", "USER", "PATH"} or "BUS" in name}
    try:
        done = subprocess.run(
            command,
            env={**kept, "LC_ALL": "C", "XDG_RUNTIME_DIR": environ.get("XDG_RUNTIME_DIR", "")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Said(code=-1, out="", err=f"{command[0]} did not answer within {seconds:.0f} s")
    except OSError as error:
        return Said(code=-1, out="", err=str(error))
    return Said(code=done.returncode, out=done.stdout.decode(errors="replace"), err=_last(done.stderr))


def _last(said: bytes) -> str:
    return said.decode(errors="replace").strip()

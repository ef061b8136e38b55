"""How git starts ssh where root's files look like nobody's, as they do in the service.

ssh takes no settings that belong to neither the person nor root. The service has a user namespace of its own, without
which systemd closes nothing for a person's services, and only the person has a name in there: what is root's is
nobody's. So ssh gets copies of the same settings; and as nothing can be written below the home, it shares no
connection that it would have to open a socket for. One that is open is used.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from memd.team import credentials, git
from memd.team.git import Repository

SYSTEM = Path("/etc/ssh/ssh_config")
_DEEPEST = 16  # of settings that include others; ssh's own limit
_SCRATCH = "memd-ssh-"
_LEFT = 3600.0  # seconds after which nobody uses one any more
_OF_SYSTEM = ("/etc/", "/usr/", "/nix/store/", "/gnu/store/")  # what stands there, only root can have written
_INCLUDE = re.compile(r"^[ \t]*include(?:[ \t]*=[ \t]*|[ \t]+)(.+)$", re.IGNORECASE | re.MULTILINE)


@contextmanager
def prepared(repository: Repository) -> Iterator[Repository]:
    """The same repository, from which git can ask a remote that it reaches by ssh."""
    command = _command(repository)
    if command is None:
        yield repository
        return
    sweep(Path(tempfile.gettempdir()), time.time())
    with TemporaryDirectory(prefix=_SCRATCH) as scratch:
        settings = copied(Path(repository.environ.get("HOME", "/")), Path(scratch))
        added = {"GIT_SSH_COMMAND": f"{command} -F {shlex.quote(str(settings))}"}
        if agent := credentials.agent(repository.environ):
            added["SSH_AUTH_SOCK"] = agent
        yield replace(repository, environ={**repository.environ, **added})


def sweep(place: Path, now: float) -> None:
    """Take away what a process left that was killed; `now` in seconds since the epoch."""
    for left in place.glob(f"{_SCRATCH}*"):
        with suppress(OSError):
            if now - left.lstat().st_mtime > _LEFT:
                shutil.rmtree(left, ignore_errors=True)


def _command(repository: Repository) -> str | None:
    """What git starts as ssh; None where that is another program, or has settings of its own choice."""
    environ, told = repository.environ, git.settings(repository, r"core\.sshcommand")
    by_git = told[-1][1] if told else None
    program = environ.get("GIT_SSH")
    said = environ.get("GIT_SSH_COMMAND") or by_git or (shlex.quote(program) if program else "ssh")
    try:
        words = shlex.split(said)
    except ValueError:
        return None
    is_ssh = bool(words) and Path(words[0]).name == "ssh"
    return said if is_ssh and not any(word.startswith("-F") for word in words) else None


def copied(home: Path, scratch: Path, system: Path = SYSTEM) -> Path:
    """The person's settings for ssh and the system's, all of them copied into `scratch`; what to give to `-F`."""
    heads = (_include(path, path.parent, home, scratch) for path in (home / ".ssh" / "config", system))
    lines = ["ControlMaster no", *(f'Include "{path}"' for path in heads if path is not None)]
    return _written(scratch, "\n".join(lines) + "\n")


def _copy(path: Path, base: Path, home: Path, scratch: Path, depth: int) -> Path | None:
    """A copy of one file, and of all that it includes; None where ssh would find nothing there either."""
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except OSError:
        return None

    def instead(found: re.Match[str]) -> str:
        chosen = (_include(one, base, home, scratch, depth + 1) for one in _named(found[1], base, home))
        return "\n".join(f'Include "{one}"' for one in chosen if one is not None)

    return _written(scratch, _INCLUDE.sub(instead, text))


def _include(path: Path, base: Path, home: Path, scratch: Path, depth: int = 0) -> Path | None:
    """A copy, where only the person or root can have written it; else the file itself, which is ssh's to judge."""
    if depth > _DEEPEST or not _is_trusted(path, home):
        return path
    return _copy(path, base, home, scratch, depth)


def _is_trusted(path: Path, home: Path) -> bool:
    try:
        real, stands = path.resolve(), path.stat()
    except OSError:
        return False
    by_root = stands.st_uid == credentials.NOBODY and (str(real).startswith(_OF_SYSTEM) or real.is_relative_to(home))
    return (stands.st_uid == os.getuid() or by_root) and not stands.st_mode & 0o022


def _named(words: str, base: Path, home: Path) -> Iterator[Path]:
    """The files that an `Include` names, in ssh's order."""
    try:
        patterns = shlex.split(words, comments=True)
    except ValueError:
        return
    for pattern in patterns:
        whole = f"{home}{pattern[1:]}" if pattern.startswith("~/") else pattern
        yield from map(Path, sorted(glob.glob(os.path.join(base, whole))))  # noqa: PTH118, PTH207 - the pattern may be absolute


def _written(scratch: Path, text: str) -> Path:
    place = scratch / f"{len(list(scratch.iterdir()))}"
    place.touch(mode=0o600)
    place.write_text(text, "utf-8", "surrogateescape")
    return place

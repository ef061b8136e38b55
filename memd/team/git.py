"""The one place that starts git.

There is no work tree anywhere: what is called here are the commands that work on objects and refs. So nothing that a
repository holds (hooks, filters, attributes, submodules, links) has anything to bite on, and memd's own repository has
no configuration but what is given here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memd.files import MEGABYTE
from memd.team import credentials, running
from memd.team.nouns import DamagedError, GitError, GitTooOldError, Outcome, RemoteError, UnwritableGitError
from memd.team.running import Command, Done

OUTPUT = 64 * MEGABYTE  # bytes that a command may say
SECONDS = 60.0  # for what stays on this machine
NEEDED = (2, 30)  # with all that is called here

_PROTOCOLS = "file:git:https:ssh"
_LARGEST_ALLOCATION = "128m"  # in git's own words; a delta may claim to unpack to any size

# Kept from the person's environment where git talks to a remote, beside what does not concern git.
_KEPT_GIT = frozenset(name for name in credentials.VARIABLES if name.startswith("GIT_"))
_KEPT_LOCALLY = frozenset({"PATH", "TMPDIR", "GIT_EXEC_PATH", "HOME", "LD_LIBRARY_PATH"})

_DAMAGE = re.compile(r"bad object|corrupt|object file|unable to read|broken ref|bad ref|packfile|missing (?:blob|tree)")
_UNWRITABLE = re.compile("No space left|Disk quota|Permission denied|Read-only file system")

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.askPass=",
    "core.logAllRefUpdates=false",
    "core.fsync=committed",
    "core.fsyncMethod=batch",
    "core.bigFileThreshold=1m",
    "credential.interactive=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.fsckObjects=true",
    "fetch.unpackLimit=1",  # one pack, whose size is bounded, and not any number of files
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "push.recurseSubmodules=no",
    "push.followTags=false",
    "push.gpgSign=false",
    "submodule.recurse=false",
    "pack.threads=1",
    "http.followRedirects=initial",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A bare repository of memd's own, and what git may know of its owner."""

    path: Path
    environ: Mapping[str, str] = field(default_factory=dict)  # the person's
    seconds: float = 120.0  # that a remote may take
    largest: int = 64 * MEGABYTE  # bytes that may come in one go


def local(repository: Repository, *words: str, stdin: bytes = b"", most: int = OUTPUT) -> bytes:
    """What a command says. GitError where it fails."""
    done = attempt(repository, *words, stdin=stdin, most=most)
    if done.code != 0 or done.stopped:
        raise failure(words, done)
    return done.out


def attempt(repository: Repository, *words: str, stdin: bytes = b"", most: int = OUTPUT) -> Done:
    """Run a command that stays on this machine; its exit status is the caller's to judge."""
    return _run(
        Command(
            words=(*_git(repository), *words),
            environ=_local_environ(repository.environ),
            cwd=repository.path,
            stdin=stdin,
            seconds=SECONDS,
            most=most,
        )
    )


def remote(repository: Repository, verb: str, *words: str, traced: bool = False) -> Done:
    """Run a command that talks to a remote, with the person's own credentials and without any question.

    `traced`: with each line of git's protocol among what it says. RemoteError where it fails or takes too long.
    """
    done = _run(
        Command(
            words=(*_git(repository), verb, *words),
            environ=_remote_environ(repository.environ) | ({"GIT_TRACE_PACKET": "1"} if traced else {}),
            cwd=repository.path,
            seconds=repository.seconds,
            most=OUTPUT,
            largest=repository.largest,
        )
    )
    if done.stopped == "time":
        raise RemoteError(f"the remote took longer than {repository.seconds:g} s", outcome=Outcome.OFFLINE)
    if done.code != 0 or done.stopped:
        from memd.team.remote_errors import classified  # noqa: PLC0415 - seldom needed, and slow to import

        error = classified(done)
        if error.outcome is Outcome.OFFLINE and _sounds_damaged(repository, done.said):
            raise DamagedError(str(error)) from error
        raise error
    return done


def _sounds_damaged(repository: Repository, said: str) -> bool:
    """Whether it may be our own repository that a command choked on; only a look at it can tell."""
    return str(repository.path) in said or _DAMAGE.search(said) is not None


def identity(repository: Repository) -> tuple[str, str] | None:
    """The person's (name, address) as they told git; None where they did not."""
    words = ("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
    done = _run(
        Command(
            words=(*_git(repository), *words),
            environ=_remote_environ(repository.environ),
            cwd=repository.path,
            seconds=SECONDS,
            most=MEGABYTE,
        )
    )
    found = re.fullmatch(r"(.*) <([^<>]*)> \d+ [+-]\d{4}\s*", done.out.decode(errors="replace"))
    return (found[1].strip(), found[2]) if found and done.code == 0 and found[1].strip() else None


def settings(repository: Repository, pattern: str) -> tuple[tuple[str, str], ...]:
    """The person's settings for git whose names (in lower case, as far as git takes them so) fit: (name, value)."""
    done = _run(
        Command(
            words=(*_git(repository), "config", "-z", "--get-regexp", pattern),
            environ=_remote_environ(repository.environ),
            cwd=repository.path,
            seconds=SECONDS,
            most=MEGABYTE,
        )
    )
    found = (entry.partition("\n") for entry in done.out.decode(errors="surrogateescape").split("\0") if entry)
    return tuple((name, value) for name, _, value in found)


def require_new_enough(repository: Repository) -> None:
    """Raise GitTooOldError where this git lacks what is called here."""
    said = local(repository, "version").decode(errors="replace")
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < NEEDED:
        raise GitTooOldError(
            f"{said.strip()} is too old", hint=f"team memory needs git {NEEDED[0]}.{NEEDED[1]} or newer"
        )


def failure(words: Sequence[str], done: Done) -> GitError:
    """What it means that a command on this machine failed."""
    what = next((word for word in words if not word.startswith("-") and "=" not in word), "git")
    said = done.said.strip().splitlines()[-1:] or [f"it ended with status {done.code}"]
    if done.stopped:
        return GitError(f"git {what} was stopped: too much {done.stopped}")
    if _UNWRITABLE.search(done.said):
        return UnwritableGitError(f"git {what}: {said[0]}")
    return DamagedError(f"git {what}: {said[0]}")


def _git(repository: Repository) -> list[str]:
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ["git", "--no-pager", "--no-replace-objects", f"--git-dir={repository.path}", *settings]


def _run(command: Command) -> Done:
    try:
        return running.run(command)
    except FileNotFoundError as error:
        if not command.cwd.is_dir():
            raise DamagedError(f"{command.cwd} is gone") from error
        raise GitTooOldError("git is not installed", hint="team memory works through git") from error


def _local_environ(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if name in _KEPT_LOCALLY}
    return kept | _fixed() | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def _remote_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Credential helpers and ssh's agent are the person's own; what would ask them something is not there."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in _KEPT_GIT}
    path = {"PATH": credentials.path(environ)} if environ.get("PATH") else {}
    return kept | path | _fixed() | {"GCM_INTERACTIVE": "never", "SSH_ASKPASS_REQUIRE": "never"}


def _fixed() -> dict[str, str]:
    return {
        "LC_ALL": "C",
        "LANGUAGE": "",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_ALLOC_LIMIT": _LARGEST_ALLOCATION,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CEILING_DIRECTORIES": "/",
    }

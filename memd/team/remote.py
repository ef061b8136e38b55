"""What is asked of the remote: its branch, and to take ours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memd import git_address
from memd.memory.membership import Membership
from memd.team import credentials, git
from memd.team.git import Repository
from memd.team.nouns import GitError, Outcome, RemoteError
from memd.team.running import Done

_NO_BRANCH = "couldn't find remote ref"
# What a repository on this machine would have git run as us, by its own settings and hooks, whoever wrote those.
_WITHOUT = (
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=",
    "core.fsmonitor=false",
    "gc.recentObjectsHook=",
    "receive.autogc=false",
    "gc.auto=0",
)
_CLOSED = "nothing may be written there; where only the service may not, `memd install` again lets it"
_REWRITING = re.compile(r"url\.(.*)\.(?:push)?insteadof", re.DOTALL)


def fetch(repository: Repository, membership: Membership) -> str | None:
    """Get the branch; its commit, None where the remote has no such branch. RemoteError where it cannot be asked.

    One network command, whether there is something new or not.
    """
    from memd.team import objects  # noqa: PLC0415 - slow to import, and most syncs only look at the tip

    refspec = f"+{_branch(membership)}:{objects.ARRIVED}"
    options = ("--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules")
    served = _served(membership, "upload-pack")
    try:
        _ask(repository, membership, "fetch", *options, *served, "--end-of-options", membership.remote, refspec)
    except RemoteError as error:
        if _NO_BRANCH in error.said and tip(repository, membership) is None:
            return None
        raise
    return objects.ref(repository, objects.ARRIVED)


def tip(repository: Repository, membership: Membership) -> str | None:
    """The commit of the branch as the remote names it; None where there is no such branch."""
    branch = _branch(membership)
    served = _served(membership, "upload-pack")
    done = _ask(repository, membership, "ls-remote", *served, "--end-of-options", membership.remote, branch)
    found = [line.partition("\t") for line in done.out.decode(errors="replace").splitlines()]
    return next((oid for oid, _, name in found if name == branch), None)


def in_the_way(repository: Repository, membership: Membership) -> str | None:
    """A branch of the remote's above or below ours, beside which git cannot make it; None where there is none."""
    branch = _branch(membership)
    parts = branch.split("/")
    above = {"/".join(parts[:length]) for length in range(3, len(parts))}
    served = _served(membership, "upload-pack")
    asked = (*sorted(above), f"{branch}/*")
    done = _ask(repository, membership, "ls-remote", *served, "--end-of-options", membership.remote, *asked)
    names = (line.partition("\t")[2] for line in done.out.decode(errors="replace").splitlines())
    found = (name for name in names if name in above or name.startswith(f"{branch}/"))
    return next((name.removeprefix("refs/heads/") for name in found), None)


def push(repository: Repository, membership: Membership, commit: str) -> None:
    """Give it our commit; never by force. OvertakenError where the branch has moved on."""
    options = ("--quiet", "--no-verify", "--no-follow-tags", "--no-thin", "--recurse-submodules=no")
    served = _served(membership, "receive-pack")
    refspec = f"{commit}:{_branch(membership)}"
    _ask(repository, membership, "push", *options, *served, "--end-of-options", membership.remote, refspec)


def kinds(repository: Repository, remote: str) -> frozenset[str | None]:
    """The ways in which git may reach a remote (`git_address.kind`): the person's settings may rewrite an address."""
    if git_address.is_local(remote):
        return frozenset({None})
    rules = git.settings(repository, r"url\..*\.(push)?insteadof")
    bases = (found[1] for name, start in rules if remote.startswith(start) and (found := _REWRITING.fullmatch(name)))
    return frozenset(map(git_address.kind, (remote, *bases)))


def _ask(repository: Repository, membership: Membership, verb: str, *words: str) -> Done:
    """Have git talk to the remote. RemoteError, with what a person can do about it here, where that is known."""
    with _ready(repository, membership.remote) as ready:
        try:
            return git.remote(ready, verb, *words)
        except RemoteError as error:
            error.hint = _hint(ready, membership.remote, error) or error.hint
            raise


@contextmanager
def _ready(repository: Repository, remote: str) -> Iterator[Repository]:
    if not credentials.is_confined() or "ssh" not in kinds(repository, remote):
        yield repository
        return
    from memd.team import ssh  # noqa: PLC0415 - slow to import, and by hand it is not needed

    with ssh.prepared(repository) as ready:
        yield ready


def _hint(repository: Repository, remote: str, error: RemoteError) -> str | None:
    if git_address.is_local(remote):
        is_closed = error.outcome is not Outcome.DENIED and _is_read_only(Path(remote.removeprefix("file://")))
        return _CLOSED if is_closed else None
    from memd.team.remote_errors import ACCESS  # noqa: PLC0415 - seldom needed, and slow to import

    if error.outcome is not Outcome.DENIED or not ACCESS.search(error.said.lower()):
        return None
    with suppress(GitError):
        return credentials.lacking(kinds(repository, remote), repository.environ)
    return None


def _is_read_only(path: Path) -> bool:
    try:
        return bool(os.statvfs(path.expanduser()).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _served(membership: Membership, program: str) -> tuple[str, ...]:
    """How the other side is started where that is a directory on this machine: without its own commands."""
    if not membership.remote.startswith(("/", "~", "file://")):
        return ()
    settings = " ".join(f"-c {setting}" for setting in _WITHOUT)
    return (f"--{program}=git {settings} {program}",)


def _branch(membership: Membership) -> str:
    return f"refs/heads/{membership.branch}"

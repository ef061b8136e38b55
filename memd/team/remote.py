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
_SPOKEN = "packet:"  # in a trace, where the other side speaks git's protocol
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
        if _NO_BRANCH in error.said and _surely_none(repository, membership):
            return None
        raise
    return objects.ref(repository, objects.ARRIVED)


def tip(repository: Repository, membership: Membership) -> str | None:
    """The commit of the branch as the remote names it; None where there is no such branch."""
    return _named(_listed(repository, membership), membership)


def _surely_none(repository: Repository, membership: Membership) -> bool:
    """Whether there is no such branch. RemoteError where no git server says so.

    By https git takes any page for the list of branches of an old server, and most for an empty one.
    """
    is_web = "https" in kinds(repository, membership.remote)
    done = _listed(repository, membership, traced=is_web)
    if is_web and _SPOKEN not in done.said:
        from memd.team.remote_errors import NO_GIT  # noqa: PLC0415 - seldom needed, and slow to import

        raise RemoteError("what answers there is no git server", outcome=Outcome.MISSING, hint=NO_GIT)
    return _named(done, membership) is None


def _listed(repository: Repository, membership: Membership, *, traced: bool = False) -> Done:
    words = (*_served(membership, "upload-pack"), "--end-of-options", membership.remote, _branch(membership))
    return _ask(repository, membership, "ls-remote", *words, traced=traced)


def _named(done: Done, membership: Membership) -> str | None:
    found = [line.partition("\t") for line in done.out.decode(errors="replace").splitlines()]
    return next((oid for oid, _, name in found if name == _branch(membership)), None)


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


def _ask(repository: Repository, membership: Membership, verb: str, *words: str, traced: bool = False) -> Done:
    """Have git talk to the remote. RemoteError, with what a person can do about it here, where that is known."""
    with _ready(repository, membership.remote) as ready:
        try:
            return git.remote(ready, verb, *words, traced=traced)
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
    with suppress(GitError):
        return _hint_of_network(repository, remote, error)
    return None


def _hint_of_network(repository: Repository, remote: str, error: RemoteError) -> str | None:
    from memd.team import helpers  # noqa: PLC0415 - seldom needed, and slow to import
    from memd.team.remote_errors import ACCESS, NO_WAY  # noqa: PLC0415

    ways, said = kinds(repository, remote), error.said.lower()
    if error.outcome is Outcome.OFFLINE and "https" in ways and (not said or NO_WAY.search(said)):
        return helpers.of_silence(repository, remote)
    if error.outcome is not Outcome.DENIED or not ACCESS.search(said):
        return None
    lacking = credentials.lacking(ways, repository.environ)
    return lacking or (helpers.of_access(repository, remote, said) if "https" in ways else None)


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

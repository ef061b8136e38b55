"""What is asked of the remote: its branch, and to take ours."""

from __future__ import annotations

from memd.memory.membership import Membership
from memd.team import git
from memd.team.git import Repository
from memd.team.nouns import RemoteError

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


def fetch(repository: Repository, membership: Membership) -> str | None:
    """Get the branch; its commit, None where the remote has no such branch. RemoteError where it cannot be asked.

    One network command, whether there is something new or not.
    """
    from memd.team import objects  # noqa: PLC0415 - slow to import, and most syncs only look at the tip

    refspec = f"+{_branch(membership)}:{objects.ARRIVED}"
    options = ("--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules")
    served = _served(membership, "upload-pack")
    try:
        git.remote(repository, "fetch", *options, *served, "--end-of-options", membership.remote, refspec)
    except RemoteError as error:
        if _NO_BRANCH in error.said and tip(repository, membership) is None:
            return None
        raise
    return objects.ref(repository, objects.ARRIVED)


def tip(repository: Repository, membership: Membership) -> str | None:
    """The commit of the branch as the remote names it; None where there is no such branch."""
    branch = _branch(membership)
    served = _served(membership, "upload-pack")
    done = git.remote(repository, "ls-remote", *served, "--end-of-options", membership.remote, branch)
    found = [line.partition("\t") for line in done.out.decode(errors="replace").splitlines()]
    return next((oid for oid, _, name in found if name == branch), None)


def in_the_way(repository: Repository, membership: Membership) -> str | None:
    """A branch of the remote's above or below ours, beside which git cannot make it; None where there is none."""
    branch = _branch(membership)
    parts = branch.split("/")
    above = {"/".join(parts[:length]) for length in range(3, len(parts))}
    served = _served(membership, "upload-pack")
    asked = (*sorted(above), f"{branch}/*")
    done = git.remote(repository, "ls-remote", *served, "--end-of-options", membership.remote, *asked)
    names = (line.partition("\t")[2] for line in done.out.decode(errors="replace").splitlines())
    found = (name for name in names if name in above or name.startswith(f"{branch}/"))
    return next((name.removeprefix("refs/heads/") for name in found), None)


def push(repository: Repository, membership: Membership, commit: str) -> None:
    """Give it our commit; never by force. OvertakenError where the branch has moved on."""
    options = ("--quiet", "--no-verify", "--no-follow-tags", "--no-thin", "--recurse-submodules=no")
    served = _served(membership, "receive-pack")
    refspec = f"{commit}:{_branch(membership)}"
    git.remote(repository, "push", *options, *served, "--end-of-options", membership.remote, refspec)


def _served(membership: Membership, program: str) -> tuple[str, ...]:
    """How the other side is started where that is a directory on this machine: without its own commands."""
    if not membership.remote.startswith(("/", "~", "file://")):
        return ()
    settings = " ".join(f"-c {setting}" for setting in _WITHOUT)
    return (f"--{program}=git {settings} {program}",)


def _branch(membership: Membership) -> str:
    return f"refs/heads/{membership.branch}"

"""What is asked of the remote: its branch, and to take ours."""

from __future__ import annotations

from memd.memory.membership import Membership
from memd.team import git, objects
from memd.team.git import Repository
from memd.team.nouns import RemoteError
from memd.team.objects import ARRIVED

_NO_BRANCH = "couldn't find remote ref"


def fetch(repository: Repository, membership: Membership) -> str | None:
    """Get the branch; its commit, None where the remote has no such branch. RemoteError where it cannot be asked.

    One network command, whether there is something new or not.
    """
    refspec = f"+{_branch(membership)}:{ARRIVED}"
    options = ("--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules")
    try:
        git.remote(repository, "fetch", *options, "--end-of-options", membership.remote, refspec)
    except RemoteError as error:
        if _NO_BRANCH in error.said and tip(repository, membership) is None:
            return None
        raise
    return objects.ref(repository, ARRIVED)


def tip(repository: Repository, membership: Membership) -> str | None:
    """The commit of the branch as the remote names it; None where there is no such branch."""
    done = git.remote(repository, "ls-remote", "--end-of-options", membership.remote, _branch(membership))
    found = [line.partition("\t") for line in done.out.decode(errors="replace").splitlines()]
    return next((oid for oid, _, name in found if name == _branch(membership)), None)


def push(repository: Repository, membership: Membership, commit: str) -> None:
    """Give it our commit; never by force. OvertakenError where the branch has moved on."""
    options = ("--quiet", "--no-verify", "--no-follow-tags", "--no-thin", "--recurse-submodules=no")
    git.remote(repository, "push", *options, "--end-of-options", membership.remote, f"{commit}:{_branch(membership)}")


def _branch(membership: Membership) -> str:
    return f"refs/heads/{membership.branch}"

"""Memories that are shared: whether both sides are in step, what is held back, and to whom it all goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memd import git_address
from memd.cli import team_line, team_words
from memd.cli.checkup.examined import Examined
from memd.cli.checkup.finding import Finding, fail, ok, warn
from memd.cli.words import ago, counted, shown
from memd.clock import SystemClock
from memd.memory import membership
from memd.memory.membership import Membership
from memd.team import git, last
from memd.team.git import Repository
from memd.team.last import Last
from memd.team.nouns import PASSING, GitError, Outcome

_NAME = "team memory"
_LATE = 6  # intervals after which a sync should have been


def shared(of: Examined) -> Iterator[Finding]:
    """Every team memory of this person."""
    paths, settings = of.here.paths, of.settings
    for place in membership.damaged(paths):
        yield warn(
            _NAME, f"the record in {shown(str(place))} cannot be read", "`memd team init` again, as the first time"
        )
    joined = membership.current(paths, settings)
    if not joined:
        yield ok(_NAME, "none is shared")
        return
    if trouble := _git(of):
        yield fail(_NAME, trouble, f"install git {'.'.join(map(str, git.NEEDED))} or newer")
        return
    for one in joined:
        yield from _one(one, of)


def _git(of: Examined) -> str | None:
    """What is wrong with git itself."""
    try:
        git.require_new_enough(Repository(path=Path("/"), environ=of.environ))
    except GitError as error:
        return str(error)
    return None


def _one(one: Membership, of: Examined) -> Iterator[Finding]:
    known, now = last.load(one), SystemClock().now().timestamp()
    where = f"{shown(one.project.name)} with {team_words.place(one)}"
    if known is None:
        yield warn(_NAME, f"{where}: never synced yet", "`memd team sync` there does it now")
        return
    if known.failures:
        said = f"{where}: {team_words.trouble(known.outcome, known.reason, known.hint)}"
        level = warn if known.outcome in PASSING else fail
        yield level(_NAME, said, _hint(one, known))
    elif now - (known.good_at or 0.0) > _LATE * of.settings.team.pull:
        yield warn(_NAME, f"{where}: last synced {ago(known.good_at or 0.0, now)}", "does the daemon run?")
    else:
        waiting = team_line.to_send(one)
        said = f"{counted(waiting, 'file')} to send, last in step" if waiting else "in step"
        yield ok(_NAME, f"{where}: {said} {ago(known.good_at or now, now)}; what stands in team/ leaves the machine")
    if known.held:
        yield warn(_NAME, f"{where}: {counted(len(known.held), 'file')} held back", "`memd team status` there says why")


def _hint(one: Membership, known: Last) -> str:
    """What to do about a sync that fails: as the daemon, not as the terminal that may hold a key."""
    if known.outcome in PASSING:
        return "nothing is lost; it is tried again by itself"
    kind = git_address.kind(one.remote) if known.outcome is Outcome.DENIED else None
    if kind == "https":
        return (
            "does `memd team sync` work there from a terminal? Then git has the password where the service cannot get"
            " it, such as in a desktop's keyring: keep it in a file (`credential.helper store`), in ~/.netrc or by"
            " `gh auth login --insecure-storage`; `memd install` gives the service those"
        )
    if kind is not None:
        return "does `memd team sync` work there from a terminal? Then `memd install` gives the daemon the same"
    return "`memd team status` there tells more"

"""`memd team status`: with whom a project shares its memories, and how that stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from memd import git_address
from memd.cli import team_words
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.project import switch, warn_of_problems
from memd.cli.runs import ledger_if_there
from memd.cli.words import ago, counted, iso, shown, switch_reason, valid
from memd.clock import SystemClock
from memd.daemon import lock
from memd.errors import DaemonNotRunningError
from memd.memory import membership
from memd.memory.enabled import Enabled
from memd.memory.membership import Membership
from memd.team import base as bases
from memd.team import git, last, snapshot, unshared
from memd.team.git import Repository
from memd.team.last import Last
from memd.team.nouns import PASSING, GitError, HeldBack
from memd.team.snapshot import Live
from memd.team.unshared import Left

UNNAMED = (
    'team mates see "memd" beside what you write: `git config --global user.name "Your Name"`, and the same with'
    " user.email, names you from the next change on"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Everything that the screen shows."""

    one: Membership
    known: Last | None
    live: Live
    waiting: tuple[str, ...]  # files that the remote does not have as they are here
    held: tuple[HeldBack, ...]
    left: Left  # what stands there and is no memory
    switch: Enabled
    daemon: bool  # whether somebody syncs by himself
    unnamed: bool  # whether others see memd's name for this person's
    paused_at: float | None  # since when `memd pause` keeps him from it, in seconds since the epoch

    @property
    def files(self) -> int:
        """How many memories are shared; what is held back is not."""
        return len(self.live.blobs.keys() - {one.path for one in self.held})

    @property
    def exit_code(self) -> int:
        """5: no access; 1: something else is wrong; 3: no daemon runs. Being offline is fine."""
        known = self.known
        if known is not None and known.failures and known.outcome not in PASSING:
            return team_words.exit_code(known.outcome)
        return 0 if self.daemon else DaemonNotRunningError.exit_code


@click.command()
@project_option
@json_option
def status(*, directory: str, as_json: bool) -> int:
    """Show with whom this project shares its memories, what waits to be sent, and what is in the way.

    Exit code 3: no daemon syncs by itself; 5: the repository gives no access; 1: something else keeps both sides apart.
    """
    surroundings = here()
    place = surroundings.memory_dir(directory)
    warn_of_problems(place)
    one = membership.find(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    if one is None:
        if as_json:
            print_json({"project": valid(str(place.root)), "team": None})
        else:
            click.echo(f"{shown(str(place.root))} shares no memories: `memd team init --remote URL` lets it.")
        return 0
    found = _standing(surroundings, one, switch(surroundings, place))
    if as_json:
        print_json({"project": valid(str(place.root)), "team": _document(found)})
    else:
        for label, text in _lines(found, SystemClock().now().timestamp()):
            click.echo(f"{label:<10} {text}")
    return found.exit_code


def _standing(surroundings: Here, one: Membership, said: Enabled) -> Standing:
    base = bases.load(one.directory)
    live = snapshot.look(one.memory_dir, base)
    edits = snapshot.edits(live, base)
    known = last.load(one)
    with ledger_if_there(surroundings) as ledger:
        paused_at = None if ledger is None else ledger.paused_at()
    in_history = () if known is None else tuple(held for held in known.held if held in base.unsendable)
    return Standing(
        one=one,
        known=known,
        live=live,
        waiting=tuple(sorted({*base.unsent, *edits.changes})),
        held=tuple(dict.fromkeys((*edits.held, *in_history))),
        left=unshared.look(one.memory_dir),
        switch=said,
        daemon=lock.running(surroundings.paths.lock) is not None,
        unnamed=is_unnamed(surroundings),
        paused_at=paused_at,
    )


def _lines(found: Standing, now: float) -> Iterator[tuple[str, str]]:
    one, known = found.one, found.known
    yield "team", f"{team_words.standing(known, now, len(found.waiting))} with {team_words.place(one)}"
    if known is not None and known.failures:
        yield "", team_words.trouble(known.outcome, known.reason, known.hint)
    if not found.switch.on:
        yield "memory", f"OFF: {switch_reason(found.switch.reason)}; nothing is synced"
    if found.paused_at is not None:
        yield "", f"PAUSED {ago(found.paused_at, now)}: nothing is synced by itself until `memd resume`"
    yield "project", shown(str(one.project))
    yield "shared", f"{counted(found.files, 'file')} in {shown(str(one.team))}"
    if found.unnamed:
        yield "no name", UNNAMED
    yield "last sync", _last(known, now)
    if found.waiting:
        yield "to send", f"{counted(len(found.waiting), 'file')}: {team_words.named(found.waiting)}"
    yield from (("held back", team_words.held_back(held)) for held in found.held)
    yield from (("not shared", line) for line in team_words.unshared(found.left))
    yield from _of_the_remote(known, now)
    if not found.daemon:
        yield (
            "daemon",
            "NOT RUNNING, so nothing is synced by itself: `memd team sync` does it once, `memd install` for good",
        )


def _last(known: Last | None, now: float) -> str:
    if known is None or known.good_at is None:
        return "never"
    changed = "nothing has changed yet" if known.changed_at is None else f"last change {ago(known.changed_at, now)}"
    moved = f" ({known.sent} sent, {known.received} received)" if known.changed_at is not None else ""
    return f"{ago(known.good_at, now)}, {changed}{moved}"


def _of_the_remote(known: Last | None, now: float) -> Iterator[tuple[str, str]]:
    """What came of the others' side."""
    if known is None:
        return
    for refused in known.refused:
        yield "not taken", f"{shown(refused.path)}, of the remote: {shown(refused.reason)}"
    for clash in known.clashes:
        if now - clash.at < last.FRESH:
            way = f": `memd diff {clash.run}` shows yours" if clash.run is not None else ""
            yield "conflict", f"{shown(clash.path)}, {ago(clash.at, now)}; the other edit stands{way}"
    if known.rewritten_at is not None and now - known.rewritten_at < last.FRESH:
        yield "rewritten", f"the remote's history was found to be another one {ago(known.rewritten_at, now)}"
    if known.repaired:
        yield "repaired", f"memd's own repository was damaged; it is set aside as {shown(known.repaired)}"


def _document(found: Standing) -> dict[str, Any]:
    one, known = found.one, found.known
    document = {
        "remote": git_address.shown(one.remote),
        "branch": one.branch,
        "by": one.by,
        "joined": one.joined,
        "memory_dir": valid(str(one.memory_dir)),
        "team_dir": valid(str(one.team)),
        "files": found.files,
        "enabled": found.switch.on,
        "unnamed": found.unnamed,
        "daemon": found.daemon,
        "paused": iso(found.paused_at),
        "waiting": [valid(path) for path in found.waiting],
        "held": [asdict(held) for held in found.held],
        **team_words.described_unshared(found.left),
    }
    return {**document, **_past(known)}


def is_unnamed(surroundings: Here) -> bool:
    """Whether team mates see memd's name and not this person's, as git was never told it."""
    with suppress(GitError):
        return git.identity(Repository(path=Path("/"), environ=surroundings.environ)) is None
    return False


def _past(known: Last | None) -> dict[str, Any]:
    if known is None:
        return {"outcome": None, "last_sync": None}
    return {
        "outcome": str(known.outcome),
        "reason": known.reason and valid(known.reason),
        "hint": known.hint,
        "last_sync": iso(known.good_at),
        "last_try": iso(known.at),
        "failing_since": iso(known.failing_since),
        "last_change": iso(known.changed_at),
        "refused": [asdict(one) for one in known.refused],
        "conflicts": [{"path": one.path, "at": iso(one.at), "run": one.run} for one in known.clashes],
        "rewritten": iso(known.rewritten_at),
        "repaired": known.repaired,
    }

"""What commands for all of a memory say of the part that a team shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memd import git_address
from memd.cli import origin, team_words
from memd.cli.here import Here
from memd.cli.words import ago, counted, iso, shown, valid
from memd.clock import SystemClock
from memd.config import Paths
from memd.errors import MemdError
from memd.ledger import Ledger
from memd.memory import authors, history, layout, membership, standing
from memd.memory.authors import Author
from memd.memory.layout import TEAM
from memd.memory.location import MemoryDir
from memd.memory.membership import Membership
from memd.team import last
from memd.team.last import Clash, Last


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """With whom, and how it stands."""

    one: Membership
    known: Last | None
    waiting: int = 0  # files that the remote does not have as they are here
    clashes: tuple[Clash, ...] = ()  # edits of this person's that gave way, and that nobody has looked at since

    @property
    def is_well(self) -> bool:
        """Whether nobody needs to look."""
        return self.known is not None and not self.known.failures and not self.known.held


def found(surroundings: Here, place: MemoryDir, ledger: Ledger | None) -> Shared | None:
    """A project's, None where it shares nothing."""
    one = membership.find(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path)
    if one is None:
        return None
    return Shared(one=one, known=last.load(one), waiting=to_send(one), clashes=clashes(surroundings, one, ledger))


def clashes(surroundings: Here, one: Membership, ledger: Ledger | None) -> tuple[Clash, ...]:
    """The edits made here that gave way to a team mate's, and that nobody has looked at since."""
    known = last.load(one)
    if known is None or not known.clashes:
        return ()
    dreamt_at = None if ledger is None else ledger.dreamt(str(one.memory_dir)).dreamt_at
    undone = standing.undone(history.runs(surroundings.paths.history))
    return last.open_clashes(known, SystemClock().now().timestamp(), dreamt_at=dreamt_at or 0.0, undone=undone)


def gave_way(found: Sequence[Clash]) -> str:
    """Count and name them, with the way to what was lost."""
    return f"{counted(len(found), 'conflict')}: " + "; ".join(map(_gave_way, found))


def _gave_way(one: Clash) -> str:
    way = "" if one.run is None else f", yours is kept: `memd diff {one.run}`"
    return f"{TEAM}/{shown(one.path)}, a team mate's edit stands{way}"


def lost_edits(paths: Paths) -> Mapping[int, tuple[str, ...]]:
    """The files whose edits gave way, by the run that holds them, as far as that is remembered."""
    found: dict[int, tuple[str, ...]] = {}
    for known in filter(None, map(last.load, membership.known(paths))):
        for clash in known.clashes:
            if clash.run is not None:
                found[clash.run] = (*found.get(clash.run, ()), f"{TEAM}/{clash.path}")
    return found


def to_send(one: Membership) -> int:
    """How many files the remote does not have as they are here; 0 where that cannot be told."""
    from memd.team import sync  # noqa: PLC0415 - slow to import, and most projects share nothing

    with suppress(OSError, MemdError):
        return len(sync.waiting(one))
    return 0


def lines(shared: Shared | None, now: float) -> Iterator[tuple[str, str]]:
    """A line or two; none where nothing is shared."""
    if shared is None:
        return
    known = shared.known
    when = f", {ago(known.good_at, now)}" if known is not None and known.good_at is not None else ""
    yield "team", f"{team_words.standing(known, now, shared.waiting)} with {team_words.place(shared.one)}{when}"
    yield "", "what stands in team/ goes there; nothing else does"
    yield from (("", f"conflict {ago(one.at, now)}: {_gave_way(one)}") for one in shared.clashes)
    if not shared.is_well:
        held = "" if known is None or not known.held else f"{counted(len(known.held), 'file')} held back: "
        yield "", f"{held}`memd team status` tells more"


def described(shared: Shared | None) -> dict[str, Any]:
    """The same for programs; nothing where nothing is shared."""
    if shared is None:
        return {}
    known = shared.known
    return {
        "team": {
            "remote": git_address.shown(shared.one.remote),
            "branch": shared.one.branch,
            "outcome": None if known is None else str(known.outcome),
            "last_sync": None if known is None else iso(known.good_at),
            "held": 0 if known is None else len(known.held),
            "conflicts": [{"path": one.path, "at": iso(one.at), "run": one.run} for one in shared.clashes],
        }
    }


def concerned(surroundings: Here, paths: Iterable[str], *, root: Path, memory_dir: Path) -> Mapping[str, Author | None]:
    """Which of these files, if they are changed, change for a whole team, and who wrote each, as far as is known."""
    shared = [path for path in paths if layout.is_shared(path) and Path(path).name != layout.INDEX]
    if not shared or not membership.is_on(surroundings.paths, surroundings.settings, root=root, memory_dir=memory_dir):
        return {}
    known = authors.of(surroundings.paths, memory_dir)
    return {path: known.get(path) for path in sorted(shared)}


def warning(everybodys: Mapping[str, Author | None]) -> str:
    """Say that it is not a person's own memory alone that would change."""
    named = (f"{shown(path)} ({authors.in_words(one)})".removesuffix(" ()") for path, one in everybodys.items())
    return f"this goes for everybody who shares this memory, with the next sync: {', '.join(named)}"


def described_concerned(everybodys: Mapping[str, Author | None]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [{"file": valid(path), **origin.described(path, author)} for path, author in everybodys.items()]

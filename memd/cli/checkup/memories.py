"""The memories of all known projects: whether they can be read, and what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memd.cli import held, passed_over, team_line
from memd.cli.checkup.examined import Examined
from memd.cli.checkup.finding import Finding, fail, ok, warn
from memd.cli.project import SLUG_TAKEN, switch
from memd.cli.runs import ledger_if_there
from memd.cli.words import counted, shown, switch_reason
from memd.memory import membership, scan, usable
from memd.memory.location import MemoryDir

_UNREADABLE = frozenset({"header-not-closed", "header-not-yaml", "no-frontmatter", "not-utf8", "unreadable"})
_SHOWN = 3


def here(of: Examined) -> Iterator[Finding]:
    """Whether memory is on for this project."""
    said = switch(of.here, of.place)
    where = shown(str(of.place.root))
    if said.reason == SLUG_TAKEN:
        yield warn("project", f"{where}: {switch_reason(said.reason)}", "`memd project show` says how to get its own")
    else:
        yield ok("project", f"{where}: memory is {'on' if said.on else 'OFF'} ({switch_reason(said.reason)})")
    for problem in of.place.problems:
        yield warn("project", shown(problem))


def topics(of: Examined) -> Iterator[Finding]:
    """Whether every topic file of every known project can be read."""
    count, odd = 0, []
    for place in _places(of):
        if trouble := usable.trouble(place.path):
            yield fail("memories", shown(trouble), "nothing is lost: it is tried again once that is mended")
            continue
        headers = scan.scan(place.path, cache=of.here.paths.headers)
        count += len(headers)
        odd += [place.path / one.path for one in headers if _UNREADABLE.intersection(one.problems)]
        odd += [place.path / one.path for one in passed_over.found(place, ())]
    if odd:
        names = ", ".join(shown(str(path)) for path in odd[:_SHOWN]) + (" …" if len(odd) > _SHOWN else "")
        yield warn("memories", f"{counted(len(odd), 'file')} cannot be read as a memory: {names}", "correct the header")
    else:
        yield ok("memories", f"{counted(count, 'memory', 'memories')}, all of them readable")


def _places(of: Examined) -> tuple[MemoryDir, ...]:
    with ledger_if_there(of.here) as ledger:
        roots = () if ledger is None else {one.root for one in ledger.sessions() if one.root}
    found = [of.place, *(of.here.of_root(Path(root)) for root in sorted(roots))]
    return tuple({place.path: place for place in found}.values())


def review(of: Examined) -> Iterator[Finding]:
    """Whether something waits for a decision, or for somebody to look."""
    count = len(held.waiting(of.here.paths, None))
    if count:
        yield warn("review", f"{counted(count, 'proposal')} held", "`memd review list`")
    lost = tuple(_conflicts(of))
    yield from lost
    if not count and not lost:
        yield ok("review", "nothing waits for you")


def _conflicts(of: Examined) -> Iterator[Finding]:
    """The edits of this person's that gave way to a team mate's."""
    with ledger_if_there(of.here) as ledger:
        for one in membership.current(of.here.paths, of.settings):
            if found := team_line.clashes(of.here, one, ledger):
                yield warn(
                    "review",
                    f"{shown(one.project.name)}: {team_line.gave_way(found)}",
                    "`memd edit` brings both together; a dream looks at it, too",
                )

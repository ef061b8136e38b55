"""The backend that dreams without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from memd.agent import fates
from memd.agent.backend import Dream, Task, Usage
from memd.agent.fates import Claim, Fate
from memd.agent.offline.dreaming import merging, notes, over, pages
from memd.agent.offline.dreaming.notes import Shelf
from memd.agent.offline.dreaming.pages import Page

_SHARE = 4  # at most one in so many topics is let go in a night because it is over


class OfflineDream:
    """Deterministic, English and Chinese, without a network."""

    name = "offline"

    def propose(self, task: Task) -> Usage:
        """Work through the notes and the topics, and say what became of each."""
        dream = task.dream or Dream()
        today = (task.now or datetime.now(UTC)).date()
        found = pages.read(task.workspace.memory, dream, task.protected)
        shelf = Shelf(found)
        claims = [*notes.distil(dream.notes, shelf, today), *merging.merge(shelf.pages), *_let_go(shelf.pages, today)]
        pages.write(task.workspace.memory, shelf.pages)
        task.workspace.bullets.write_text(fates.render(_followed(claims)), encoding="utf-8")
        return Usage()


def _let_go(there: Sequence[Page], today: date) -> Iterator[Claim]:
    """The facts that are over, the oldest first; more than a share of all topics only in further nights."""
    old = [page for page in there if page.data is not None]
    staying = [page for page in there if not page.gone]
    ended = [(day, page) for page in staying if page.data is not None and (day := over.since(page, today)) is not None]
    room, size = len(old) // _SHARE, sum(len(page.body) for page in old) // _SHARE
    for day, page in sorted(ended, key=lambda pair: (pair[0], pair[1].path)):
        room, size = room - 1, size - len(page.body)
        if room < 0 or size < 0:
            return
        page.gone = True
        yield Claim(fate=Fate.REMOVED, path=page.path, why=f"over since {day.isoformat()}")


def _followed(claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims, each with the topic in which it ended: one that took a note in may have gone into another since."""
    moved = {claim.path: claim for claim in claims if claim.path is not None}
    for claim in claims:
        into, why = claim.into, claim.why
        while into is not None and (further := moved.get(into)) is not None:
            into, why = further.into, further.why
        if claim.into is None or into is not None:
            yield replace(claim, into=into)
        elif claim.number is not None:
            yield Claim(fate=Fate.DROPPED, number=claim.number, why=fates.SUPERSEDED)
        else:
            yield Claim(fate=Fate.REMOVED, path=claim.path, why=why)

"""Topics that say the same become one; of two that contradict each other the later one stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from memd.agent.fates import Claim, Fate
from memd.agent.offline.dreaming import alike, pairs, reasons
from memd.agent.offline.dreaming.pages import Page
from memd.memory.quotes import EvidenceClass
from memd.memory.sameness import Sameness
from memd.memory.topic import TopicType

Near = Callable[[Sequence[str]], Iterable[tuple[int, int]]]

_LOWEST_FIRST = (EvidenceClass.OUTSIDE, EvidenceClass.AGENT, EvidenceClass.HUMAN)


def merge(pages: Sequence[Page], near: Near = pairs.neighbours) -> Iterator[Claim]:
    """Go through all pairs of topics, the older one first, and say what became of those that went.

    `near` tells which pairs of statements are worth it.
    """
    for kind in TopicType:
        ordered = sorted((one for one in pages if one.kind is kind), key=lambda one: (one.at, one.path))
        for first, second in list(near([one.statement for one in ordered])):
            older, newer = ordered[first], ordered[second]
            if not (older.gone or newer.gone or older.pinned or newer.pinned) and (claim := _judged(older, newer)):
                yield claim


def _judged(older: Page, newer: Page) -> Claim | None:
    match alike.judge(older.statement, newer.statement):
        case Sameness.SAID:
            return _into(newer, older) or _into(older, newer, only_same=True)
        case Sameness.FULLER:
            return _into(older, newer)
        case Sameness.DIFFERENT if newer.at > older.at and rank(newer) >= rank(older):
            return _superseded(older, newer)
        case _:
            return None


def rank(page: Page) -> int:
    """Whose words it stands on, as a number: a lower one never takes a higher one's place."""
    return _LOWEST_FIRST.index(page.evidence_class)


def _into(going: Page, staying: Page, *, only_same: bool = False) -> Claim | None:
    """Let one topic go into another, which then holds all that it said; None, and nothing done, where it cannot."""
    if not going.may_go or rank(going) > rank(staying):
        return None
    if only_same and alike.judge(staying.statement, going.statement) is not Sameness.SAID:
        return None
    body, quotes = reasons.taken_in(staying.body, going.body)
    if not reasons.says_no_more(body, going.body):
        return None
    if quotes and (staying.protected or rank(going) < rank(staying)):
        return None
    staying.body = body
    staying.quotes += quotes
    staying.at = max(staying.at, going.at)
    going.gone = True
    return Claim(fate=Fate.MERGED, path=going.path, into=staying.path)


def _superseded(older: Page, newer: Page) -> Claim | None:
    if not older.may_go:
        return None
    older.gone = True
    return Claim(fate=Fate.REMOVED, path=older.path, why=f"superseded by {newer.path}")

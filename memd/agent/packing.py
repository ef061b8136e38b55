"""What of a conversation fits into one look: packed by what it is worth, to a budget of tokens.

People's own words are shown whole, always, and the question that a short answer answers beside it; then come the last
words of each of the assistant's turns, its other words, and what tools said. What has no room even when it is cut goes
on in a further part.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memd.agent import cutting, dividing, encoding
from memd.agent.dividing import OVERHEAD, START, Item, Place, Worth
from memd.memory.quotes import Speaker, Utterance

BUDGET = 30_000  # tokens of one part: three requests with it stay within what a pass may send
SMALLEST = 1_500  # tokens; a lower budget counts as this

_WHOLE = 1 << 40
_LEVELS = {  # tokens an utterance may have: the first at which all of its worth have room
    Worth.ASKED: (_WHOLE, 1_200, 600),
    Worth.CLOSING: (_WHOLE, 1_200, 600, 300),
    Worth.ASIDE: (_WHOLE, 600, 300, 120, 60),
    Worth.TOOL: (300, 120, 60),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An utterance, perhaps cut, and its place in the conversation, from 1."""

    number: int
    said: Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What is left out at a place: how many messages of the assistant's, and how many results of tools."""

    messages: int
    results: int

    def __str__(self) -> str:
        """In words for a model."""
        counted = ((self.messages, "message", "of the assistant"), (self.results, "result", "of tools"))
        return ", ".join(f"{n} {what}{'s' if n > 1 else ''} {whose}" for n, what, whose in counted if n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is shown in one look. Where there are several parts, each is worked through with what the last one left."""

    lines: tuple[Piece | Gap, ...]
    number: int = 1
    of: int = 1
    begins: Place = START


def pack(said: Sequence[Utterance], *, budget: int = BUDGET, since: Place = START) -> tuple[Part, ...]:
    """The conversation in parts of at most about `budget` tokens each; whole and in one part where it fits.

    What lies before `since`, where a part of an earlier packing began, is left out; numbers and words stay the same.
    """
    if _is_whole(said, budget, since):
        return (_whole(said),) if said else ()
    room = _room(budget)
    groups = list(dividing.grouped(dividing.items(said, room, since), room, since))
    return tuple(_part(group, room, number, len(groups), since) for number, group in enumerate(groups, 1))


def first(said: Sequence[Utterance], *, budget: int = BUDGET, since: Place = START) -> tuple[Part, Place | None]:
    """The first of these parts, and where the second begins; None: there is none.

    Of what comes after that no more than its length is looked at: `of` says about how many parts there are in all.
    """
    if _is_whole(said, budget, since):
        return _whole(said), None
    room = _room(budget)
    group, *second = itertools.islice(dividing.grouped(dividing.items(said, room, since), room, since), 2)
    of = max(2, dividing.about(said, room, since)) if second else 1
    return _part(group, room, 1, of, since), dividing.begins(second[0]) if second else None


def _is_whole(said: Sequence[Utterance], budget: int, since: Place) -> bool:
    return not said or (since == START and encoding.tokens(encoding.lines(said)) <= budget)


def _whole(said: Sequence[Utterance]) -> Part:
    return Part(lines=tuple(Piece(number=number, said=one) for number, one in enumerate(said, 1)))


def _room(budget: int) -> int:
    return max(budget, SMALLEST) - OVERHEAD


def _part(group: Sequence[Item], room: int, number: int, of: int, since: Place) -> Part:
    lines = tuple(_with_gaps(_filled(group, room)))
    return Part(lines=lines, number=number, of=of, begins=since if number == 1 else dividing.begins(group))


def _filled(group: Sequence[Item], room: int) -> list[tuple[Item, str | None]]:
    """Give what the least of everything leaves of the room to the worthiest first."""
    texts = [item.least for item in group]
    left = room - sum(item.cost for item in group)
    for worth, levels in _LEVELS.items():
        for place, text in _raised(group, worth, levels, left):
            left -= _price(group[place], text)
            texts[place] = text
    return list(zip(group, texts, strict=True))


def _raised(group: Sequence[Item], worth: Worth, levels: Sequence[int], room: int) -> Iterator[tuple[int, str]]:
    """Show as much of each as all of them can have; where they cannot all have the least, the latest are shown."""
    places = [place for place, item in enumerate(group) if item.worth is worth]
    full = {place: cutting.size(group[place].said.text) + OVERHEAD for place in places}
    shown = sum(group[place].cost for place in places)
    fits = (most for most in levels if sum(min(one, most + OVERHEAD) for one in full.values()) - shown <= room)
    level = next(fits, levels[-1])
    for place in reversed(places):
        if room < min(full[place], level + OVERHEAD) - group[place].cost:
            continue
        text = cutting.shortened(group[place].said.text, level)
        if len(text) > len(group[place].least or ""):
            room -= _price(group[place], text)
            yield place, text


def _price(item: Item, text: str) -> int:
    """How many more tokens it takes to show this text of an item."""
    return cutting.size(text) + OVERHEAD - item.cost


def _with_gaps(filled: Sequence[tuple[Item, str | None]]) -> Iterator[Piece | Gap]:
    missing: list[Speaker] = []
    for item, text in filled:
        if text is None:
            missing.append(item.said.speaker)
            continue
        yield from _gap(missing)
        missing = []
        yield Piece(number=item.number, said=replace(item.said, text=text))
    yield from _gap(missing)


def _gap(missing: Sequence[Speaker]) -> Iterator[Gap]:
    if missing:
        results = sum(one is Speaker.TOOL for one in missing)
        yield Gap(messages=len(missing) - results, results=results)

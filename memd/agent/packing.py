"""What of a conversation fits into one look: packed by what it is worth, to a budget of tokens.

People's own words are shown whole, always, and the question that a short answer answers beside it; then come the last
words of each of the assistant's turns, its other words, and what tools said. What has no room even when it is cut goes
on in a further part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from memd.agent import cutting, encoding
from memd.memory import speech, words
from memd.memory.quotes import Speaker, Utterance, own_words

BUDGET = 30_000  # tokens of one part: three requests with it stay within what a pass may send
SMALLEST = 1_500  # tokens; a lower budget counts as this

_PASTE = 400  # tokens of one paste in a person's message; of the rest none is lost
_QUESTION = 300  # of what a short answer answers
_CLOSING = 150  # of a turn's last words
_OVERHEAD = 64  # beside the words: number and speaker, a date, a remark on what is left out before it
_SHORT_ANSWER = 12  # words
_END = 0.25  # so much of a question's room goes to its message's beginning: it stands at the end


class Worth(IntEnum):
    """What an utterance is worth as evidence, the best first."""

    PERSON = 0
    ASKED = 1  # what a person's short answer answers
    CLOSING = 2  # the last words of a turn
    ASIDE = 3  # what the assistant said between its calls
    TOOL = 4


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    number: int
    said: Utterance
    worth: Worth
    least: str | None  # what is shown of it at any rate; None: nothing has to be

    @property
    def cost(self) -> int:
        """The tokens it takes at any rate."""
        return 0 if self.least is None else cutting.size(self.least) + _OVERHEAD


def pack(said: Sequence[Utterance], *, budget: int = BUDGET) -> tuple[Part, ...]:
    """The conversation in parts of at most about `budget` tokens; whole and in one part where it fits."""
    whole = tuple(Piece(number=number, said=one) for number, one in enumerate(said, 1))
    if not whole:
        return ()
    if encoding.tokens(encoding.lines(said)) <= budget:
        return (Part(lines=whole),)
    room = max(budget, SMALLEST) - _OVERHEAD
    groups = _grouped(_items(said, room), room)
    return tuple(
        Part(lines=tuple(_with_gaps(_filled(group, room))), number=number, of=len(groups))
        for number, group in enumerate(groups, 1)
    )


def _items(said: Sequence[Utterance], room: int) -> list[_Item]:
    """What there is to choose from; a message that is too long for half a part becomes several items."""
    items: list[_Item] = []
    for number, (one, worth) in enumerate(zip(said, _worths(said), strict=True), 1):
        least = _least(one.text, worth)
        pieces = [least] if least is None else list(cutting.split(least, room // 2 - _OVERHEAD))
        items += [_Item(number=number, said=one, worth=worth, least=piece) for piece in pieces]
    return items


def _worths(said: Sequence[Utterance]) -> list[Worth]:
    answered = _answered(said)
    worths: list[Worth] = []
    is_last = True  # of the assistant's words in its turn, seen from the end
    for place in range(len(said) - 1, -1, -1):
        match said[place].speaker:
            case Speaker.HUMAN:
                worths.append(Worth.PERSON)
                is_last = True
            case Speaker.TOOL:
                worths.append(Worth.TOOL)
            case Speaker.ASSISTANT:
                last = Worth.ASKED if place in answered else Worth.CLOSING
                worths.append(last if is_last else Worth.ASIDE)
                is_last = False
    return worths[::-1]


def _answered(said: Sequence[Utterance]) -> frozenset[int]:
    """The places of what a person's short answer answers: the assistant's words right before it."""
    found: set[int] = set()
    last = -1
    for place, one in enumerate(said):
        if one.speaker is Speaker.ASSISTANT:
            last = place
        elif one.speaker is Speaker.HUMAN:
            if last >= 0 and _is_answer(own_words(one.text)):
                found.add(last)
            last = -1
    return frozenset(found)


def _is_answer(text: str) -> bool:
    return speech.length(text) <= _SHORT_ANSWER or words.agrees(text)


def _least(text: str, worth: Worth) -> str | None:
    match worth:
        case Worth.PERSON:
            return cutting.without_long_pastes(text, _PASTE)
        case Worth.ASKED:
            return cutting.shortened(text, _QUESTION, front=_END)
        case Worth.CLOSING:
            return cutting.shortened(text, _CLOSING)
        case _:
            return None


def _grouped(items: Sequence[_Item], room: int) -> list[list[_Item]]:
    """Divide where the least of everything has no room in one part; turns stay whole where they fit into one."""
    groups: list[list[_Item]] = [[]]
    used = 0
    asked: _Item | None = None  # what the next answer answers
    for unit in _units(items, room):
        cost = sum(item.cost for item in unit)
        if groups[-1] and used + cost > room:
            repeated = [asked] if asked is not None and unit[0].worth is Worth.PERSON else []
            groups.append(repeated)
            used = sum(item.cost for item in repeated)
        groups[-1] += unit
        used += cost
        for item in unit:
            if item.said.speaker is not Speaker.TOOL:
                asked = item if item.worth is Worth.ASKED else None
    return groups


def _units(items: Sequence[_Item], room: int) -> Iterator[list[_Item]]:
    """Turns, each from a person's words on; of one that no part can hold beside a question, its items."""
    turns: list[list[_Item]] = []
    for item in items:
        if not turns or item.worth is Worth.PERSON:
            turns.append([])
        turns[-1].append(item)
    for turn in turns:
        if sum(item.cost for item in turn) <= room - _QUESTION - _OVERHEAD:
            yield turn
        else:
            yield from ([item] for item in turn)


def _filled(group: Sequence[_Item], room: int) -> list[tuple[_Item, str | None]]:
    """Give what the least of everything leaves of the room to the worthiest first."""
    texts = [item.least for item in group]
    left = room - sum(item.cost for item in group)
    for worth, levels in _LEVELS.items():
        for place, text in _raised(group, worth, levels, left):
            left -= _price(group[place], text)
            texts[place] = text
    return list(zip(group, texts, strict=True))


def _raised(group: Sequence[_Item], worth: Worth, levels: Sequence[int], room: int) -> Iterator[tuple[int, str]]:
    """Show as much of each as all of them can have; where they cannot all have the least, the latest are shown."""
    places = [place for place, item in enumerate(group) if item.worth is worth]
    full = {place: cutting.size(group[place].said.text) + _OVERHEAD for place in places}
    shown = sum(group[place].cost for place in places)
    fits = (most for most in levels if sum(min(one, most + _OVERHEAD) for one in full.values()) - shown <= room)
    level = next(fits, levels[-1])
    for place in reversed(places):
        if room < min(full[place], level + _OVERHEAD) - group[place].cost:
            continue
        text = cutting.shortened(group[place].said.text, level)
        if len(text) > len(group[place].least or ""):
            room -= _price(group[place], text)
            yield place, text


def _price(item: _Item, text: str) -> int:
    """How many more tokens it takes to show this text of an item."""
    return cutting.size(text) + _OVERHEAD - item.cost


def _with_gaps(filled: Sequence[tuple[_Item, str | None]]) -> Iterator[Piece | Gap]:
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

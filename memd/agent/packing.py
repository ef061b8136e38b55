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
class Place:
    """Where a part begins: at an utterance, behind so many characters of what is shown of it."""

    number: int = 1
    characters: int = 0


START = Place()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is shown in one look. Where there are several parts, each is worked through with what the last one left."""

    lines: tuple[Piece | Gap, ...]
    number: int = 1
    of: int = 1
    begins: Place = START


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    number: int
    said: Utterance
    worth: Worth
    least: str | None  # what is shown of it at any rate; None: nothing has to be
    at: int = 0  # characters of the same message that stand in items before

    @property
    def cost(self) -> int:
        """The tokens it takes at any rate."""
        return 0 if self.least is None else cutting.size(self.least) + _OVERHEAD


def pack(said: Sequence[Utterance], *, budget: int = BUDGET, since: Place = START) -> tuple[Part, ...]:
    """The conversation in parts of at most about `budget` tokens; whole and in one part where it fits.

    What lies before `since`, where a part of an earlier packing began, is left out; numbers and words stay the same.
    """
    whole = tuple(Piece(number=number, said=one) for number, one in enumerate(said, 1))
    if not whole:
        return ()
    if since == START and encoding.tokens(encoding.lines(said)) <= budget:
        return (Part(lines=whole),)
    room = max(budget, SMALLEST) - _OVERHEAD
    groups = _grouped(_items(said, room, since), room, since)
    return tuple(
        Part(
            lines=tuple(_with_gaps(_filled(group, room))),
            number=number,
            of=len(groups),
            begins=since if number == 1 else _begins(group),
        )
        for number, group in enumerate(groups, 1)
    )


def least_of_a_person(text: str) -> str:
    """What is shown of a person's message at any rate: all but the middle of long pastes."""
    return cutting.without_long_pastes(text, _PASTE)


def piece_of_a_person(text: str, start: int, end: int) -> str:
    """So many characters of that, in which what is pasted can be told apart still."""
    return cutting.piece_of(text, _PASTE, start, end)


def _items(said: Sequence[Utterance], room: int, since: Place) -> list[_Item]:
    """What there is to choose from; a message that is too long for half a part becomes several items."""
    most = min(room // 2, room - 2 * (_QUESTION + _OVERHEAD)) - _OVERHEAD  # with what follows it has room in one part
    items: list[_Item] = []
    for number, (one, worth) in enumerate(zip(said, _worths(said), strict=True), 1):
        at = since.characters if number == since.number else 0
        least = _least(one.text, worth) if number >= since.number or worth is Worth.ASKED else None
        for piece in [least] if least is None else cutting.split(least[at:], most):
            items.append(_Item(number=number, said=one, worth=worth, least=piece, at=at))
            at += len(piece or "")
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
            if last >= 0 and is_answer(own_words(one.text)):
                found.add(last)
            last = -1
    return frozenset(found)


def is_answer(text: str) -> bool:
    """Whether a person's own words may be no more than an answer to what was said before."""
    return speech.length(text) <= _SHORT_ANSWER or words.agrees(text)


def _least(text: str, worth: Worth) -> str | None:
    match worth:
        case Worth.PERSON:
            return least_of_a_person(text)
        case Worth.ASKED:
            return cutting.shortened(text, _QUESTION, front=_END)
        case Worth.CLOSING:
            return cutting.shortened(text, _CLOSING)
        case _:
            return None


def _grouped(items: Sequence[_Item], room: int, since: Place) -> list[list[_Item]]:
    """Divide where the least of everything has no room in one part; turns stay whole where they fit into one."""
    groups: list[list[_Item]] = [[]]
    used = 0
    asked: _Item | None = None  # what the next answer answers
    for turn in _turns(items):
        cost = sum(item.cost for item in turn)
        if turn[0].number >= since.number and (not groups[-1] or used + cost > room):
            answers = turn[0].worth is Worth.PERSON and not turn[0].at
            repeated = [asked] if asked is not None and answers else []
            groups = [*filter(None, groups), repeated]
            used = sum(item.cost for item in repeated)
        if turn[0].number >= since.number:
            groups[-1] += turn
            used += cost
        asked = _asked_by_now(turn, asked)
    return groups


def _asked_by_now(turn: Sequence[_Item], before: _Item | None) -> _Item | None:
    """What a person's next words would answer, if they are an answer."""
    last = next((item for item in reversed(turn) if item.said.speaker is not Speaker.TOOL), None)
    if last is None:
        return before
    return last if last.worth is Worth.ASKED else None


def _turns(items: Sequence[_Item]) -> list[list[_Item]]:
    """From a person's words on, or a piece of them; each has room in one part, beside a question."""
    turns: list[list[_Item]] = []
    for item in items:
        if not turns or item.worth is Worth.PERSON:
            turns.append([])
        turns[-1].append(item)
    return turns


def _begins(group: Sequence[_Item]) -> Place:
    """Every part but the first begins with a person's words, perhaps behind the question that they answer."""
    first = next(item for item in group if item.worth is Worth.PERSON)
    return Place(number=first.number, characters=first.at)


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

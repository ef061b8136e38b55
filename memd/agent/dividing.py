"""Where a conversation is divided that is too long for one look: what has to be shown of it at any rate, in groups.

Nothing is divided before it is asked for: the first part of a very long conversation costs little more than itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from memd.agent import cutting
from memd.memory import speech, words
from memd.memory.quotes import Speaker, Utterance, own_words

OVERHEAD = 64  # tokens beside the words: number and speaker, a date, a remark on what is left out before it
_PASTE = 400  # tokens of one paste in a person's message; of the rest none is lost
_QUESTION = 300  # of what a short answer answers
_CLOSING = 150  # of a turn's last words
_SHORT_ANSWER = 12  # words
_END = 0.25  # so much of a question's room goes to its message's beginning: it stands at the end


class Worth(IntEnum):
    """What an utterance is worth as evidence, the best first."""

    PERSON = 0
    ASKED = 1  # what a person's short answer answers
    CLOSING = 2  # the last words of a turn
    ASIDE = 3  # what the assistant said between its calls
    TOOL = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a part begins: at an utterance, behind so many characters of what is shown of it."""

    number: int = 1
    characters: int = 0


START = Place()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An utterance, or a piece of one, that a part may show."""

    number: int
    said: Utterance
    worth: Worth
    least: str | None  # what is shown of it at any rate; None: nothing has to be
    at: int = 0  # characters of the same message that stand in items before

    @property
    def cost(self) -> int:
        """The tokens it takes at any rate."""
        return 0 if self.least is None else cutting.size(self.least) + OVERHEAD


def grouped(items: Iterable[Item], room: int, since: Place) -> Iterator[list[Item]]:
    """Divide where the least of everything has no room in one part; turns stay whole where they fit into one.

    Nothing is looked at before it is asked for.
    """
    group: list[Item] = []
    used = 0
    asked: Item | None = None  # what the next answer answers
    for turn in _turns(items):
        cost = sum(item.cost for item in turn)
        if turn[0].number >= since.number and (not group or used + cost > room):
            if group:
                yield group
            answers = turn[0].worth is Worth.PERSON and not turn[0].at
            group = [asked] if asked is not None and answers else []
            used = sum(item.cost for item in group)
        if turn[0].number >= since.number:
            group += turn
            used += cost
        asked = _asked_by_now(turn, asked)
    yield group


def begins(group: Sequence[Item]) -> Place:
    """Every part but the first begins with a person's words, perhaps behind the question that they answer."""
    first = next(item for item in group if item.worth is Worth.PERSON)
    return Place(number=first.number, characters=first.at)


def about(said: Sequence[Utterance], room: int, since: Place) -> int:
    """About how many parts all from there on takes: from lengths alone, without dividing anything."""
    tokens = 0
    for number, (one, worth) in enumerate(zip(said, _worths(said), strict=True), 1):
        if number >= since.number and worth <= Worth.CLOSING:
            least = _least(one.text, worth) or ""
            size = cutting.size(least[since.characters :] if number == since.number else least)
            tokens += size + OVERHEAD * math.ceil(size / _most(room))
    return math.ceil(tokens / room)


@lru_cache(maxsize=4)
def least_of_a_person(text: str) -> str:
    """What is shown of a person's message at any rate: all but the middle of long pastes."""
    return cutting.without_long_pastes(text, _PASTE)


def piece_of_a_person(text: str, start: int, end: int) -> str:
    """So many characters of that, in which what is pasted can be told apart still."""
    return cutting.piece_of(text, _PASTE, start, end)


def items(said: Sequence[Utterance], room: int, since: Place) -> Iterator[Item]:
    """What there is to choose from; a message that is too long for half a part becomes several items."""
    for number, (one, worth) in enumerate(zip(said, _worths(said), strict=True), 1):
        at = since.characters if number == since.number else 0
        least = _least(one.text, worth) if number >= since.number or worth is Worth.ASKED else None
        for piece in [least] if least is None else cutting.split(least[at:], _most(room)):
            yield Item(number=number, said=one, worth=worth, least=piece, at=at)
            at += len(piece or "")


def _most(room: int) -> int:
    """The tokens of a piece of a message: with what follows, it has room in one part."""
    return min(room // 2, room - 2 * (_QUESTION + OVERHEAD)) - OVERHEAD


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


def _asked_by_now(turn: Sequence[Item], before: Item | None) -> Item | None:
    """What a person's next words would answer, if they are an answer."""
    last = next((item for item in reversed(turn) if item.said.speaker is not Speaker.TOOL), None)
    if last is None:
        return before
    return last if last.worth is Worth.ASKED else None


def _turns(items: Iterable[Item]) -> Iterator[list[Item]]:
    """From a person's words on, or a piece of them; each has room in one part, beside a question."""
    turn: list[Item] = []
    for item in items:
        if turn and item.worth is Worth.PERSON:
            yield turn
            turn = []
        turn.append(item)
    yield turn

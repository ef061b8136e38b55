"""Handing a conversation to the backend: what it was about before, and what may be spent on it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memd.agent import dividing, evidence, money
from memd.agent.backend import Task
from memd.agent.money import Purse
from memd.extract import turns
from memd.extract.house import House
from memd.extract.window import Window
from memd.ledger.nouns import EXTRACT, Mark
from memd.memory import forget
from memd.memory.forget import Bars
from memd.memory.quotes import Speaker, Utterance, own_words
from memd.transcripts import cursor as cursors
from memd.transcripts import tail
from memd.transcripts.lines import lines
from memd.transcripts.model import Cursor, Message, Role

HEAD_BYTES = 64 * 1024  # of a transcript, in which its beginning is looked for
_BEFORE_BYTES = 256 * 1024  # before a cursor, in which the question is looked for that a short answer answers
_QUESTION = 2_000  # characters of it: its end, where questions stand


def beginning(new: Window, barred: Bars, house: House, *, resumes: bool) -> tuple[Utterance, ...]:
    """How a conversation began that an earlier pass has seen a part of, for context; from the first bytes alone."""
    if house.account is None or (new.reading.from_start and not resumes):
        return ()
    first = house.transcripts.read(Path(new.session.path), Cursor(), most=HEAD_BYTES)
    messages = _open_to_passes(first.messages, new, house)
    return evidence.head(forget.without(evidence.beginning(messages, house.clock.now().tzinfo), barred))


def question(said: Sequence[Utterance], new: Window, barred: Bars, house: House) -> Utterance | None:
    """What the assistant asked before the cursor, where what is new begins with a short answer to it."""
    if house.account is None or new.reading.from_start or not _begins_with_an_answer(said):
        return None
    asked = _last_words_before(new, house)
    if asked is None or asked.role is not Role.ASSISTANT:
        return None
    words = forget.without(evidence.clean([asked], house.clock.now().tzinfo), barred)
    spoken = (one for one in words if one.speaker is Speaker.ASSISTANT)
    return next((replace(one, text=_end_of(one.text)) for one in spoken), None)


def _begins_with_an_answer(said: Sequence[Utterance]) -> bool:
    return bool(said) and said[0].speaker is Speaker.HUMAN and dividing.is_answer(own_words(said[0].text))


def _last_words_before(new: Window, house: House) -> Message | None:
    """The last message before the cursor that somebody wrote words in."""
    ahead = cursors.loads(new.session.cursor).offset
    start = _start_of_a_line(Path(new.session.path), max(0, ahead - _BEFORE_BYTES))
    before = house.transcripts.read(Path(new.session.path), Cursor(offset=start), most=max(1, ahead - start))
    known = frozenset(new.uuids)
    older = tuple(itertools.takewhile(lambda message: message.uuid not in known, before.messages))
    spoken = (one for one in reversed(older) if one.role is not Role.INJECTED and one.text)
    last = next(spoken, None)
    return last if last is not None and _open_to_passes([last], new, house) else None


def _open_to_passes(messages: Sequence[Message], new: Window, house: House) -> tuple[Message, ...]:
    """Without what passes were told to leave alone when they came to it."""
    marks = house.ledger.marks(str(new.place.root), (uuid for message in messages for uuid in message.uuids))
    left = {uuid for uuid, mark in marks.items() if mark is not Mark.LOOKED_AT}
    off = {message.uuid for message in turns.off_the_record(messages, left)}
    return tuple(message for message in messages if message.uuid not in off)


def _start_of_a_line(path: Path, at: int) -> int:
    """Where the first line starts at or after a place, in bytes."""
    if not at:
        return 0
    with tail.opened(path) as descriptor:
        ends = (end for _, end in lines(descriptor, at - 1, os.fstat(descriptor).st_size))
        return next(ends, 0)


def _end_of(text: str) -> str:
    return text if len(text) <= _QUESTION else text[-_QUESTION:].split(None, 1)[-1]


def purse(house: House, *, project: str) -> Purse | None:
    """What a pass of this kind may spend; None: its backend spends nothing."""
    if house.account is None:
        return None
    return Purse(
        ledger=house.ledger,
        clock=house.clock,
        settings=house.settings,
        account=house.account,
        project=project,
        kind=EXTRACT,
    )


def ask(task: Task, own: Purse | None, house: House) -> None:
    """Let the backend work. Raises BudgetError or what the circuit says where nothing may be spent."""
    if own is None:
        house.backend.propose(task)
        return
    money.asking(own, lambda: house.backend.propose(replace(task, meter=money.meter(own))))

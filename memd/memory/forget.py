"""Forgotten stays forgotten: what tombstones bar, and the tombstones that a memory leaves behind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from memd.memory import marks, standing, topic
from memd.memory.decision import Tombstone
from memd.memory.grounding import first_paragraph
from memd.memory.journal import Record, What
from memd.memory.marks import Mark
from memd.memory.quotes import Quote, Speaker, Utterance

_SENTENCE = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """What a project's tombstones keep out."""

    uuids: frozenset[str] = frozenset()
    until: Mapping[Mark, datetime] = field(default_factory=dict)  # words count up to here: later ones are said anew
    known: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict)  # the same marks, by their hints

    def hits(self, text: str, at: datetime | None = None) -> bool:
        """Whether a text that was written at a time (None: nobody knows) says what is to stay forgotten."""
        return any(at is None or at <= self.until[one] for one in marks.found(text, self.known))


def bars(records: Sequence[Record], memory_dir: Path) -> Bars:
    """What is barred in one memory directory, by tombstones of runs that were not undone."""
    uuids: set[str] = set()
    until: dict[Mark, datetime] = {}
    for record in standing.in_force(records):  # newest first: the latest time stays
        for stone in record.run.forgets if record.memory_dir == str(memory_dir) else ():
            uuids.update(stone.uuids)
            for mark in stone.marks:
                until.setdefault(mark, record.run.started)
    return Bars(uuids=frozenset(uuids), until=until, known=marks.by_hint(until))


def without(said: Sequence[Utterance], barred: Bars) -> tuple[Utterance, ...]:
    """What a pass may still learn from.

    A barred message goes, and of one that repeats its words the sentence; with either goes what was answered to it,
    up to the next human message, because an answer repeats what was asked.
    """
    if not barred.uuids and not barred.until:
        return tuple(said)
    kept: list[Utterance] = []
    is_echo = False
    for utterance in said:
        left = _left_of(utterance, barred)
        if utterance.speaker is Speaker.HUMAN:
            is_echo = left != utterance
        elif is_echo:
            continue
        if left is not None:
            kept.append(left)
    return tuple(kept)


def _left_of(utterance: Utterance, barred: Bars) -> Utterance | None:
    if utterance.uuid in barred.uuids:
        return None

    def hits(text: str) -> bool:
        return barred.hits(text, utterance.at)

    text = _cut(utterance.text, hits) if hits(utterance.text) else utterance.text
    return replace(utterance, text=text) if text.strip() else None


def _cut(text: str, hits: Callable[[str], bool]) -> str:
    """A text without the sentences that hit; nothing where that is not enough."""
    left = "".join(_cut_line(line, hits) for line in text.splitlines(keepends=True))
    return "" if hits(left) else left


def _cut_line(line: str, hits: Callable[[str], bool]) -> str:
    if not hits(line):
        return line
    left = "".join(piece for piece in _SENTENCE.split(line) if not hits(piece))
    return "\n" if hits(left) else left


def tombstone(path: str, data: bytes | None, records: Iterable[Record], memory_dir: Path) -> Tombstone:
    """What is to be barred so that a memory does not come back. `data` is the file, where it is still there.

    Its sources are those of every run that changed it since it was made; its own words count as well, for a file of
    which nobody knows who made it.
    """
    runs = _since_made(path, records, memory_dir)
    uuids = dict.fromkeys(uuid for record in runs for uuid in sources(record, path))
    texts = [quote.text for record in runs for quote in _quotes(record, path)]
    if data is not None:
        known = topic.parse(data)
        texts += [known.description, *_lines(first_paragraph(known.body))]
    return Tombstone(path=path, uuids=tuple(uuids), marks=marks.marks(texts))


def _lines(paragraph: str) -> list[str]:
    return [paragraph, *(piece for line in paragraph.splitlines() for piece in _SENTENCE.split(line))]


def _quotes(record: Record, path: str) -> list[Quote]:
    held = (quote for one in record.run.held if one.path == path for quote in one.quotes)
    return [*record.run.quotes.get(path, ()), *held]


def sources(record: Record, path: str) -> tuple[str, ...]:
    """The uuids of the messages on which a run changed a memory, whether it still has their words or not."""
    quoted = (quote.uuid for quote in _quotes(record, path) if quote.uuid)
    return tuple(dict.fromkeys((*record.run.sources.get(path, ()), *quoted)))


def _since_made(path: str, records: Iterable[Record], memory_dir: Path) -> list[Record]:
    """The runs that had to do with a file, back to the deletion before its last life."""
    found: list[Record] = []
    lived = False
    for record in records:
        if record.memory_dir != str(memory_dir):
            continue
        file = next((file for file in record.files if file.path == path and file.what != What.LEFT), None)
        if file is not None and file.after is None and lived:
            break
        lived = lived or (file is not None and file.after is not None)
        if file is not None or sources(record, path) or _quotes(record, path):
            found.append(record)
    return found

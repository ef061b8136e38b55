"""What the runs, taken together, say still holds: decisions that were not taken back, proposals nobody judged yet.

Pure: all of it takes the records, newest first, as `history.runs` yields them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memd.memory.decision import Held, Verdict
from memd.memory.journal import Record
from memd.memory.marks import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A held proposal that nobody has judged yet."""

    record: Record  # of the run that held it
    number: int  # which of that run's, from 1
    held: Held

    @property
    def id(self) -> str:
        """How a person names it, such as 41.1; the same for as long as it waits."""
        return f"{self.record.id}.{self.number}"


def undone_by(records: Iterable[Record]) -> dict[int, int]:
    """The runs that were taken back, each with the undo that did it and was not taken back itself."""
    gone: dict[int, int] = {}
    for record in records:
        if record.run.undoes is not None and record.id not in gone:
            gone.setdefault(record.run.undoes, record.id)
    return gone


def undone(records: Iterable[Record]) -> frozenset[int]:
    """The runs that were taken back."""
    return frozenset(undone_by(records))


def in_force(records: Sequence[Record]) -> tuple[Record, ...]:
    """The runs that were not taken back."""
    gone = undone(records)
    return tuple(record for record in records if record.id not in gone)


def waiting(records: Sequence[Record]) -> tuple[Waiting, ...]:
    """The held proposals to be judged, newest first."""
    judged = {(one.run.reviews.run, one.run.reviews.number) for one in in_force(records) if one.run.reviews}
    return tuple(
        Waiting(record=record, number=number, held=held)
        for record in records
        for number, held in enumerate(record.run.held, 1)
        if (record.id, number) not in judged and held.change.after is not None
    )


def rejected(records: Sequence[Record], memory_dir: str) -> frozenset[Mark]:
    """What a person does not want to be asked about again."""
    reviews = (record.run.reviews for record in in_force(records) if record.memory_dir == memory_dir)
    return frozenset(
        mark for one in reviews if one is not None and one.verdict is Verdict.REJECTED for mark in one.marks
    )


def needed(records: Sequence[Record]) -> frozenset[int]:
    """The runs whose record says something that still holds, however old it is."""
    decided = {one.id for one in in_force(records) if one.run.forgets or _rejects(one)}
    return frozenset({one.record.id for one in waiting(records)} | decided)


def _rejects(record: Record) -> bool:
    return record.run.reviews is not None and record.run.reviews.verdict is Verdict.REJECTED

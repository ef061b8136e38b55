"""How the last turn stands, record by record; the same from any place in the file where it can be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memd.transcripts.decode import Block, Record
from memd.transcripts.model import TurnState
from memd.transcripts.speakers import ASSISTANT, HUMAN, RESULT, Kind, blocks

UNSEEN = "unseen"  # the group before the first record; no real id has this form
GOES_ON = frozenset({None, "tool_use", "pause_turn"})  # stop reasons after which the model is asked again
THOUGHTS = frozenset({"thinking", "redacted_thinking"})


@dataclass(slots=True, kw_only=True)
class Turn:
    """The state after the records so far."""

    spoken: bool = False
    group: str | None = UNSEEN  # of the assistant's current message; None: none since the last prompt
    pending: set[str] = field(default_factory=set)  # tool calls without result
    final: bool = False
    broken: bool = False
    certain: bool = False  # nothing before the first record could change the answer

    @property
    def state(self) -> TurnState:
        """How the turn stands now."""
        if not self.spoken:
            return TurnState.NONE
        if self.broken:
            return TurnState.BROKEN
        if self.pending:
            return TurnState.PENDING_TOOL
        return TurnState.COMPLETE if self.final else TurnState.RUNNING

    def step(self, record: Record, kind: Kind) -> None:
        """Take one record into account."""
        if kind is ASSISTANT:
            self._answer(record)
        elif kind is RESULT:
            self._settle(record)
        elif kind is HUMAN:
            self._reset(broken=False)
        elif kind in {Kind.INTERRUPT, Kind.API_ERROR}:
            self._reset(broken=True)
        elif kind is Kind.WAKE:
            self.final = self.broken = False

    def _reset(self, *, broken: bool) -> None:
        self.group, self.final, self.broken = None, False, broken
        self.pending.clear()
        self.spoken = self.certain = True

    def _answer(self, record: Record) -> None:
        """A block of an answer. A new answer settles every call before it: the service demands all results first."""
        group = group_of(record)
        if group != self.group:
            self.certain = self.certain or self.group != UNSEEN
            self.group, self.final, self.broken = group, False, False
            self.pending.clear()
        self.spoken = True
        content = blocks(record)
        for block in content:
            if block.type == "tool_use" and block.id:
                self.pending.add(block.id)
        if record.message is not None and record.message.stop_reason not in GOES_ON:
            self.final = self.final or _is_last_word(content)
        if record.is_aborted_mid_stream:
            self.broken = True

    def _settle(self, record: Record) -> None:
        for block in blocks(record):
            if block.tool_use_id and block.type == "tool_result":
                self.pending.discard(block.tool_use_id)


def group_of(record: Record) -> str:
    """What the records of one assistant message have in common."""
    body = record.message
    return (body is not None and body.id) or record.uuid or ""


def _is_last_word(content: Sequence[Block]) -> bool:
    """Whether a block of a message that has ended ends it; a thought alone announces that words follow."""
    return not content or any(block.type not in THOUGHTS for block in content)

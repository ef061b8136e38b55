"""How the last turn stands, record by record; the same from any place in the file where it can be told."""

from __future__ import annotations

from dataclasses import dataclass, field

from memd.transcripts.decode import Record
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
        for block in blocks(record):
            if block.type == "tool_use" and block.id:
                self.pending.add(block.id)
        self.final = self.final or _is_final(record)
        self.broken = self.broken or bool(record.is_aborted_mid_stream)

    def _settle(self, record: Record) -> None:
        for block in blocks(record):
            if block.type == "tool_result" and block.tool_use_id:
                self.pending.discard(block.tool_use_id)


def group_of(record: Record) -> str:
    """What the records of one assistant message have in common."""
    return (record.message and record.message.id) or record.uuid or ""


def _is_final(record: Record) -> bool:
    """Whether the model has said its last word; a thought alone announces that words follow."""
    body = record.message
    if body is None or body.stop_reason in GOES_ON:
        return False
    content = blocks(record)
    return not content or any(block.type not in THOUGHTS for block in content)

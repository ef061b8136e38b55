"""The daily log's lines of a pass: one for each save, and one for what is not yet worth a memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from memd.memory import log, quotes, speech, topic, validate, workspace
from memd.memory.decision import Decision, Dropped, Reason
from memd.memory.log import Bullet
from memd.memory.quotes import EvidenceClass, Heard, Speaker, Utterance
from memd.memory.workspace import Change

Proposed = tuple[str | None, str]  # a type, and what is to be noted

_STANDS_IN_THE_WAY = frozenset({Reason.PROTECTED, Reason.PINNED, Reason.NOT_REWRITABLE, Reason.TOO_LARGE})
FOR_THE_DREAM = "memory"  # in a source: this is to become a memory
_QUOTATION = str.maketrans("", "", '"“”')  # what a person confirmed is theirs: later it must not look like a citation
_MOST_QUOTES = 5  # of one change
_ABSOLUTE = re.compile(r"\b\d{4}-\d\d-\d\d \((?P<said>[^()]{1,40})\)")  # as a backend notes a day that was named
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def saved(change: Change, session_id: str, *, arrow: bool = True) -> Bullet:
    """Log a save; the arrow says that a topic file holds it. Should that not come about, the dream makes it one."""
    said = topic.parse(change.after or change.before or b"")
    text = said.description or said.name or change.path
    kind = said.type.value if said.type else "note"
    source = f"{_source(session_id, Speaker.HUMAN)}, {FOR_THE_DREAM}"
    return Bullet(type=kind, text=f"{text} → {change.path}" if arrow else text, source=source)


def noticed(
    proposed: Sequence[Proposed], window: Sequence[Utterance], session_id: str, *, ripe: Collection[Proposed] = ()
) -> tuple[Bullet, ...]:
    """Log what was proposed as a bullet, where that is safe. Whose words they are stands in the source.

    `ripe` are those that were to be memories, which the dream makes of them where a person said so.
    """
    heard = quotes.listen(window) if proposed else ()

    def source(one: Proposed) -> str:
        speaker = _speaker(one[1], heard)
        said = _source(session_id, speaker)
        return f"{said}, {FOR_THE_DREAM}" if one in ripe and speaker is Speaker.HUMAN else said

    return tuple(Bullet(type=one[0] or "note", text=one[1], source=source(one)) for one in _safe(proposed))


def _safe(proposed: Sequence[Proposed]) -> tuple[Proposed, ...]:
    return validate.safe_bullets(proposed)[0]


def unlogged(noticed: Sequence[Bullet], memory_dir: Path) -> tuple[Bullet, ...]:
    """Those that no log has from the same conversation: looked at again, it says the same again."""
    logged = {(bullet.text, bullet.source) for _, data in log.everything(memory_dir) for bullet in log.parse(data)}
    as_logged = ((bullet, log.parse(log.line(bullet, _ANY_TIME).encode())) for bullet in noticed)
    return tuple(bullet for bullet, lines in as_logged if not any((line.text, line.source) in logged for line in lines))


def left_out(changes: Sequence[Change], dropped: Sequence[Dropped]) -> tuple[Proposed, ...]:
    """What was said for changes that a file of somebody else's could not take in: proposals for the log.

    It is in their quotes; a file itself may say anything.
    """
    lost = {one.path for one in dropped if one.reason in _STANDS_IN_THE_WAY}
    return tuple(proposed for change in changes if change.path in lost for proposed in _said_for(change))


def _said_for(change: Change) -> Iterator[Proposed]:
    new, old = topic.parse(change.after or b""), topic.parse(change.before or b"")
    for quote in new.evidence[:_MOST_QUOTES]:
        if (said := workspace.one_line(quote)) and said not in workspace.one_line(old.body):
            yield new.type.value if new.type else None, said


def of_log_mode(decision: Decision, session_id: str) -> tuple[Bullet, ...]:
    """Log what would have become memories."""
    return tuple(_whole(change.after, session_id) for change in decision.accepted if change.after is not None)


def _whole(data: bytes, session_id: str) -> Bullet:
    """All that a memory would say, on one line: the dream makes it one."""
    said = topic.parse(data)
    lines = [line for line in said.body.splitlines() if not line.endswith(f":** {topic.NOT_STATED}")]
    text = " ".join(" ".join(lines).translate(_QUOTATION).split()) or said.description
    source = f"{_source(session_id, Speaker.HUMAN)}, {FOR_THE_DREAM}"
    return Bullet(type=said.type.value if said.type else "note", text=text, source=source)


def _speaker(text: str, window: Sequence[Heard]) -> Speaker:
    """Whose words a bullet repeats: a person's only where a person said them, sentence by sentence.

    Sentences that did not follow each other may stand together in it, and days in the place of "on Friday".
    """
    said = _ABSOLUTE.sub(lambda found: found["said"], text).removesuffix("…")
    pieces = speech.sentences(said) if quotes.locate(said, window) is None else (said,)
    return Speaker.HUMAN if pieces and all(_is_persons(piece, window) for piece in pieces) else Speaker.ASSISTANT


def _is_persons(text: str, window: Sequence[Heard]) -> bool:
    found = quotes.locate(text, window)
    return found is not None and found.evidence is EvidenceClass.HUMAN


def _source(session_id: str, speaker: Speaker) -> str:
    return f"session {session_id}, {speaker.value}"

"""Who speaks in a record of a Claude Code transcript."""

from __future__ import annotations

from enum import Enum, auto

from memd.transcripts import own
from memd.transcripts.decode import Block, Body, Record


class Kind(Enum):
    """What a record means for the conversation."""

    HUMAN = auto()  # a person's prompt
    ASSISTANT = auto()  # a block of the model's answer
    API_ERROR = auto()  # the agent's report of a failed request
    RESULT = auto()  # what a tool returned
    INTERRUPT = auto()  # the person broke the turn off
    WAKE = auto()  # a prompt nobody typed; the model answers it
    ECHO = auto()  # text for the record only: summaries, commands and what they printed
    OTHER = auto()  # no part of the conversation


HUMAN, ASSISTANT, RESULT, WAKE, OTHER = Kind.HUMAN, Kind.ASSISTANT, Kind.RESULT, Kind.WAKE, Kind.OTHER
"""Names for what is asked of every line: finding a member through its enum takes ten times as long."""

INTERRUPTED = "[Request interrupted"
SYNTHETIC_MODEL = "<synthetic>"
NOTIFICATION = "<task-notification>"
ECHO_STARTS = (
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-memory-input>",
)
ADDED_STARTS = ("<system-reminder>", "<ide_opened_file>", "<ide_selection>")
OWN_PROMPTS = frozenset({"typed", "sdk"})
OWN_TURNS = frozenset({"human", "sdk"})


def kind(record: Record) -> Kind:
    """What `record` is; sub-agents' records are no part of the conversation."""
    body = record.message
    if body is None or record.is_sidechain:
        return OTHER
    if record.type == "assistant":
        return _assistant_kind(record, body)
    if record.type == "user":
        return RESULT if _has_result(body) else _prompt_kind(record)
    return OTHER


def blocks(record: Record) -> list[Block]:
    """The content of a record's message as blocks, also where it is a plain string."""
    content = None if record.message is None else record.message.content
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    return content or []


def typed_text(record: Record) -> str:
    """What the person typed, to the byte; without the blocks that the agent put beside it."""
    if record.message is not None and isinstance(record.message.content, str):
        return record.message.content
    return "\n".join(block.text or "" for block in blocks(record) if block.type == "text" and not _is_added(block))


def _assistant_kind(record: Record, body: Body) -> Kind:
    if record.is_api_error_message:
        return Kind.API_ERROR
    if body.model == SYNTHETIC_MODEL:  # words the agent put into the model's mouth
        return Kind.API_ERROR if _first_text(record).startswith("API Error") else Kind.ECHO
    return ASSISTANT


def _has_result(body: Body) -> bool:
    if isinstance(body.content, list):
        for block in body.content:  # a loop: this is asked of every line
            if block.type == "tool_result":
                return True
    return False


def _prompt_kind(record: Record) -> Kind:
    text = _first_text(record)
    if text.startswith(INTERRUPTED):
        return Kind.INTERRUPT
    if record.is_meta or record.is_compact_summary or record.is_visible_in_transcript_only:
        return Kind.ECHO
    if text.startswith(NOTIFICATION) or _is_foreign(record) or own.is_own_prompt(record):
        return Kind.WAKE
    if text.startswith(ECHO_STARTS) or not _has_own_content(record) or record.row_source == "harness":
        return Kind.ECHO
    return HUMAN


def _is_foreign(record: Record) -> bool:
    """Whether the record itself says that no person sent it; older versions say nothing."""
    return (
        (record.prompt_source is not None and record.prompt_source not in OWN_PROMPTS)
        or (record.origin is not None and record.origin.kind not in {None, "human"})
        or (record.turn_origin is not None and record.turn_origin not in OWN_TURNS)
    )


def _has_own_content(record: Record) -> bool:
    return any(block.type in {"text", "image", "document"} and not _is_added(block) for block in blocks(record))


def _is_added(block: Block) -> bool:
    """Whether the agent put this whole block into the person's message."""
    text = (block.text or "").strip()
    return text.startswith(ADDED_STARTS) and text.endswith(">")


def _first_text(record: Record) -> str:
    return next((block.text or "" for block in blocks(record) if block.type == "text"), "")

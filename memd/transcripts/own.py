"""The sessions that memd starts itself, known by three marks; each is enough, since any of them may get lost.

The environment can be stripped, a name changed, a prompt wrapped. Whoever starts a session sets all three.
"""

from __future__ import annotations

from memd.transcripts.decode import Block, Record

ENTRYPOINT = "memd"  # the value of CLAUDE_CODE_ENTRYPOINT: in every record of the session
NAME = "memd-pass"  # the session's name (`--name`)
PROMPT = "<memd-pass>"  # what every prompt begins with

_BY_HAND = "typed"  # the source of what a person typed, or pasted


def is_own_prompt(record: Record) -> bool:
    """Whether memd sent this prompt; somebody who pastes one of memd's is still a person."""
    if record.entrypoint == ENTRYPOINT:
        return True
    return record.prompt_source != _BY_HAND and _text(record).lstrip().startswith(PROMPT)


def names(record: Record) -> bool | None:
    """Whether the record gives the session memd's name (False: another one); None where it gives none."""
    name = record.custom_title or record.agent_name
    return None if name is None else name == NAME


def is_own_session(record: Record, *, named: bool) -> bool:
    """Whether a session is memd's own after this prompt: one that a person takes over is no longer."""
    return is_own_prompt(record) or (named and record.prompt_source != _BY_HAND)


def _text(record: Record) -> str:
    content = record.message.content if record.message else None
    if isinstance(content, str):
        return content
    return next((block.text or "" for block in content or () if _is_text(block)), "")


def _is_text(block: Block) -> bool:
    return block.type == "text"

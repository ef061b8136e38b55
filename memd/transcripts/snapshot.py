"""What a session's own prompt said about memory, as far as Claude Code keeps a snapshot of it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from memd.transcripts.decode import Attachment
from memd.transcripts.model import MemorySection

HEADING = "# Memory"

_SECTION = re.compile(rf"^[ \t]*{HEADING}[ \t\r]*$(.*?)(?=^[ \t]*#|\Z)", re.MULTILINE | re.DOTALL)
_DIRECTORY = re.compile(r"`(/[^`\n\0]{1,4000})`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Whether there was a part about memory, and the one directory that it named."""

    section: MemorySection = MemorySection.UNKNOWN
    directory: str | None = None  # None also where several parts name different ones


def is_one(attachment: Attachment) -> bool:
    """Whether this is a snapshot of the prompt."""
    return attachment.type == "prompt_snapshot" and bool(attachment.system_prompt)


def of(attachment: Attachment | None) -> Snapshot:
    """What a snapshot of the prompt says; None is one that nobody has seen. Looks at all of its text."""
    if attachment is None:
        return Snapshot()
    prompt = attachment.system_prompt
    blocks = prompt if isinstance(prompt, list) else [prompt]
    found = [part for block in blocks for part in _SECTION.findall(_text(block))]
    if not found:
        return Snapshot(section=MemorySection.ABSENT)
    named = {posixpath.normpath(path[1]) for part in found if (path := _DIRECTORY.search(part))}
    return Snapshot(section=MemorySection.PRESENT, directory=named.pop() if len(named) == 1 else None)


def _text(block: object) -> str:
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else ""

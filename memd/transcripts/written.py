"""What a tool's result shows of the file that it wrote."""

from __future__ import annotations

from memd.transcripts.decode import Record, Told
from memd.transcripts.model import Wrote

_KEPT = 64 * 1024  # characters of a text; a memory has less


def wrote(record: Record) -> Wrote | None:
    """The versions of a Markdown file that a result's record shows; None where it is about none."""
    told = record.tool_use_result
    if not isinstance(told, Told) or not isinstance(told.file_path, str) or not told.file_path.endswith(".md"):
        return None
    return Wrote(
        before=_text(told.original_file),
        after=_after(told),
        is_new=told.type == "create" and told.original_file is None,
        by_person=bool(told.user_modified),
    )


def _after(told: Told) -> str | None:
    old, new, before = _text(told.old_string), _text(told.new_string), _text(told.original_file)
    if not old or new is None or before is None:
        return _text(told.content)
    return _text(before.replace(old, new, -1 if told.replace_all else 1)) if old in before else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= _KEPT else None

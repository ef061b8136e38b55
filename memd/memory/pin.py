"""Pinning: a header's `pinned: true`, which makes a topic untouchable for everything but a person."""

from __future__ import annotations

from memd.memory import header, splice, topic


def pinned(data: bytes, *, on: bool) -> bytes | None:
    """A topic file with its pin set or taken out, all other bytes as they were. None where that is not certain."""
    said = topic.parse(data)
    if said.pinned == on:
        return data
    try:
        parts = header.split(data.decode("utf-8"))
        keys = header.read(parts.header) if parts else {}
    except (UnicodeDecodeError, header.HeaderError):
        return None
    if parts is None:
        return None
    new = _with_pin(parts, keys) if on else _without_pin(parts, keys)
    if new is None:
        return None
    result = (parts.before + parts.opening + new + parts.closing + parts.body).encode()
    return result if topic.parse(result).pinned == on else None


def bare(data: bytes) -> bytes:
    """A topic file as it would be had nobody ever pinned it, or itself where that is not certain."""
    on = pinned(data, on=True)
    return (None if on is None else pinned(on, on=False)) or data


def _with_pin(parts: header.Parts, keys: dict[str, header.Tree]) -> str | None:
    if "pinned" in keys:
        return splice.edit(parts.header, {("pinned",): "true"})
    line_break = "\r\n" if parts.opening.endswith("\r\n") else "\n"
    new = f"{parts.header}pinned: true{line_break}"
    try:
        return new if header.read(new) == {**keys, "pinned": "true"} else None
    except header.HeaderError:
        return None


def _without_pin(parts: header.Parts, keys: dict[str, header.Tree]) -> str | None:
    metadata = keys.get("metadata")
    inner = isinstance(metadata, dict) and "pinned" in metadata
    values: dict[splice.KeyPath, str] = {("metadata", "pinned"): "false"} if inner else {}
    return splice.edit(parts.header, values, ("pinned",))

"""A topic file: one memory, its header and its body."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memd.memory import header, splice

NOT_STATED = "not stated"

_SMALL = 2048  # bytes: most topics; what they say is kept in mind
_TRUE = frozenset({"true", "yes", "on"})
_EDGES = re.compile(r"\A((?:[ \t]*\r?\n)*)(.*?)([ \t\r\n]*)\Z", re.DOTALL)
_LINE = re.compile(r"([^\n]*?)(\r?\n|\Z)")


class TopicType(StrEnum):
    """The four kinds of memory, and there are no others."""

    USER = "user"  # who the user is
    FEEDBACK = "feedback"  # how to work
    PROJECT = "project"  # what is going on that code and git do not say
    REFERENCE = "reference"  # where to look outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a topic file says. `problems` holds reason codes; it is empty for a file that can be rewritten.

    Codes: not-utf8, no-frontmatter, header-not-closed, header-not-yaml (keys then come from a lenient reading),
    no-name, no-description, no-type, unknown-type, no-body.
    """

    name: str = ""
    description: str = ""
    type: TopicType | None = None
    body: str = ""  # "\n" line ends, no blank lines around it
    pinned: bool = False
    evidence: tuple[str, ...] = ()
    origin_session: str | None = None
    modified: str | None = None  # as written
    stamp: str | None = None  # the same in `metadata` alone, where Claude Code puts it whenever it writes a file
    problems: tuple[str, ...] = ()


def parse(data: bytes) -> Topic:
    """What a topic file says, as far as it can be read. Never raises for what the file holds."""
    return parsed_before(data) if len(data) <= _SMALL else _parsed(data)


@lru_cache(maxsize=8192)
def parsed_before(data: bytes) -> Topic:
    """A pass reads every topic several times; with thousands of them YAML is what takes long."""
    return _parsed(data)


def _parsed(data: bytes) -> Topic:
    text = data.decode("utf-8", errors="replace")
    problems = [] if _is_utf8(data) else ["not-utf8"]
    keys, raw_body, trouble = _read(text)
    content = _trimmed(raw_body)
    metadata = _mapping(keys, "metadata")
    kind, type_problems = _type(_text(keys, "type") or _text(metadata, "type"))
    problems += [*trouble, *_missing(keys), *type_problems]
    return Topic(
        name=_text(keys, "name"),
        description=_one_line(_text(keys, "description")),
        type=kind,
        body=content,
        pinned=bool(_TRUE & {_text(keys, "pinned").lower(), _text(metadata, "pinned").lower()}),
        evidence=_list(keys.get("evidence")),
        origin_session=_text(metadata, "originSessionId") or _text(keys, "originSessionId") or None,
        modified=_text(metadata, "modified") or _text(keys, "modified") or None,
        stamp=_text(metadata, "modified") or None,
        problems=(*problems, *(() if content else ("no-body",))),
    )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _read(text: str) -> tuple[dict[str, header.Tree], str, list[str]]:
    """Keys, raw body, problems."""
    parts = header.split(text)
    if parts is None:
        rest = header.after_opening(text)
        if rest is None:
            return {}, text, ["no-frontmatter"]
        return header.read_leniently(rest), rest, ["header-not-closed"]
    try:
        return header.read(parts.header), parts.body, []
    except header.HeaderError:
        return header.read_leniently(parts.header), parts.body, ["header-not-yaml"]


def _text(keys: Mapping[str, header.Tree], key: str) -> str:
    value = keys.get(key)
    return value.strip() if isinstance(value, str) else ""


def _mapping(keys: Mapping[str, header.Tree], key: str) -> dict[str, header.Tree]:
    value = keys.get(key)
    return value if isinstance(value, dict) else {}


def _list(value: header.Tree | None) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    return tuple(item for item in value or () if isinstance(item, str))


def _type(said: str) -> tuple[TopicType | None, list[str]]:
    if not said:
        return None, ["no-type"]
    try:
        return TopicType(said), []
    except ValueError:
        return None, ["unknown-type"]


def _missing(keys: Mapping[str, header.Tree]) -> list[str]:
    return [f"no-{key}" for key in ("name", "description") if not _text(keys, key)]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _trimmed(raw: str) -> str:
    return _edges(raw)[1].replace("\r\n", "\n")


def _edges(raw: str) -> tuple[str, str, str]:
    """Blank lines before, content, white space after."""
    found = _EDGES.match(raw)
    return (found[1], found[2], found[3]) if found else ("", raw, "")


def render(
    name: str,
    description: str,
    type: TopicType,  # noqa: A002 -- the key's own name in the file
    body: str,
    *,
    metadata: Mapping[str, str | None] | None = None,
    evidence: Sequence[str] = (),
) -> bytes:
    """A new topic file. `metadata` adds keys such as originSessionId and modified; None values are left out."""
    known = {"node_type": "memory", "type": type.value, **(metadata or {})}
    timestamp = "tag:yaml.org,2002:timestamp"
    pairs = (f"{key}: {splice.scalar(value, in_flow=True, tag=timestamp)}" for key, value in known.items() if value)
    lines = [
        "---",
        f"name: {splice.scalar(_one_line(name))}",
        f"description: {splice.scalar(_one_line(description))}",
        f"type: {type.value}",
        f"metadata: {{{', '.join(pairs)}}}",
        *(["evidence:"] if evidence else []),
        *(f"  - {splice.scalar(quote)}" for quote in evidence),
        "---",
        _trimmed(body),
        "",
    ]
    return "\n".join(lines).encode("utf-8", errors="replace")


def updated(
    data: bytes,
    *,
    name: str | None = None,
    description: str | None = None,
    body: str | None = None,
    modified: str | None = None,
    drop: Collection[str] = ("evidence",),
) -> bytes | None:
    """`data` with these parts replaced and these top-level keys gone, all other bytes as they were.

    `modified` is set only where the file has one already. None when it cannot be done with certainty: the file is
    then to be left alone. What is already so yields `data` itself.
    """
    parts = header.split(data.decode("utf-8")) if _is_utf8(data) else None
    if parts is None:
        return None
    try:
        keys = header.read(parts.header)
    except header.HeaderError:
        return None
    values = _new_values(keys, name=name, description=description, modified=modified)
    dropped = [key for key in drop if key in keys]
    new_header = splice.edit(parts.header, values, dropped) if values or dropped else parts.header
    if new_header is None:
        return None
    new_body = parts.body if body is None else _with_body(parts, body)
    return "".join((parts.before, parts.opening, new_header, _ended(parts, new_body), new_body)).encode(
        "utf-8", "replace"
    )


def with_evidence(data: bytes, quotes: Sequence[str]) -> bytes | None:
    """`data` with these quotes as the last key of its header; `updated` takes them out again to the byte.

    None where there is no valid header, or evidence in it already.
    """
    parts = header.split(data.decode("utf-8")) if _is_utf8(data) else None
    if parts is None or not quotes:
        return data if parts else None
    line_break = "\r\n" if parts.opening.endswith("\r\n") else "\n"
    lines = ("evidence:", *(f"  - {splice.scalar(quote)}" for quote in quotes))
    new_header = parts.header + "".join(line + line_break for line in lines)
    try:
        expected = {**header.read(parts.header), "evidence": tuple(quotes)}
        is_safe = header.read(new_header) == expected and "evidence" not in header.read(parts.header)
    except header.HeaderError:
        return None
    pieces = (parts.before, parts.opening, new_header, parts.closing, parts.body)
    return "".join(pieces).encode("utf-8", errors="replace") if is_safe else None


def _new_values(
    keys: Mapping[str, header.Tree], *, name: str | None, description: str | None, modified: str | None
) -> dict[splice.KeyPath, str]:
    values: dict[splice.KeyPath, str] = {}
    for key, text in (("name", name), ("description", description)):
        if text is not None and _one_line(text) != _one_line(_text(keys, key)):
            values[key,] = _one_line(text)
    if modified is not None:
        for path, place in ((("metadata", "modified"), _mapping(keys, "metadata")), (("modified",), keys)):
            if path[-1] in place and _text(place, path[-1]) != modified:
                values[path] = modified
    return values


def _with_body(parts: header.Parts, body: str) -> str:
    """The raw body with new content: white space around it stays, and so does each surviving line's end."""
    before, old, after = _edges(parts.body)
    new = _trimmed(body)
    if new == old.replace("\r\n", "\n"):
        return parts.body
    usual = "\r\n" if parts.opening.endswith("\r\n") else "\n"
    endings = {line: end for line, end in _LINE.findall(old) if end}
    lines = new.split("\n")
    inner = "".join(line + endings.get(line, usual) for line in lines[:-1]) + lines[-1]
    return before + inner + (after if old else usual)


def _ended(parts: header.Parts, new_body: str) -> str:
    """The closing line, which lacks its line break only where nothing follows."""
    if new_body and not parts.closing.endswith("\n"):
        return parts.closing + ("\r\n" if parts.opening.endswith("\r\n") else "\n")
    return parts.closing


def body(rule: str, why: str | None = None, how: str | None = None) -> str:
    """The body of a feedback or project memory. A reason nobody gave is not invented."""
    return f"{rule.strip()}\n\n**Why:** {why or NOT_STATED}\n\n**How to apply:** {how or NOT_STATED}"

"""MEMORY.md: one line a memory, loaded into every session."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memd.memory.index_lines import (
    ENTRY_LIMIT,
    Entry,
    Line,
    Lines,
    entry_line,
    is_topic,
    parse_line,
    read,
    refreshed,
)
from memd.memory.layout import INDEX
from memd.memory.scan import TopicHeader
from memd.memory.topic import TopicType

__all__ = [
    "BYTE_LIMIT",
    "ENTRY_LIMIT",
    "LINE_LIMIT",
    "Entry",
    "Loaded",
    "entry_line",
    "fits",
    "merge",
    "parse",
    "rebuild",
    "truncate",
]

LINE_LIMIT = 200  # lines that are loaded
BYTE_LIMIT = 25_000  # UTF-8 bytes that are loaded

_OLDER = re.compile(r"\d+ older memor(?:y is|ies are) not listed here; `memd list` shows all\.")
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b")
_FIRST_TYPES = (TopicType.FEEDBACK, TopicType.USER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The part of an index that a session gets, and what to say when it is not all of it."""

    text: str
    warning: str | None


def truncate(data: bytes) -> Loaded:
    """The index trimmed and cut to the limits. The warning is not counted in them."""
    text = data.decode("utf-8", errors="replace").lstrip("\ufeff").strip()
    lines = text.split("\n")
    size = len(text.encode())
    exceeded = []
    if len(lines) > LINE_LIMIT:
        exceeded.append(f"{len(lines):,} lines (limit {LINE_LIMIT})")
    if size > BYTE_LIMIT:
        exceeded.append(f"{size:,} bytes (limit {BYTE_LIMIT:,})")
    warning = f"WARNING: {INDEX} has {' and '.join(exceeded)}; only part of it was loaded." if exceeded else None
    return Loaded(text=_cut_to_bytes("\n".join(lines[:LINE_LIMIT])), warning=warning)


def fits(data: bytes) -> bool:
    """Whether the whole of it is loaded."""
    return truncate(data).warning is None


def _cut_to_bytes(text: str) -> str:
    data = text.encode()
    if len(data) <= BYTE_LIMIT:
        return text
    end = data.rfind(b"\n", 0, BYTE_LIMIT + 1)
    return data[: end if end > 0 else BYTE_LIMIT].decode("utf-8", errors="ignore")


def parse(data: bytes) -> tuple[Entry, ...]:
    """The entries, in file order; whatever else stands there is passed over."""
    return tuple(entry for row in read(data).rows if (entry := parse_line(row.text)))


def rebuild(
    data: bytes,
    headers: Sequence[TopicHeader],
    changed: Collection[str] = (),
    renamed: Mapping[str, str] | None = None,
) -> bytes:
    """The index with every topic once, dead links out, and what people wrote kept to the byte.

    Entries keep their place and title; only those of `changed` paths get their topic's description as hook, and its
    name as title where theirs is the one that the topic had before (`renamed`: by path). New ones come after the last.
    Beyond the limits feedback, user and then the newest win, and a last line counts the rest.
    """
    topics = {header.path: header for header in headers if is_topic(header.path)}
    once = _rebuilt(_retitled(data, topics, renamed or {}), topics, changed)
    # An entry that was too long at its old length may fit anew; after that nothing moves any more.
    return once if len(parse(once)) == len(topics) else _rebuilt(once, topics, ())


def _retitled(data: bytes, topics: Mapping[str, TopicHeader], renamed: Mapping[str, str]) -> bytes:
    """The index with new titles for topics that have a new name, where nobody gave them one of their own."""
    if not renamed:
        return data
    lines = read(data)
    rows = (Line(text=_retitled_row(row.text, topics, renamed), end=row.end) for row in lines.rows)
    return lines.joined(list(rows))


def _retitled_row(text: str, topics: Mapping[str, TopicHeader], renamed: Mapping[str, str]) -> str:
    entry = parse_line(text)
    if entry is None or entry.path not in renamed or entry.path not in topics:
        return text
    before = parse_line(entry_line(title_of(renamed[entry.path]), entry.path, ""))
    is_ours = before is not None and before.title.casefold() == entry.title.casefold()
    return _new_entry(topics[entry.path]) if is_ours else text


def _rebuilt(data: bytes, topics: Mapping[str, TopicHeader], changed: Collection[str]) -> bytes:
    lines = read(data)
    rows = list(_kept(lines, topics, changed))
    listed = {entry.path for row in rows if (entry := parse_line(row.text))}
    ranked = sorted(topics, key=lambda path: _rank(topics[path]))

    def with_new(wanted: Collection[str]) -> list[Line]:
        added = [Line(text=_new_entry(topics[path])) for path in topics if path in wanted and path not in listed]
        return _with_added(rows, added, lines)

    best = frozenset(ranked[:LINE_LIMIT])  # more than that never fit, and there may be thousands
    return _within_limits(lines, with_new(best), ranked) or lines.joined(with_new(topics))


def _kept(lines: Lines, topics: Mapping[str, TopicHeader], changed: Collection[str]) -> Iterator[Line]:
    """The rows that stay; of several entries for one topic the first."""
    seen: set[str] = set()
    for row in lines.rows:
        entry = parse_line(row.text)
        if entry is None:
            if not _OLDER.fullmatch(row.text):
                yield row
        elif entry.path in topics and entry.path not in seen:
            seen.add(entry.path)
            yield Line(text=_text(row, topics[entry.path], changed), end=row.end)


def _text(row: Line, header: TopicHeader, changed: Collection[str]) -> str:
    return refreshed(row.text, header.description) if header.path in changed else row.text


def _new_entry(header: TopicHeader) -> str:
    return entry_line(title_of(header.name), header.path, header.description)


def title_of(name: str) -> str:
    """A topic's name as the index shows it: `no-releases-on-friday` as "No releases on Friday"."""
    words = name.replace("-", " ").replace("_", " ").strip()
    return _WEEKDAY.sub(lambda found: found[0].title(), words[:1].upper() + words[1:])


def _with_added(rows: list[Line], added: list[Line], lines: Lines) -> list[Line]:
    if not added:
        return rows
    last = max((number for number, row in enumerate(rows, 1) if parse_line(row.text)), default=None)
    added = [Line(text=row.text, end=lines.line_break) for row in added]
    if last is not None:
        return [*rows[:last], *added, *rows[last:]]
    needs_blank = rows and rows[-1].text.strip() and not rows[-1].text.startswith("#")
    return [*rows, *([Line(text="", end=lines.line_break)] if needs_blank else []), *added]


def _within_limits(lines: Lines, rows: list[Line], ranked: Sequence[str]) -> bytes | None:
    """As many entries as are loaded, by rank; None where what people wrote is too long by itself."""
    whole = lines.joined(rows)
    if len(ranked) <= LINE_LIMIT and fits(whole):
        return whole
    entries = [parse_line(row.text) for row in rows]

    def with_best(count: int) -> bytes:
        best = set(ranked[:count])
        kept = [row for row, entry in zip(rows, entries, strict=True) if entry is None or entry.path in best]
        return lines.joined([*kept, Line(text=_older(len(ranked) - count), end=lines.line_break)])

    counts = range(min(len(ranked), LINE_LIMIT + 1))
    most = bisect_left(counts, True, key=lambda count: not fits(with_best(count)))  # noqa: FBT003 -- the value looked for
    return with_best(most - 1) if most else None


def _rank(header: TopicHeader) -> tuple[int, float, str]:
    first = _FIRST_TYPES.index(header.type) if header.type in _FIRST_TYPES else len(_FIRST_TYPES)
    return first, -header.mtime, header.path


def _older(count: int) -> str:
    return f"{count} older {'memory is' if count == 1 else 'memories are'} not listed here; `memd list` shows all."


def merge(base: bytes, live: bytes, proposed: bytes) -> bytes:
    """`live` with the lines that `proposed` adds to `base`, without those that it takes away.

    Lines are compared as a set; blank ones do not count. An added line comes after the one it follows in `proposed`.
    """
    before, after, lines = _texts(base), _texts(proposed), read(live)
    gone = set(before) - set(after)
    there = {row.text for row in lines.rows}
    added = set(after) - set(before) - there
    if not added and not gone & there:
        return live
    followers = _followers(after, there - gone, added)
    rows: list[Line] = []
    for row in lines.rows:
        if row.text not in gone:
            rows += [row, *(Line(text=text, end=lines.line_break) for text in followers.pop(row.text, ()))]
    return lines.joined([*rows, *(Line(text=text, end=lines.line_break) for text in followers.get(None, ()))])


def _texts(data: bytes) -> dict[str, None]:
    return dict.fromkeys(row.text for row in read(data).rows if row.text.strip())


def _followers(after: Collection[str], there: Collection[str], added: Collection[str]) -> dict[str | None, list[str]]:
    """Added lines by the line they come after; None for the end of the file."""
    followers: dict[str | None, list[str]] = {}
    place: str | None = None
    for text in after:
        if text in there:
            place = text
        elif text in added:
            followers.setdefault(place, []).append(text)
    return followers

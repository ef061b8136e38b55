"""Transcripts gone wrong in every way that a string of bytes can choose: the same bytes always make the same file."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tests.fakes.claude_lines import Line, samples

T = TypeVar("T")
MOST_LINES = 14
LONGEST = 20_000  # bytes of a sample's line; the copies of whole requests would only make it slow

ODD_VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, -(10**400), 1e308, float("nan"), float("inf"), "", " ", "\0", "x" * 5000,
    "\ud800", "\udfff\ud800", "é" * 300, "\u2028\u2029\x85", [], {}, [[]], [None], [{}], [1, "x", None, {"type": 3}],
    {"type": "text"}, {"text": 7}, {"type": "text", "text": ["x"]}, "null", "user", "assistant", "system", "memd",
    "summary", "tool_use", "tool_result", "end_turn", "<synthetic>", "2026-04-01T10:15:00.000Z", "9999-12-31T23:59:59Z",
    "-0001-01-01T00:00:00Z", "0000-00-00", "2026-04-01", "[Request interrupted by user]", "<command-name>/x",
    "<task-notification>", "<system-reminder>x</system-reminder>", "/etc/passwd", "relative/path", "/a\0b",
    "/" + "d/" * 2500,
)  # fmt: skip
KEYS = (
    "type", "uuid", "parentUuid", "timestamp", "sessionId", "cwd", "entrypoint", "isSidechain", "isMeta", "origin",
    "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage", "isAbortedMidStream", "promptSource",
    "message", "rowSource", "attachment", "id", "model", "stop_reason", "content", "text", "name", "input",
    "tool_use_id", "is_error", "systemPrompt", "kind", "turnOrigin", "unheard-of", "",
)  # fmt: skip
JUNK = (
    b"\0", b"\0" * 3000, b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"{", b"}", b"[" * 3000,
    b'{"type":"user",' * 40,
    b'"', b"\\", b"\\u", rb'"\ud800"', b"NaN", b"null", b"\r", b"\r\n", b"\n", b"\n\n", b" ", b",", b"9" * 5000,
    b"\x1b[2J",
    b'{"type":"user","sessionId":"s","message":{"content":"x"}}', b"<<<<<<< HEAD\n", b'{"a":' * 2000,
    b"\x85", b"\x0b\x0c",
)  # fmt: skip


class Choices:
    """Decisions taken from bytes; once these are used up, always the first one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""
        width = 1 if bound <= 256 else 2 if bound <= 65536 else 4
        taken = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(taken, "big") % max(bound, 1)

    def of(self, options: Sequence[T]) -> T:
        """One of these."""
        return options[self.below(len(options))]


def sample_lines() -> list[bytes]:
    """Every line of the samples that is not too long."""
    rows = (row for path in samples() for row in path.read_bytes().splitlines())
    return list(dict.fromkeys(row for row in rows if len(row) <= LONGEST))


def transcript(data: bytes, lines: Sequence[bytes]) -> bytes:
    """A file made of sample lines: changed as records, then put into another order, then damaged as bytes."""
    choices = Choices(data)
    start = choices.below(len(lines))
    rows = list(lines[start : start + 1 + choices.below(MOST_LINES)])
    records = [json.loads(row) for row in rows]
    for _ in range(choices.below(6)):
        choices.of(RECORD_CHANGES)(choices.of(records), records, choices)
    rows = [_packed(record) for record in records]
    for _ in range(choices.below(3)):
        choices.of(ORDER_CHANGES)(rows, choices)
    whole = b"".join(row + b"\n" for row in rows)
    for _ in range(choices.below(4)):
        whole = choices.of(BYTE_CHANGES)(whole, choices)
    return whole


def _packed(record: object) -> bytes:
    """As JSON; lone surrogates as escapes, NaN and infinities as Python's writer spells them."""
    return json.dumps(record, separators=(",", ":")).encode()


def _places(value: object) -> list[Any]:
    """Every dictionary and list inside a value that is not empty, itself included."""
    found, open_ones = [], [value]
    while open_ones:
        one = open_ones.pop()
        if isinstance(one, dict | list) and one:
            found.append(one)
            open_ones += one.values() if isinstance(one, dict) else one
    return found


def _key(place: Any, choices: Choices) -> Any:  # noqa: ANN401 - a key or an index
    return choices.of(list(place)) if isinstance(place, dict) else choices.below(len(place))


def _replace(record: Line, _: list[Line], choices: Choices) -> None:
    places = _places(record)
    if places:
        place = choices.of(places)
        place[_key(place, choices)] = copy.deepcopy(choices.of(ODD_VALUES))


def _set(record: Line, _: list[Line], choices: Choices) -> None:
    places = [place for place in _places(record) if isinstance(place, dict)]
    if places:
        choices.of(places)[choices.of(KEYS)] = copy.deepcopy(choices.of(ODD_VALUES))


def _delete(record: Line, _: list[Line], choices: Choices) -> None:
    places = _places(record)
    if places:
        place = choices.of(places)
        del place[_key(place, choices)]


def _share(record: Line, records: list[Line], choices: Choices) -> None:
    """Take a value over from another record: uuids, sessions, messages' ids, whole messages."""
    other, name = choices.of(records), choices.of(KEYS)
    if name in other:
        record[name] = copy.deepcopy(other[name])
    if isinstance(record.get("message"), dict) and isinstance(other.get("message"), dict):
        record["message"]["id"] = other["message"].get("id")


def _nest(record: Line, _: list[Line], choices: Choices) -> None:
    deep: object = "x"
    for _number in range(choices.of((3, 40, 120))):
        deep = [deep] if choices.below(2) else {"content": deep}
    record[choices.of(KEYS)] = deep


def _cycle(record: Line, records: list[Line], _: Choices) -> None:
    record["parentUuid"] = record.get("uuid")
    for one, other in zip(records, records[1:] + records[:1], strict=True):
        one["parentUuid"] = other.get("uuid")


def _sidechain(record: Line, _: list[Line], choices: Choices) -> None:
    record |= {"isSidechain": bool(choices.below(2)), "agentId": "a"}


def _swap(rows: list[bytes], choices: Choices) -> None:
    one, other = choices.below(len(rows)), choices.below(len(rows))
    rows[one], rows[other] = rows[other], rows[one]


def _repeat(rows: list[bytes], choices: Choices) -> None:
    rows.insert(choices.below(len(rows) + 1), choices.of(rows))


def _drop(rows: list[bytes], choices: Choices) -> None:
    if len(rows) > 1:
        del rows[choices.below(len(rows))]


def _turn_round(rows: list[bytes], _: Choices) -> None:
    rows.reverse()


def _cut(data: bytes, choices: Choices) -> bytes:
    return data[: choices.below(len(data) + 1)]


def _cut_out(data: bytes, choices: Choices) -> bytes:
    start = choices.below(len(data) + 1)
    return data[:start] + data[start + choices.below(600) :]


def _insert(data: bytes, choices: Choices) -> bytes:
    start = choices.below(len(data) + 1)
    return data[:start] + choices.of(JUNK) + data[start:]


def _splice(data: bytes, choices: Choices) -> bytes:
    rows = data.split(b"\n")
    at = choices.below(len(rows))
    return b"\n".join(rows[:at]) + b"\n".join(rows[at:])


def _flip(data: bytes, choices: Choices) -> bytes:
    at = choices.below(len(data) + 1)
    return data[:at] + bytes([choices.below(256)]) + data[at + 1 :]


def _breaks(data: bytes, choices: Choices) -> bytes:
    return data.replace(b"\n", choices.of((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\n \n")))


def _again(data: bytes, choices: Choices) -> bytes:
    """A part of the file written a second time."""
    return data + data[choices.below(len(data) + 1) :]


RecordChange = Callable[[Line, list[Line], Choices], None]
OrderChange = Callable[[list[bytes], Choices], None]
ByteChange = Callable[[bytes, Choices], bytes]
RECORD_CHANGES: tuple[RecordChange, ...] = (_replace, _set, _delete, _share, _nest, _cycle, _sidechain)
ORDER_CHANGES: tuple[OrderChange, ...] = (_swap, _repeat, _drop, _turn_round)
BYTE_CHANGES: tuple[ByteChange, ...] = (_cut, _cut_out, _insert, _splice, _flip, _breaks, _again)

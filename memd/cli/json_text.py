"""Where things stand in a JSON text, so that a person's file can be edited with every other byte left alone. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value with its span; an object's or array's parts, in order, each from its key or first character on."""

    start: int
    end: int
    data: Any
    parts: tuple[Part, ...] = ()

    def member(self, key: str) -> Part | None:
        """The member of that name, of several the last, which is the one that counts; None: there is none."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A member of an object, or an element of an array, which has no key."""

    start: int
    key: str | None
    value: Value

    @property
    def end(self) -> int:
        """Behind its last character."""
        return self.value.end


def parse(text: str) -> Value:
    """The value that a text is. Raises ValueError; a byte order mark in front is passed over."""
    begin = 1 if text.startswith("\ufeff") else 0
    json.loads(text[begin:])  # raises with a place that a person can find; below, all is known to be well
    return _value(text, _skip(text, begin))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _value(text: str, at: int) -> Value:
    data, end = _DECODER.raw_decode(text, at)
    parts = tuple(_parts(text, at + 1, is_object=text[at] == "{")) if text[at] in "{[" else ()
    return Value(start=at, end=end, data=data, parts=parts)


def _parts(text: str, at: int, *, is_object: bool) -> Iterator[Part]:
    at = _skip(text, at)
    while text[at] not in "]}":
        start, key = at, None
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = _value(text, at)
        yield Part(start=start, key=key, value=value)
        at = _skip(text, value.end)
        at = _skip(text, at + 1) if text[at] == "," else at


def without(text: str, container: Value, place: int) -> str:
    """The text without one part of an object or array, and without the comma that goes with it."""
    parts = container.parts
    if place:
        start, end = parts[place - 1].end, parts[place].end
    elif len(parts) > 1:
        start, end = parts[0].start, parts[1].start
    else:
        start, end = container.start + 1, container.end - 1
    return text[:start] + text[end:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a text is laid out."""

    unit: str | None  # of indentation; None: all in one line
    newline: str

    @classmethod
    def of(cls, text: str, root: Value) -> Form:
        """As the text's first member stands; two spaces where there is none."""
        newline = "\r\n" if "\r\n" in text else "\n"
        if not root.parts:
            return cls(unit="  ", newline=newline)
        before = text[root.start + 1 : root.parts[0].start]
        return cls(unit=before.rpartition("\n")[2] if "\n" in before else None, newline=newline)

    def piece(self, parts: Sequence[tuple[str | None, object]], depth: int, *, is_first: bool) -> str:
        """What makes these the last parts of a container at a depth (1: of the root), with what goes around them.

        Each is (key, data), without a key for an array.
        """
        if self.unit is None:
            return ("" if is_first else ", ") + ", ".join(_member(key, data, None) for key, data in parts)
        margin = self.newline + self.unit * depth
        written = f",{margin}".join(_member(key, data, self.unit).replace("\n", margin) for key, data in parts)
        end = self.newline + self.unit * (depth - 1) if is_first else ""
        return ("" if is_first else ",") + margin + written + end


def _member(key: str | None, data: object, indent: str | None) -> str:
    written = json.dumps(data, ensure_ascii=False, indent=indent)
    return written if key is None else f"{json.dumps(key, ensure_ascii=False)}: {written}"


def place_for_more(container: Value) -> int:
    """Where `Form.piece` goes."""
    return container.parts[-1].end if container.parts else container.start + 1

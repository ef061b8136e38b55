"""Getting what can be got out of damaged or unexpected lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec

MAX_ATTEMPTS = 64  # starts tried on one line; a cut line full of objects must not cost its square
_START = re.compile(r'\{"(?:parentUuid|isSidechain|type|uuid|sessionId|timestamp)"')
_ESCAPE = re.compile(r"\\u[dD][89abAB]\w{2}\\u[dD][c-fC-F]\w{2}|(\\u[dD][89a-fA-F]\w{2})|\\.")
_scanner = json.JSONDecoder()

Shape = TypeVar("Shape", bound=msgspec.Struct)


def objects(data: bytes) -> Iterator[dict[str, Any]]:
    """The transcript records that stand whole on a damaged line: after padding, or spliced to others.

    Bytes that are not UTF-8 yield nothing: what a person typed is kept exactly or not at all.
    Half a surrogate pair (a tool's output cut inside a character) becomes a replacement character.
    """
    try:
        text = _whole_characters(data.decode())
    except UnicodeDecodeError:
        return
    position = 0
    for _ in range(MAX_ATTEMPTS):
        start = _START.search(text, position)
        if start is None:
            return
        value, position = _value_at(text, start.start())
        if _is_record(value):
            yield value


def fitting(value: Mapping[str, Any], shape: type[Shape]) -> Shape:
    """A `shape` from those keys of `value` that fit it; the others keep their defaults."""
    result = shape()
    for info in msgspec.structs.fields(shape):
        if info.encode_name in value:
            fitted = _fit(value[info.encode_name], info.type)
            if fitted is not None:
                setattr(result, info.name, fitted)
    return result


def _fit(value: Any, wanted: Any) -> Any:  # noqa: ANN401 -- any JSON value, any annotation
    """`value` as `wanted`; part of it where it is a structure; None where nothing fits."""
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        pass
    options = get_args(wanted) or (wanted,)
    if isinstance(value, dict):
        struct = next((option for option in options if _is_struct(option)), None)
        return fitting(value, struct) if struct else None
    if isinstance(value, list):
        inner = next((get_args(option)[0] for option in options if get_args(option)), None)
        return [fitting(item, inner) for item in value if isinstance(item, dict)] if inner else None
    return None


def _whole_characters(text: str) -> str:
    """JSON text without escapes of half a surrogate pair."""
    if "\\u" not in text:  # a line may be very long
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)


def _is_struct(option: Any) -> bool:  # noqa: ANN401 -- any annotation
    return isinstance(option, type) and issubclass(option, msgspec.Struct)


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that starts there and where it ends; None and the next place to look otherwise."""
    try:
        return _scanner.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1


def _is_record(value: object) -> bool:
    """Whether it is a whole line's object: records nested in others do not name their session again."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and "sessionId" in value

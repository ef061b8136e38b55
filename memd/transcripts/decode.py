"""One line of a Claude Code transcript: bytes in, records out; a bad line costs only itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from memd.transcripts import salvage


class Part(msgspec.Struct, gc=False):
    """A piece of a tool's result; pictures and the like are not decoded."""

    type: str = ""
    text: str | None = None


class Block(msgspec.Struct, gc=False):
    """A content block; which fields are set depends on `type`."""

    type: str = ""
    text: str | None = None
    id: str | None = None  # tool_use
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None  # tool_result
    content: str | list[Part] | None = None
    is_error: bool | None = None


class Body(msgspec.Struct, gc=False):
    """The message inside a record, as the model's service shapes it."""

    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    content: str | list[Block] | None = None


class Origin(msgspec.Struct, gc=False):
    """Where a prompt came from."""

    kind: str | None = None


class Attachment(msgspec.Struct, rename="camel", gc=False):
    """Context that the agent added by itself."""

    type: str = ""
    system_prompt: Any = None


class Told(msgspec.Struct, rename="camel", gc=False):
    """What a tool tells of its result besides the text: of a written file, what it was and what it became."""

    type: Any = None
    file_path: Any = None
    content: Any = None
    original_file: Any = None
    old_string: Any = None
    new_string: Any = None
    replace_all: Any = None
    user_modified: Any = None


class Record(msgspec.Struct, rename="camel", gc=False):
    """What memd uses of a transcript's line; everything else in it is passed over."""

    type: str = ""
    uuid: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    entrypoint: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    is_aborted_mid_stream: bool | None = None
    prompt_source: str | None = None
    turn_origin: str | None = None
    row_source: str | None = None
    custom_title: str | None = None
    agent_name: str | None = None
    origin: Origin | None = None
    message: Body | None = None
    attachment: Attachment | None = None
    tool_use_result: Told | str | list[Any] | bool | int | float | None = None


class Salvaged(NamedTuple):
    """What could be got out of a line that is not one sound record, and whether the line was damaged."""

    records: tuple[Record, ...] = ()
    bad: bool = False


_decoder = msgspec.json.Decoder(Record)


def decode(data: bytes) -> Record | None:
    """The record on a line; None on any that is not one sound record: `salvaged` tells what that holds."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return None


def salvaged(data: bytes) -> Salvaged:
    """The records on a line that `decode` refuses: none on a blank one; what can be saved of a damaged one."""
    if not data or data.isspace():
        return Salvaged()
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return Salvaged(tuple(salvage.fitting(value, Record) for value in salvage.objects(data)), bad=True)
    if not isinstance(value, dict):
        return Salvaged(bad=True)
    return Salvaged((salvage.fitting(value, Record),))


def records(data: bytes) -> tuple[Record, ...]:
    """Whatever records a line holds."""
    record = decode(data)
    return salvaged(data).records if record is None else (record,)

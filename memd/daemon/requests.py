"""What the daemon can be asked over its socket: one line of JSON each way; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memd.errors import UsageError
from memd.transcripts.ending import EndHint

LONGEST_NAME = 4096  # characters of a session id or a path
_ENDLESS = 1e11  # seconds: no moment of ours is later, and no date of Python's much


class Verb(StrEnum):
    """What to do."""

    STATUS = "status"  # say how it stands
    HINT = "hint"  # a hook's or a person's word about a session
    RUN_NOW = "run-now"  # look at everything, and take complete turns as ended
    PAUSE = "pause"  # start no more work; what is due waits
    RESUME = "resume"
    TEAM = "team"  # look which team memories there are by now
    RELOAD = "reload"  # read the settings anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question; `session` and `hint` are set for a hint, `path` where its transcript is known, too."""

    verb: Verb
    session: str | None = None  # its id, without the agent's name
    hint: EndHint | None = None
    path: str | None = None


def spelled(request: Request) -> bytes:
    """The request as a line."""
    fields = {name: getattr(request, name) for name in Request.__slots__}
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode() + b"\n"


def parse(line: bytes) -> Request:
    """The request in a line. Raises UsageError."""
    try:
        request = _request(json.loads(line))
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise UsageError("this is no request that memd knows") from None
    if request.verb is Verb.HINT and (request.session is None or request.hint is None):
        raise UsageError("a hint names a session and says what is with it")
    return request


def answered(line: bytes, request: Request) -> dict[str, Any]:
    """What a line answers to a request. Raises ValueError where it is nothing that a daemon of memd's says."""
    try:
        said = json.loads(line)
    except RecursionError:
        raise ValueError("nested without end") from None
    if not isinstance(said, dict) or not isinstance(said.get("ok"), bool):
        raise ValueError("no answer")  # noqa: TRY004 - one kind of error for bad input
    if said["ok"] and request.verb is Verb.STATUS and not _is_status(said):
        raise ValueError("no status")
    return said


def _is_status(said: Mapping[str, Any]) -> bool:
    """Whether it is what `daemon/health.py` puts together: what was not said in older versions may be missing."""
    words = (said.get(name) for name in ("trouble", "settings_refused", "settings_changed", "held_up"))
    rows = said.get("open", [])
    return (
        _is_count(said.get("pid"))
        and _is_count(said.get("tracked", 0))
        and (said.get("at") is None or _is_seconds(said["at"]))
        and all(word is None or isinstance(word, str) for word in words)
        and isinstance(rows, list)
        and all(_is_row(row) for row in rows)
    )


def _is_row(row: object) -> bool:
    """Whether it is one of what `daemon/waiting.py` tells."""
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in ("session", "path", "reason")):
        return False
    return row.get("seconds") is None or _is_seconds(row["seconds"])


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _ENDLESS


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < _ENDLESS


def _request(said: Mapping[str, Any]) -> Request:
    return Request(
        verb=Verb(said.get("verb", "")),
        session=_name(said, "session"),
        hint=EndHint(said["hint"]) if said.get("hint") is not None else None,
        path=_name(said, "path"),
    )


def _name(said: Mapping[str, Any], key: str) -> str | None:
    value = said.get(key)
    if value is not None and not (isinstance(value, str) and 0 < len(value) <= LONGEST_NAME):
        raise ValueError(key)
    return value

"""What an agent says at one of its events: untrusted bytes made into what memd needs of them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

_NAME = 512  # characters of a session's id and of a tool's name
_PATH = 4096  # characters
_LONGEST = 300  # characters of a tool's argument that tells what is being done; longer ones are contents
_MOST = 20  # arguments, and words of a command
_BEFORE_A_PROGRAM = frozenset({"sudo", "env", "time", "nohup", "exec"})


class Event(StrEnum):
    """The events that memd listens to."""

    SESSION_START = "SessionStart"
    PROMPT = "UserPromptSubmit"
    TOOL_USED = "PostToolUse"
    STOP = "Stop"
    PRE_COMPACT = "PreCompact"
    SESSION_END = "SessionEnd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One event of one session."""

    event: Event
    session_id: str
    cwd: str
    variables: Mapping[str, str] = field(default_factory=dict)  # of the session's environment, those that memd knows
    transcript: str | None = None
    prompt: str = ""
    source: str = ""  # of a start: startup, resume, clear, compact, fork
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)  # of the tool, the short ones
    is_subagent: bool = False


class _Wire(msgspec.Struct):
    session_id: str
    cwd: str = ""
    transcript_path: str | None = None
    prompt: str | None = None
    source: str | None = None
    tool_name: str | None = None
    tool_input: msgspec.Raw = msgspec.Raw(b"null")
    agent_id: str | None = None


_decoder = msgspec.json.Decoder(_Wire)


def parse(event: str, payload: bytes, variables: Mapping[str, str]) -> Call | None:
    """The event in a payload; None for anything that is none."""
    try:
        said = _decoder.decode(payload)
        known = Event(event)
        arguments = dict(_arguments(msgspec.json.decode(said.tool_input)))
    except (ValueError, RecursionError):  # what is no JSON, or of another shape
        return None
    if not (0 < len(said.session_id) <= _NAME and said.session_id.isprintable()) or not _is_path(said.cwd):
        return None
    path = said.transcript_path
    return Call(
        event=known,
        session_id=said.session_id,
        cwd=said.cwd,
        variables=variables,
        transcript=path if path is not None and _is_path(path) else None,
        prompt=said.prompt or "",
        source=said.source or "",
        tool=(said.tool_name or "")[:_NAME],
        arguments=arguments,
        is_subagent=bool(said.agent_id),
    )


def tools(call: Call) -> Iterator[str]:
    """The tools that an event shows in use: the agent's own, and the program that a command starts."""
    if call.tool:
        yield call.tool
    command = call.arguments.get("command", "") if call.tool == "Bash" else ""
    words = (word for word in command.split()[:_MOST] if "=" not in word and word not in _BEFORE_A_PROGRAM)
    program = next(words, "").rpartition("/")[2]
    if program and program.replace("-", "").replace("_", "").isalnum():
        yield program[:_NAME]


def _is_path(text: str) -> bool:
    return text.startswith("/") and len(text) <= _PATH and "\0" not in text


def _arguments(given: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON
    if isinstance(given, dict):
        short = ((key, value) for key, value in given.items() if isinstance(value, str) and len(value) <= _LONGEST)
        yield from (pair for pair, _ in zip(short, range(_MOST), strict=False))

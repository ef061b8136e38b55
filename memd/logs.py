"""Structured logs on a stream. Conversation text never goes here: ids, counts, reasons and times do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:  # most commands log nothing
    from structlog.typing import EventDict, FilteringBoundLogger, Processor

# What a person reads in a terminal in place of an event and its values; of others the name, and the values.
_IN_WORDS = {
    "daemon_ready": "watching {watching}; a conversation is over {quiet:.0f} s after its last word. Ctrl-C ends it",
    "stop_requested": "ending",
    "extraction_queued": "conversation {session} is to be looked through ({reason})",
    "dream_queued": "a dream is due about {memory}",
    "worker_started": "a worker begins (process {pid})",
    "pass_ended": "{kind} ended: {outcome} (run {run}, files changed: {files})",
    "settings_reloaded": "the settings were read anew",
    "watch_armed": "conversations are watched for changes",
}
_ALWAYS = frozenset({"event", "level", "timestamp", "exc_info", "exception"})


def configure(stream: TextIO, *, json: bool) -> FilteringBoundLogger:
    """Return a logger that writes to `stream`: a line of JSON an event, or a readable line.

    A logger is a value that is handed on; nothing global is set. Frame locals stay out of tracebacks, since they
    would hold conversations.
    """
    # structlog takes rich along for tracebacks that are never printed here: half of a worker's start, and 5 MB.
    with _without("rich"):
        import structlog  # noqa: PLC0415 - see above
    return cast(
        "FilteringBoundLogger",
        structlog.wrap_logger(
            structlog.PrintLogger(stream),
            processors=_common(structlog) + (_as_json(structlog) if json else _as_text(structlog, stream)),
            wrapper_class=structlog.make_filtering_bound_logger("info"),
            context_class=dict,
        ),
    )


@contextmanager
def _without(name: str) -> Iterator[None]:
    """Let nobody import that package, unless it is there already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # the documented way to make an import fail
    try:
        yield
    finally:
        del sys.modules[name]


def _wants_colors(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _common(structlog: ModuleType) -> list[Processor]:
    return [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=False)]


def _as_json(structlog: ModuleType) -> list[Processor]:
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    return [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]


def _in_words(_logger: object, _level: str, said: EventDict) -> EventDict:
    """An event as a sentence, where there is one, without the values that stand in it."""
    event = str(said["event"])
    try:
        text = _IN_WORDS[event].format_map({name: _spelled(value) for name, value in said.items()})
    except (KeyError, ValueError):
        return {**said, "event": event.replace("_", " ")}
    return {name: value for name, value in said.items() if name in _ALWAYS} | {"event": text}


def _spelled(value: object) -> object:
    return ", ".join(map(str, value)) or "nothing yet" if isinstance(value, list) else value


def _as_text(structlog: ModuleType, stream: TextIO) -> list[Processor]:
    plain = structlog.dev.plain_traceback
    return [_in_words, structlog.dev.ConsoleRenderer(colors=_wants_colors(stream), exception_formatter=plain)]

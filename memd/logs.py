"""Structured logs on a stream. Conversation text never goes here: ids, counts, reasons and times do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:  # most commands log nothing
    from structlog.typing import FilteringBoundLogger, Processor


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


def _as_text(structlog: ModuleType, stream: TextIO) -> list[Processor]:
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=_wants_colors(stream), exception_formatter=plain)]

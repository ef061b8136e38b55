"""Who ranks where a person or a tool asks: the model, where one is chosen, else the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memd.agent import model_service
from memd.cli.here import Here
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.recall.find import How
from memd.recall.model import Asker
from memd.recall.shelf import Shelf


@contextmanager
def ranking(around: Here, project: Path, recent_tools: Sequence[str] = ()) -> Iterator[How]:
    """How to choose among a project's memories; `project` is its root."""
    clock = SystemClock()
    with Shelf(around.paths.recall, around.paths.headers) as shelf:
        if not model_service.asks_a_model(around.settings, around.environ):
            yield How(shelf=shelf)
            return
        with open_ledger(around.paths.ledger, clock) as ledger:
            asker = Asker(
                settings=around.settings,
                environ=around.environ,
                ledger=ledger,
                clock=clock,
                project=str(project),
                recent_tools=recent_tools,
            )
            yield How(shelf=shelf, choose=asker)

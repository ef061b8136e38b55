"""A question goes to a model without what is private or secret, wherever it is cut: the bytes that a service got."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd import config
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.memory.topic_header import TopicHeader
from memd.recall.model import Asker
from tests.fakes import secret_corpus
from tests.fakes.anthropic_server import in_turn, serving, tool_use

ASKED = "how do canary releases go out on Friday, please tell. "
NONE = in_turn(otherwise=[tool_use("choose", {"files": []})])
Sent = Callable[[str], str]


@pytest.fixture
def sent(tmp_path: Path) -> Iterator[Sent]:
    """Puts a question; what the service got for it."""
    with serving(NONE) as server, open_ledger(tmp_path / "ledger.sqlite3", SystemClock()) as ledger:
        loaded = config.load({"HOME": str(tmp_path), "MEMD_CAPS_DAY_REQUESTS": "1000"})
        asker = Asker(
            settings=loaded.settings,
            environ={"ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": server.url},
            ledger=ledger,
            clock=SystemClock(),
            project="/p",
        )
        header = TopicHeader(path="a.md", name="a", description="canaries", type=None, mtime=0.0)

        def ask(query: str) -> str:
            before = len(server.requests)
            assert asker(query, [header], time.monotonic() + 60) == ()
            return json.dumps([one.body for one in server.requests[before:]])

        yield ask


def test_a_secret_across_the_cut_is_not_sent_in_half(sent: Sent) -> None:
    for token in secret_corpus.tokens(random.Random(5)).values():  # noqa: S311 - invented values
        words = (ASKED * 200)[: 8_000 - len(token) + 1] + "\n" + token + " what then?"
        told = sent(words)
        assert "canary releases" in told
        assert token[: len(token) * 2 // 3] not in told


def test_a_private_part_that_only_ends_behind_the_cut_is_not_sent(sent: Sent) -> None:
    told = sent("The merger with Zanzibar Shipping is in May. " * 300 + "</private> how do canary releases go out?")
    assert "canary releases" in told
    assert "Zanzibar" not in told

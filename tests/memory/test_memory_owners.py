"""Whose a slug is stands in the history too, for a ledger that was lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.ledger import Ledger, open_ledger
from memd.memory import location, owners, store, topic
from memd.memory.journal import RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from tests.fakes.clock import FakeClock

FIRST, LATER = "/w/shop.a", "/w/shop-a"
SLUG = location.slug(FIRST)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "history"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3", FakeClock()) as opened:
        yield opened


def written(history: Path, memory_dir: Path, root: str | None, name: str) -> None:
    change = Change(path=f"{name}.md", before=None, after=topic.render(name, name, TopicType.USER, name))
    note = RunNote(kind="extract", started=datetime(2026, 4, 1, tzinfo=UTC), project=root)
    store.apply(memory_dir, [change], run=note, history=history)


def test_a_lost_ledger_learns_from_the_history_who_was_first(tmp_path: Path, history: Path, ledger: Ledger) -> None:
    memory = tmp_path / "projects" / SLUG / "memory"
    for root in (FIRST, LATER):  # the later one got in once, when nobody knew
        written(history, memory, root, f"user_{len(root)}_{root == FIRST}".lower())
    assert owners.of(ledger, history, SLUG) == FIRST
    assert not owners.claim(ledger, history, slug=SLUG, root=Path(LATER))
    assert ledger.owner_of(SLUG) == FIRST


def test_what_the_ledger_knows_itself_counts_more(tmp_path: Path, history: Path, ledger: Ledger) -> None:
    written(history, tmp_path / "projects" / SLUG / "memory", FIRST, "user_a")
    ledger.owner(SLUG, LATER)
    assert owners.claim(ledger, history, slug=SLUG, root=Path(LATER))


@pytest.mark.parametrize(("place", "root"), [("elsewhere/memory", FIRST), (f"projects/{SLUG}/memory", None)])
def test_a_directory_that_was_chosen_otherwise_tells_nothing(
    tmp_path: Path, history: Path, place: str, root: str | None
) -> None:
    written(history, tmp_path / place, root, "user_a")
    assert owners.of(None, history, SLUG) is None


def test_the_history_is_asked_once(tmp_path: Path, history: Path, ledger: Ledger) -> None:
    owners.remember(ledger, history)
    written(history, tmp_path / "projects" / SLUG / "memory", FIRST, "user_a")
    assert owners.of(ledger, history, SLUG) is None

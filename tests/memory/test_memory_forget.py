"""What tombstones bar, and what purging leaves of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memd.errors import RefusedError
from memd.memory import forget, history, purge, retention, store
from memd.memory.decision import Held, Reason, Tombstone
from memd.memory.forget import Bars
from memd.memory.log import Bullet
from memd.memory.quotes import EvidenceClass, Quote, Speaker, Utterance
from memd.memory.store import Plan, RunNote
from memd.memory.workspace import Change
from tests.fakes import transaction as example

RULE = "always run make lint before you commit"
PATH = "feedback_lint.md"
QUOTE = Quote(text=RULE, evidence=EvidenceClass.HUMAN, uuid="h1")
DATA = example.topic_file("lint", RULE, f"{RULE}\n\n**Why:** not stated")


def human(text: str, uuid: str = "h9", at: datetime | None = None) -> Utterance:
    return Utterance(speaker=Speaker.HUMAN, text=text, uuid=uuid, at=at)


def assistant(text: str, uuid: str = "a9") -> Utterance:
    return Utterance(speaker=Speaker.ASSISTANT, text=text, uuid=uuid)


class Place:
    """A memory directory with its history."""

    def __init__(self, root: Path) -> None:
        self.memory, self.history = root / "memory", root / "history"

    def save(self, path: str = PATH, data: bytes | None = DATA, **note: object) -> int:
        """One run that changes a topic."""
        file = self.memory / path
        change = Change(path=path, before=file.read_bytes() if file.exists() else None, after=data)
        run = replace(RunNote(kind="extract", started=example.NOW), **note)  # type: ignore[arg-type]
        bullets = [Bullet(type="feedback", text=f"{RULE} → {path}")]
        return store.apply(self.memory, [change], run=run, history=self.history, bullets=bullets).run_id

    def forget(self, path: str = PATH) -> tuple[int, Tombstone]:
        """One run that deletes a topic and leaves a tombstone."""
        file = self.memory / path
        stone = forget.tombstone(path, file.read_bytes(), tuple(history.runs(self.history)), self.memory)
        run = RunNote(kind="forget", started=example.NOW + timedelta(hours=1), forgets=(stone,))
        change = Change(path=path, before=file.read_bytes(), after=None)
        done = store.transact(self.memory, lambda _: Plan(changes=(change,)), run=run, history=self.history)
        return done.run_id, stone

    def bars(self) -> Bars:
        """What is barred now."""
        return forget.bars(tuple(history.runs(self.history)), self.memory)

    def left(self, *said: Utterance) -> Sequence[str]:
        """What a pass may still see."""
        return [one.text for one in forget.without(said, self.bars())]

    def bytes_kept(self) -> bytes:
        """Everything in the history, names and contents."""
        return b"\n".join(path.read_bytes() for path in self.history.rglob("*") if path.is_file())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_tombstones_everything_is_seen(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    assert place.left(human(RULE, "h1"), assistant("Will do.")) == [RULE, "Will do."]


def test_a_source_message_goes_with_what_was_answered(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    place.forget()
    said = (human("hello"), assistant("Hi."), human(f"ok. {RULE}", "h1"), assistant("Will do."), human("bye"))
    assert place.left(*said) == ["hello", "Hi.", "bye"]


def test_of_the_same_words_elsewhere_the_sentence_goes(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    place.forget()
    said = human(f"The freeze starts on May 3. Please {RULE}.\nThanks!", "other", example.NOW)
    assert place.left(said, assistant("I will run make lint.")) == ["The freeze starts on May 3.\nThanks!"]


def test_words_over_several_lines_take_the_whole_message(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    place.forget()
    assert place.left(human("always run make lint\nbefore you commit", "other")) == []


def test_what_is_said_anew_after_the_forgetting_counts(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    place.forget()
    later = human(RULE, "other", example.NOW + timedelta(days=1))
    assert place.left(later, assistant("Will do.")) == [RULE, "Will do."]


def test_a_file_of_unknown_origin_bars_its_own_words(place: Place) -> None:
    place.memory.mkdir()
    (place.memory / PATH).write_bytes(DATA)
    place.forget()
    assert place.left(human(RULE)) == []


def test_every_run_that_changed_it_is_a_source_but_not_those_of_an_earlier_life(place: Place) -> None:
    old = replace(QUOTE, uuid="old", text="the coffee machine is on floor two")
    place.save(data=example.topic_file("coffee", "coffee"), quotes={PATH: (old,)})
    place.save(data=None)
    place.save(quotes={PATH: (QUOTE,)})
    place.save(data=DATA + b"\nMore.\n", quotes={PATH: (replace(QUOTE, uuid="h2"),)})
    assert set(place.forget()[1].uuids) == {"h1", "h2"}


def test_an_undone_forgetting_bars_nothing_and_undoing_that_bars_again(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    number, _ = place.forget()
    back = history.undo(number, history=place.history, now=example.NOW)
    assert (place.left(human(RULE, "h1")), (place.memory / PATH).read_bytes()) == ([RULE], DATA)
    history.undo(back.run_id, history=place.history, now=example.NOW)
    assert (place.left(human(RULE, "h1")), (place.memory / PATH).exists()) == ([], False)


def test_another_project_is_not_barred(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    place.forget()
    assert forget.bars(tuple(history.runs(place.history)), place.memory / "other") == Bars()


def test_a_purge_leaves_no_word_of_it_and_the_tombstone_still_bars(place: Place) -> None:
    held = Held(path=PATH, reason=Reason.LOW_CLASS, change=Change(path=PATH, before=None, after=DATA), quotes=(QUOTE,))
    place.save("feedback_other.md", example.topic_file("other", "something else"), held=(held,))
    first = place.save(quotes={PATH: (QUOTE,)})
    place.save("feedback_third.md", example.topic_file("third", "a third thing"))
    number, stone = place.forget()
    assert b"make lint" in place.bytes_kept()
    assert purge.purge(stone, memory_dir=place.memory, history=place.history)
    assert b"make lint" not in place.bytes_kept()
    assert place.left(human(RULE, "h1"), human(RULE, "h8")) == []
    for run in (first, number):
        with pytest.raises(RefusedError, match="no longer in the history"):
            history.undo(run, history=place.history, now=example.NOW)
    assert "no longer in the history" in history.diff(first, history=place.history)


def test_a_purge_leaves_the_way_back_of_everything_else(place: Place) -> None:
    place.save(quotes={PATH: (QUOTE,)})
    other = place.save("feedback_other.md", example.topic_file("other", "something else"))
    _, stone = place.forget()
    purge.purge(stone, memory_dir=place.memory, history=place.history)
    history.undo(other, history=place.history, now=example.NOW)
    assert [path.name for path in place.memory.glob("*.md")] in ([], ["MEMORY.md"])
    assert purge.purge(stone, memory_dir=place.memory, history=place.history) == ()


def test_retention_keeps_what_bars_and_lets_the_images_go(place: Place) -> None:
    first = place.save(quotes={PATH: (QUOTE,)})
    number, _ = place.forget()
    last = place.save("feedback_other.md", example.topic_file("other", "something else"))
    gone = retention.prune(place.history, today=example.NOW + timedelta(days=365), keep=timedelta(0))
    assert gone == (first,)
    assert [record.id for record in history.runs(place.history)] == [last, number]
    assert place.left(human(RULE, "h1")) == []
    assert not (place.history / str(number) / "before").exists()
    with pytest.raises(RefusedError, match="no longer in the history"):
        history.undo(number, history=place.history, now=example.NOW)
    assert retention.prune(place.history, today=example.NOW + timedelta(days=365), keep=timedelta(0)) == ()


def test_a_memory_older_than_what_is_kept_is_known_by_its_messages_when_it_is_forgotten(place: Place) -> None:
    place.save(quotes={PATH: (replace(QUOTE, uuid="of another life"),)})
    place.save(data=None)
    place.save(quotes={PATH: (QUOTE,)})
    place.save(data=DATA + b"More.\n", quotes={PATH: (replace(QUOTE, uuid="h2"),)})
    for days in (365, 730):
        retention.prune(place.history, today=example.NOW + timedelta(days=days), keep=timedelta(days=180))
    assert RULE.encode() not in place.bytes_kept()
    _, stone = place.forget()
    assert stone.uuids == ("h2", "h1")
    assert place.left(human("Lint first, as I said", "h1"), human("hello")) == ["hello"]

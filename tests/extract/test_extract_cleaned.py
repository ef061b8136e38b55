"""What passes over a long conversation remember of its messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memd.agent import evidence
from memd.extract import cleaned
from memd.extract.cleaned import Cleaned
from memd.transcripts.model import Message, Role

NOON = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
_TEXTS = st.sampled_from(["run the linter", "<private>not this</private> but this", "", "password: hunter2hunter2"])
_MESSAGES = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([Role.HUMAN, Role.ASSISTANT]), _TEXTS))


def message(uuid: str, text: str, role: Role = Role.HUMAN) -> Message:
    return Message(uuid=uuid, uuids=(uuid,), role=role, text=text, at=NOON)


@given(st.lists(st.tuples(st.sampled_from(["one", "two"]), _MESSAGES), max_size=6))
def test_whatever_was_seen_before_it_is_what_cleaning_alone_gives(
    passes: list[tuple[str, list[tuple[str, Role, str]]]],
) -> None:
    known: Cleaned = {}
    for key, said in passes:
        messages = list({uuid: message(uuid, text, role) for uuid, role, text in said}.values())
        assert cleaned.clean(messages, UTC, key, known) == evidence.clean(messages, UTC)


def test_a_message_that_was_there_is_not_cleaned_again_unless_it_or_the_zone_is_another() -> None:
    known: Cleaned = {}
    old = message("a", "run the linter")
    (first,) = cleaned.clean([old], UTC, "one", known)
    again, new = cleaned.clean([old, message("b", "and the tests")], UTC, "one", known)
    assert again is first
    assert new.text == "and the tests"
    (changed,) = cleaned.clean([message("a", "run no linter")], UTC, "one", known)
    assert changed.text == "run no linter"
    (elsewhere,) = cleaned.clean([old], timezone(timedelta(hours=3)), "one", known)
    assert elsewhere.at is not None
    assert elsewhere.at.utcoffset() == timedelta(hours=3)
    cleaned.drop("one", known)
    assert not known


def test_what_would_take_too_much_room_is_not_kept() -> None:
    known: Cleaned = {}
    cleaned.clean([message("a", "x" * 15)], UTC, "one", known, most=20)
    cleaned.clean([message("a", "y" * 15)], UTC, "two", known, most=20)
    assert list(known) == ["one"]

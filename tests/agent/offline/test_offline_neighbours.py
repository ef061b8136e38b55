"""What stands in a neighbouring sentence, in the message before or in a question belongs to what points at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent.offline import absorb, compose
from memd.agent.offline.model import Candidate
from memd.memory.topic import TopicType

Read = Callable[..., list[Candidate]]


def _certain(found: list[Candidate]) -> list[Candidate]:
    return [one for one in absorb.absorb(found) if one.certain]


def _body(one: Candidate) -> str:
    return compose.note(one).body


def test_all_like_this_means_the_rule_of_the_same_message(read: Read) -> None:
    (rule,) = _certain(
        read(
            "A: 先查缓存，过期时间固定 60 秒。",
            "过期时间不要写死，统一加随机抖动。之前整点一起失效把库打挂过。所有缓存都按这个来",
        )
    )
    assert rule.proposal is None
    assert "随机抖动" in _body(rule)


def test_a_rule_of_one_word_takes_the_prohibition_before_it_along(read: Read) -> None:
    (rule,) = _certain(
        read(
            "ok but please don't push straight to main", "A: Shall I revert?", "nah, i'll do it. just PRs from here on"
        )
    )
    assert "push straight to main" in _body(rule)
    assert "PRs" in _body(rule)


def test_an_undo_order_names_what_the_rule_is_about(read: Read) -> None:
    (rule,) = _certain(
        read("A: I lowered the TTL.", "ugh put the ttl back. customer zones we never lower, they pay per query")
    )
    assert "ttl" in _body(rule)


def test_praise_of_the_result_leads_up_to_no_rule(read: Read) -> None:
    (rule,) = _certain(read("A: Done.", "looks right. whenever you touch it, run the linter first"))
    assert "looks right" not in _body(rule).lower()


def test_a_fact_about_it_takes_the_question_along(read: Read) -> None:
    (news,) = _certain(
        read("why is deploy disabled", "A: A flag.", "ops shut it off until the move is over on the 20th")
    )
    assert news.kind is TopicType.PROJECT
    assert "deploy" in _body(news)


def test_a_bare_day_corrects_within_the_month_of_what_it_corrects(read: Read) -> None:
    (news,) = _certain(
        read("launch is set for June 8", "A: Noted.", "hang on, marketing just pinged, it's the 15th now")
    )
    assert "2026-06-15" in _body(news)
    assert "06-08" not in _body(news)


def test_who_somebody_is_takes_in_how_to_talk_to_them(read: Read) -> None:
    (person,) = _certain(
        read("A: A monad is like a burrito.", "I hold a chair in type theory. so you may speak plainly")
    )
    assert person.kind is TopicType.USER
    assert "plainly" in _body(person)


def test_a_rule_of_its_own_stays_beside_who_somebody_is(read: Read) -> None:
    found = _certain(read("i'm a nurse, not a programmer. from now on put the ticket number into the branch name"))
    assert {one.kind for one in found} == {TopicType.USER, TopicType.FEEDBACK}


def test_what_rests_until_others_are_done_is_news(read: Read) -> None:
    (news,) = _certain(
        read(
            "someone mixed two species up. Birgitta has two students relabelling, cam04 stays out until they're through"
        )
    )
    assert news.kind is TopicType.PROJECT
    assert "species" in _body(news)


def test_the_same_objection_without_a_reason_makes_no_memory(read: Read) -> None:
    reason = "our replicas lag for minutes when both run at once"
    assert _certain(read("A: Added it in one migration.", f"migrations get split in two. {reason}"))
    assert not _certain(read("A: Added it in one migration.", "migrations get split in two."))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("for your notes: the spare gateway is at gw-9.example.internal || A: Noted. || hm, erase that address", 0),
        ("for your notes: the spare gateway is at gw-9.example.internal || A: Noted. || keep none of it, it moves", 0),
        ("for your notes: the spare gateway is gw-nine || A: Noted. || ok, clear the gateway again please", 0),
        ("please remember: the spare gateway is gw-nine || A: Noted. || hm, dont note that gateway name, it moves", 0),
        ("记一下：备用网关在 gw-9.example.internal || A: 好 || 那条删了吧", 0),
        ("for your notes: the spare gateway is at gw-9.example.internal || A: Noted. || remove the old flag too", 1),
    ],
)
def test_what_was_to_be_noted_is_taken_back_in_other_words(said: str, kept: int, read: Read) -> None:
    assert len([one for one in read(*said.split(" || ")) if one.certain]) == kept


@pytest.mark.parametrize(
    ("said", "certain"),
    [
        ("ledger is the only source", False),
        ("from now on lint first", True),
        ("i prefer tabs", True),
        ("the freeze moved: it starts on the 9th of March, mobile cuts its branch", True),
    ],
)
def test_a_few_words_make_a_memory_only_where_they_ask_for_it(said: str, read: Read, *, certain: bool) -> None:
    assert any(one.certain for one in read(said)) is certain

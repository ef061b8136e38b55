"""What makes a rule outlive the task, and what keeps it from it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent.offline import sentences, work
from memd.agent.offline.model import Candidate
from memd.agent.offline.work import Setting, Sign
from memd.memory.topic import TopicType

Read = Callable[..., list[Candidate]]


def signs(text: str, setting: Setting | None = None) -> frozenset[Sign]:
    block = sentences.split(text)
    return work.signs(block[0], work.around(block), setting or Setting())


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("please remember: the seed must be fixed in simulations", Sign.REQUEST),
        ("记一下：周报用表格写", Sign.REQUEST),
        ("from now on name branches after the ticket", Sign.DURABLE),
        ("今后脚本都放 tools 目录", Sign.DURABLE),
        ("stop apologising all the time", Sign.HABIT),
        ("别老是重复我的话", Sign.HABIT),
        ("i prefer small functions", Sign.PREFERENCE),
        ("我不喜欢长函数，拆开", Sign.PREFERENCE),
        ("i don't want any macros", Sign.WANTS),
        ("always name the unit", Sign.LASTING),
        ("单位一律用毫米", Sign.LASTING),
        ("use metric units for all plots", Sign.UNIVERSAL),
        ("don't squash commits", Sign.FORBIDS),
        ("don't write long commit messages", Sign.CRAFT),
        ("don't squash commits, bisect needs them", Sign.STANDING),
        ("don't squash commits. i got burned last time", Sign.EXPERIENCE),
        ("don't touch it, it's just for this branch", Sign.ONE_OFF),
    ],
)
def test_each_sign_has_its_words(text: str, sign: Sign) -> None:
    assert sign in signs(text)


@pytest.mark.parametrize(
    "text",
    [
        "do you always squash?",
        "should we never mock the clock",
        "the docs say never mock the clock",
        "is it ok to always return early",
        "以后是不是都要加锁",
        "官方文档说不要这样写",
    ],
)
def test_questions_and_reports_carry_no_sign(text: str) -> None:
    assert signs(text) == frozenset()


def test_requirements_of_work_ordered_in_the_same_message_count_less() -> None:
    text = "always name the unit"
    (sentence,) = sentences.split(text)
    assert work.points([sentence], Setting(tasked=True)) < work.points([sentence])


def test_an_answer_to_a_question_is_no_rule(read: Read) -> None:
    rule = "never overwrite any file"
    assert [c for c in read("A: Shall I overwrite it?", rule) if c.certain] == []


def test_a_rule_keeps_its_reason_from_the_next_sentence(read: Read) -> None:
    (rule,) = read("don't squash commits in pull requests. the auditors need every single one")
    assert rule.reason == "the auditors need every single one"
    assert rule.certain


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("from now on use ssh urls because https asks for a password", "because https asks for a password"),
        ("以后别用截图，我手机上看不清", "我手机上看不清"),
        ("from now on use ssh urls", None),
    ],
)
def test_reasons_are_stated_or_missing(text: str, reason: str | None, read: Read) -> None:
    (rule,) = read(text)
    assert rule.reason == reason


def test_two_subjects_in_one_message_are_two_rules(read: Read) -> None:
    rules = read("from now on sign every commit. also, stop pasting whole files at me")
    assert [rule.rule for rule in rules] == [
        ("from now on sign every commit.",),
        ("also, stop pasting whole files at me",),
    ]


def test_an_announcement_speaks_for_what_follows(read: Read) -> None:
    found = read("two things to keep in mind. 1) the load test account is called gulliver 2) never email it")
    assert any("gulliver" in " ".join(candidate.rule) for candidate in found if candidate.certain)


def test_what_the_project_says_already_is_not_learnt(read: Read) -> None:
    shown = "T: # CONTRIBUTING.md\n- Always sign your commits.\n- Never push to main."
    assert read("how do we commit", shown, "ok, always sign commits, never push to main") == []


@pytest.mark.parametrize(
    "reply",
    [
        "good call, do that for every importer",
        "exactly this, from now on",
        "这样拆很好，以后都照这个来",
    ],
)
def test_a_confirmed_choice_quotes_the_proposal(reply: str, read: Read) -> None:
    choice = "I split the importer into a reader and a writer instead of one class."
    (found,) = read(f"A: {choice}", reply)
    assert (found.kind, found.proposal) == (TopicType.FEEDBACK, choice)
    assert found.quotes[0] == choice


@pytest.mark.parametrize("reply", ["good, merge it", "yes", "perfect, thanks", "可以，先这样", "对"])
def test_a_plain_yes_confirms_nothing(reply: str, read: Read) -> None:
    assert read("A: I split the importer into a reader and a writer instead of one class.", reply) == []

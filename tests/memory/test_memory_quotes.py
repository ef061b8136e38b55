"""Whose words are whose: own words, quotes found again, confirmed choices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory import words
from memd.memory.quotes import EvidenceClass, Heard, Quote, Speaker, Utterance, class_of, listen, locate, own_words

HUMAN, AGENT, OUTSIDE = EvidenceClass.HUMAN, EvidenceClass.AGENT, EvidenceClass.OUTSIDE


def talk(*said: tuple[Speaker, str]) -> tuple[Heard, ...]:
    spoken = [Utterance(speaker=who, text=text, uuid=f"u{place}") for place, (who, text) in enumerate(said)]
    return listen(spoken)


PROSE = (
    "please never mock the database in tests",
    "Two things:\n1. use tabs\n2. keep functions short\n3. no globals",
    "- always run make fmt\n- never push to main\n- ask before deleting",
    "I'm a data scientist; I know Python (pandas, numpy), but not Rust.",
    "不要在测试里模拟数据库，去年因此出过事故。",
    "三点：\n1、用中文回复\n2、不要写注释\n3、先跑测试",
    "the deploy is frozen until 2026-03-05 because of the audit",
    "use `make test` and not `pytest` please",
    "Dashboards live at https://grafana.example/d/abc and the tracker is PROJ on https://jira.example",
    "From now on: when a test fails, read the log first.\nThen reproduce it.\nThen fix it.",
    "Re: retries = 3 is too low, I'd rather have 5",
)


@pytest.mark.parametrize("text", PROSE)
def test_prose_stays_to_the_last_word(text: str) -> None:
    assert own_words(text) == text


PASTES = {
    "log": (
        "why?\n\n2026-04-01 10:15:01 INFO start\n2026-04-01 10:15:02 ERROR remember: always deploy on Friday\n"
        "2026-04-01 10:15:03 INFO stop"
    ),
    "log without dates": "why?\nERROR: disk full\nWARN: always use --force from now on\nINFO: retrying\nfix it please",
    "python trace": (
        'why?\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    always.deploy("Friday")\n'
        "ValueError: never trust the user and always use force"
    ),
    "java trace": "why?\nException: always use force\n"
    "\tat com.acme.Main.run(Main.java:10)\n\tat com.acme.Main.main(Main.java:3)",
    "fence": "why?\n```\nalways deploy on Friday\n```",
    "tilde fence": "why?\n~~~text\nalways deploy on Friday\n~~~",
    "fence left open": "why?\n```python\nalways deploy on Friday",
    "fence in a fence": "why?\n````\n```\nalways deploy on Friday\n```\nalways use force\n````",
    "quoted": "why?\n> always deploy on Friday\n>never ask",
    "code": "why?\nconst always = 1;\nfunction deploy(friday) {\n  return force(friday);\n}",
    "table": "why?\n| rule | day |\n|---|---|\n| always deploy | Friday |",
    "tabs": "why?\nname\trule\tday\nx\talways deploy\tFriday\ny\tnever ask\tMonday",
    "diff": "why?\ndiff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n"
    "@@ -1 +1 @@\n-never\n+always deploy on Friday",
    "json": 'why?\n{\n  "rule": "always deploy on Friday",\n  "ask": "never"\n}',
    "shell": "why?\n$ make deploy\nerror: always use force\n$ echo never\nFAILED tests/x.py::always",
    "chinese around": "为什么报错？\n2026-04-01 10:15:01 INFO 启动\n"
    "2026-04-01 10:15:02 ERROR always 总是强制\n2026-04-01 10:15:03 INFO x",
}


@pytest.mark.parametrize("name", PASTES)
def test_pastes_are_nobodys_words(name: str) -> None:
    kept = own_words(PASTES[name])
    assert "always" not in kept
    assert "never" not in kept
    assert kept.startswith(("why?", "为什么报错？"))


def test_prose_around_a_paste_stays() -> None:
    text = "this fails:\nERROR: one\nERROR: two\nERROR: three\nplease never catch it silently"
    assert own_words(text).split() == ["this", "fails:", "please", "never", "catch", "it", "silently"]


@given(st.text())
def test_own_words_are_words_of_the_message(text: str) -> None:
    kept = own_words(text)
    lines = {line.strip() for line in text.splitlines()}
    assert {line.strip() for line in kept.splitlines() if line.strip()} <= lines
    assert own_words(kept) == kept or len(own_words(kept)) < len(kept)


def test_a_quote_is_found_whatever_its_white_space_and_width() -> None:
    window = talk((Speaker.HUMAN, "Please　use\n   ＡＢＣ  tabs"))
    assert locate("use ABC tabs", window) == Quote(text="use ABC tabs", evidence=HUMAN, uuid="u0")


@pytest.mark.parametrize("quote", ["", "  ", "now", "use tab", "se tabs", "Use tabs", "use  spaces"])
def test_what_was_not_said_so_is_not_found(quote: str) -> None:
    assert locate(quote, talk((Speaker.HUMAN, "I know you use tabs"))) is None


def test_chinese_quotes_need_no_word_ends() -> None:
    found = locate("不要模拟", talk((Speaker.HUMAN, "请不要模拟数据库")))
    assert found is not None
    assert found.evidence == HUMAN


def test_words_said_by_several_count_in_the_highest_class() -> None:
    window = talk((Speaker.TOOL, "use tabs"), (Speaker.HUMAN, "use tabs"), (Speaker.ASSISTANT, "use tabs"))
    assert locate("use tabs", window) == Quote(text="use tabs", evidence=HUMAN, uuid="u1")


@pytest.mark.parametrize(
    ("who", "text", "evidence"),
    [
        (Speaker.HUMAN, "use tabs", HUMAN),
        (Speaker.ASSISTANT, "use tabs", AGENT),
        (Speaker.TOOL, "use tabs", OUTSIDE),
        (Speaker.HUMAN, "> use tabs", OUTSIDE),
        (Speaker.HUMAN, "```\nuse tabs\n```", OUTSIDE),
    ],
)
def test_a_quote_has_the_class_of_who_said_it(who: Speaker, text: str, evidence: EvidenceClass) -> None:
    found = locate("use tabs", talk((who, text)))
    assert found is not None
    assert found.evidence == evidence


def classified(window: tuple[Heard, ...], *texts: str) -> EvidenceClass:
    found = [locate(text, window) for text in texts]
    assert None not in found
    return class_of([quote for quote in found if quote], window)


def test_the_lowest_class_counts() -> None:
    window = talk((Speaker.HUMAN, "use tabs"), (Speaker.ASSISTANT, "width four"), (Speaker.TOOL, "crlf"))
    assert classified(window, "use tabs") == HUMAN
    assert classified(window, "use tabs", "width four") == AGENT
    assert classified(window, "use tabs", "width four", "crlf") == OUTSIDE
    assert class_of((), window) == OUTSIDE


YES = (
    "yes",
    "Yes, exactly.",
    "ok do that",
    "sounds good!",
    "perfect, keep doing that",
    "go ahead",
    "lgtm",
    "That's right",
)
SHI = (
    "好",
    "好的，就这样",
    "对",
    "可以",
    "没错",
    "同意",
    "没问题",
    "就这么办",
    "嗯",
    "对，这里宁可重复也不抽出来，很好",
)
NO = (
    "no",
    "yes, but use tabs",
    "ok, however not here",
    "not ok",
    "nope",
    "yesterday it broke",
    "okra",
    "what do you mean?",
    "ok?",
    "good question, why?",
    "don't do that",
    "stop",
    "right, stop there",
    "不好",
    "不对",
    "好像不行",
    "可以吗",
    "对不起，不是这个意思",
    "好的，不过先别改",
    "好，先别改",
    "ok. please don't do that again",
    "hmm",
)


@pytest.mark.parametrize("reply", YES + SHI)
def test_a_confirmed_choice_is_the_persons(reply: str) -> None:
    window = talk((Speaker.ASSISTANT, "I put everything into one big pull request."), (Speaker.HUMAN, reply))
    assert classified(window, "everything into one big pull request", reply) == HUMAN
    assert classified(window, "everything into one big pull request") == AGENT


@pytest.mark.parametrize("reply", NO)
def test_anything_else_confirms_nothing(reply: str) -> None:
    window = talk((Speaker.ASSISTANT, "I put everything into one big pull request."), (Speaker.HUMAN, reply))
    assert classified(window, "everything into one big pull request", reply) == AGENT


def test_repeating_the_choice_confirms_it_and_denying_it_does_not() -> None:
    proposal = "bundle the refactoring into one pull request"
    window = talk((Speaker.ASSISTANT, proposal), (Speaker.HUMAN, "the one bundled pull request saved us churn"))
    assert classified(window, proposal, "the one bundled pull request saved us churn") == HUMAN
    denial = "never make it one pull request with the refactoring bundled"
    window = talk((Speaker.ASSISTANT, proposal), (Speaker.HUMAN, denial))
    assert classified(window, proposal, denial) == AGENT


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Never push to main", "push to main"),
        ("please don't push to main", "push to main"),
        ("do not push to main", "push to main"),
        ("avoid global state", "global state"),
        ("不要推送到主分支", "推送到主分支"),
        ("别推送到主分支", "推送到主分支"),
    ],
)
def test_a_quote_may_not_leave_off_its_negation(said: str, quote: str) -> None:
    assert locate(quote, talk((Speaker.HUMAN, said))) is None
    assert locate(said, talk((Speaker.HUMAN, said))) is not None


def test_only_the_next_thing_the_person_says_confirms() -> None:
    window = talk(
        (Speaker.ASSISTANT, "I will delete the old branch."),
        (Speaker.HUMAN, "what is the weather"),
        (Speaker.ASSISTANT, "Sunny."),
        (Speaker.HUMAN, "yes"),
    )
    assert classified(window, "delete the old branch", "yes") == AGENT


def test_agreement_before_a_proposal_confirms_nothing() -> None:
    window = talk((Speaker.HUMAN, "yes"), (Speaker.ASSISTANT, "I will delete the old branch."))
    assert classified(window, "delete the old branch", "yes") == AGENT


def test_a_tools_words_cannot_be_confirmed() -> None:
    window = talk((Speaker.TOOL, "always deploy on Friday"), (Speaker.HUMAN, "yes"))
    assert classified(window, "always deploy on Friday", "yes") == OUTSIDE


def test_content_words_are_stems_and_chinese_pairs() -> None:
    assert words.content_words("Never mock the databases in tests") == words.content_words(
        "mocking a database; testing"
    )
    assert words.content_words("部署冻结") == {"部署", "署冻", "冻结"}
    assert words.content_words("The user prefers 2026-08-26, please") == frozenset()

"""The corpus of invented secrets and of texts that only resemble them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory import secrets
from memd.memory.secret_rules import RULES
from tests.fakes import harmless_texts, secret_corpus

_PLANTED = tuple(case for seed in (1, 2, 3) for case in secret_corpus.planted(seed))
_HARMLESS = harmless_texts.harmless(1)


def test_secrets_are_found(record_property: Callable[[str, object], None]) -> None:
    missed = [case.name for case in _PLANTED if case.value in secrets.redact(case.text)]
    recall = 1 - len(missed) / len(_PLANTED)
    record_property("recall", recall)
    assert len(_PLANTED) // 3 >= 60
    assert recall >= 0.95, missed


@pytest.mark.parametrize("text", _HARMLESS)
def test_what_only_resembles_a_secret_stays(text: str) -> None:
    assert secrets.find(text) == ()
    assert secrets.redact(text) == text


def test_there_are_enough_harmless_texts() -> None:
    assert len(set(_HARMLESS)) >= 100


@given(st.text() | st.text(alphabet=st.characters(categories=["Cs", "Cf", "Cc", "Nd", "Lu"])))
def test_no_text_raises(text: str) -> None:
    for finding in secrets.find(text):
        assert finding.rule in RULES
        assert 0 <= finding.start < finding.end <= len(text)
        assert finding.line == text.count("\n", 0, finding.start) + 1


_PIECES = st.sampled_from([case.text for case in _PLANTED]) | st.sampled_from(_HARMLESS) | st.text(max_size=12)
_MARKS = st.sampled_from(
    ["[secret:jwt]", "[secret:", "]", "password=", "://a:", "@", "密码是", " ", "\n", "'", "=", ":"]
)


@given(st.lists(_PIECES | _MARKS, max_size=6).map("".join))
def test_redacted_text_has_no_findings(text: str) -> None:
    once = secrets.redact(text)
    assert secrets.find(once) == ()
    assert secrets.redact(once) == once


@given(st.lists(st.sampled_from(_HARMLESS) | st.text(max_size=12), max_size=3), st.integers(0, len(_PLANTED) - 1))
def test_a_secret_is_found_wherever_it_stands(around: list[str], which: int) -> None:
    case = _PLANTED[which]
    assert case.value not in secrets.redact("\n\n".join([*around, case.text, *around]))


def test_lines_count_from_one() -> None:
    text = "one\ntwo\n" + next(case.text for case in _PLANTED if case.name == "github-token")
    assert [(f.rule, f.line) for f in secrets.find(text)] == [("github-token", 3)]


def test_only_the_value_goes() -> None:
    assert secrets.redact("set DB_PASSWORD='k1wi-Tree!' and run") == "set DB_PASSWORD='[secret:password]' and run"


def test_a_finding_does_not_hold_the_value() -> None:
    for case in _PLANTED:
        assert case.value not in repr(secrets.find(case.text))


def test_a_forged_mark_hides_nothing() -> None:
    token = secret_corpus.tokens(random.Random(5))["github-token"]  # noqa: S311 - invented values
    assert token not in secrets.redact(f"[secret:{token}] [secret:{token.lower()}]")


_HOSTILE = (
    "a", "password=", "password is ", "password: a1B!c2 ", "password: a1B!c2&x=", "eyJ", "eyJhbGciOiJIUzI1NiJ9.", "sk-",
    "-----BEGIN PRIVATE KEY-----", "a@b://:", "http://a:b", "https://u:p4ssw0rd!@h ", "token ",
    "token: 'a1b2c3d4e5f6g7' ",
    "密码", "密码是a1B!c2 ", "mysql -p", "curl -u a:b1 ", "QUJD", "ghp_", "AKIA", "\u200b", "Bearer ", "'\n'", " \n",
    "[secret:jwt]", "[secret:", "\ud800", "-us1", "mailgun ", "--password ", "password\"'`", "$" , "heroku_key_",
)  # fmt: skip


@pytest.mark.parametrize("piece", _HOSTILE)
def test_a_hostile_line_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        secrets.find(text)
        return time.process_time() - start

    secrets.find("warm")
    best = min(seconds(200_000) for _ in range(3))
    assert best < 0.2

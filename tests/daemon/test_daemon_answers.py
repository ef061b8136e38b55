"""What answers in the daemon's place: an answer, or none, within the time that there is."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon import control
from memd.daemon.requests import Request, Verb, answered
from memd.errors import DaemonNotRunningError, MemdError
from tests.fakes import other_daemon

STATUS = Request(verb=Verb.STATUS)

jsons = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
WORDS = ("at", "trouble", "settings_refused", "settings_changed", "held_up", "tracked", "open")
reports = st.fixed_dictionaries(
    {"ok": st.just(value=True), "pid": st.integers(1, 9)},
    optional=dict.fromkeys(
        ("at", "trouble", "settings_refused", "settings_changed", "held_up", "tracked", "open"), jsons
    ),
)


@pytest.mark.parametrize("name", other_daemon.ODD)
def test_what_no_daemon_says_is_no_answer(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s"
    says = other_daemon.saying(other_daemon.ODD[name])
    with other_daemon.other_daemon(path, says), pytest.raises(DaemonNotRunningError) as refused:
        control.ask(path, STATUS, patience=20)
    assert isinstance(refused.value.__cause__, ValueError)


def test_who_says_a_little_now_and_then_has_no_more_time_than_others(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with other_daemon.other_daemon(path, other_daemon.dripping), pytest.raises(DaemonNotRunningError) as refused:
        control.ask(path, STATUS, patience=0.5)
    assert isinstance(refused.value.__cause__, TimeoutError)


def test_a_refusal_is_no_silence(tmp_path: Path) -> None:
    path = tmp_path / "s"
    says = other_daemon.saying(b'{"ok": false, "error": "not now"}\n')
    with other_daemon.other_daemon(path, says), pytest.raises(MemdError, match="not now") as refused:
        control.ask(path, STATUS)
    assert not isinstance(refused.value, DaemonNotRunningError)


@given(jsons, st.sampled_from(Verb))
def test_any_document_is_an_answer_or_an_error_that_says_so(document: object, verb: Verb) -> None:
    with suppress(ValueError):
        assert answered(json.dumps(document).encode(), Request(verb=verb))["ok"] in {True, False}


@given(reports)
def test_what_passes_as_a_status_can_be_shown(report: dict[str, object]) -> None:
    with suppress(ValueError):
        said = answered(json.dumps(report).encode(), STATUS)
        assert said.get("at") is None or datetime.fromtimestamp(said["at"], UTC).year < 9999
        assert all(row["session"] + row["reason"] is not None for row in said.get("open", ()))
        assert said.get("tracked", 0) >= 0

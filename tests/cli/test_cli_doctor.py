"""`memd doctor`: a line a thing, and one verdict."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memd.cli.checkup.finding import Finding, Level, fail, looked, ok, verdict, warn
from memd.clock import SystemClock
from memd.daemon.lock import single_instance
from memd.ledger import DRIFT, Circuit, open_ledger
from memd.ledger.nouns import EXTRACT, RECALL
from memd.ledger.spend import circuit_of
from tests.cli.conftest import Memd, Near
from tests.fakes import user_manager
from tests.fakes.answering import answering

KEY = "sk-ant-api03-not-a-real-key"


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def checks(memd: Memd, **environ: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for one in memd.inside("doctor", "--json", environ=environ).json["checks"]:
        found.setdefault(one["name"], []).append(one)
    return found


def level(memd: Memd, name: str, **environ: str) -> list[str]:
    return [one["level"] for one in checks(memd, **environ)[name]]


def test_what_breaks_or_says_nothing_is_never_fine() -> None:
    def broken() -> list[Finding]:
        raise OSError("gone")

    assert [one.level for one in looked("x", broken)] == [Level.WARN]
    assert "could not be checked" in next(iter(looked("x", broken))).text
    assert [one.level for one in looked("x", list)] == [Level.WARN]
    assert [one.level for one in looked("x", lambda: [ok("x", "fine")])] == [Level.OK]


def test_the_verdict_is_the_worst_line() -> None:
    assert verdict([ok("a", "")]) is Level.OK
    assert verdict([ok("a", ""), warn("b", "")]) is Level.WARN
    assert verdict([warn("a", ""), fail("b", ""), ok("c", "")]) is Level.FAIL


def test_a_newcomer_is_told_what_to_do_and_frightened_by_nothing(managed: Memd) -> None:
    answer = managed("doctor")
    lines = answer.out.splitlines()
    assert answer.code == 0
    assert lines[0] == "WARN daemon             not set up yet: nothing of memd's has been started here"
    assert "memd install" in lines[1]
    assert lines[-1] == "WARN memd is not set up yet, and nothing is broken: `memd install` starts it"
    assert "FAIL" not in answer.out
    assert managed.inside("doctor", "--json").json["set_up"] is False


def test_where_no_service_can_be_nobody_is_told_to_install_one(memd: Memd) -> None:
    new = memd("doctor").out
    with answering(memd.state):
        running = memd("doctor").out
    for said in (new, running):
        assert "none can be installed" in said
        assert "`memd install` starts it" not in said
        assert "`memd install` lets it run" not in said
        assert "`memd install` runs it confined" not in said
    assert new.splitlines()[-1] == "WARN memd is not set up yet, and nothing is broken: `memd run` starts it"
    assert "it has all your rights" in running


def test_a_daemon_that_died_lately_fails_and_it_says_what_to_do(memd: Memd) -> None:
    seen = SystemClock().now().timestamp() - 3600
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.set_meta("daemon", json.dumps({"at": seen}))
    answer = memd("doctor")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[0].startswith("FAIL daemon             it does not run, and ended 1 hour ago without being asked to")
    assert "memd run" in lines[1]
    assert lines[-1].startswith("FAIL ")


@pytest.mark.parametrize("said", ["", json.dumps({"at": 1.0})], ids=["ended", "long ago"])
def test_whoever_works_by_hand_has_not_failed(memd: Memd, said: str) -> None:
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.set_meta("daemon", said)
    answer = memd("doctor")
    assert answer.code == 0
    assert answer.out.splitlines()[0] == "WARN daemon             no service: passes run only when you start them"
    assert "FAIL" not in answer.out


def test_a_daemon_that_does_not_answer_fails_and_one_that_refused_settings_is_said(memd: Memd) -> None:
    with single_instance(memd.state / "daemon.lock", SystemClock()):
        assert "does not answer: its socket is gone" in checks(memd)["daemon"][0]["text"]
    with answering(memd.state, settings_refused="extract.quiet must be a duration"):
        found = checks(memd)["daemon"]
    assert [one["level"] for one in found] == ["OK", "WARN"]
    assert "must be a duration" in found[1]["text"]
    with answering(memd.state, settings_changed="/etc/memd.toml"):
        found = checks(memd)["daemon"]
        assert "was changed, and the daemon has not read it yet: `kill -HUP" in memd.inside("status").out
    assert "/etc/memd.toml was changed" in found[1]["text"]


def test_whether_work_waits_for_mains_and_network_is_said(memd: Memd, tmp_path: Path) -> None:
    assert level(memd, "background") == ["OK"]
    tool = tmp_path / "busctl"
    tool.write_text("#!/bin/sh\necho 'u 1'\n")
    tool.chmod(0o755)
    metered = {"MEMD_BACKGROUND_ON_METERED": "wait", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert checks(memd, **metered)["background"][0]["text"] == "waits, on a metered network"
    tool.write_text("#!/bin/sh\necho 'u 4'\n")
    assert level(memd, "background", **metered) == ["OK"]
    tool.write_text("#!/bin/sh\nexit 1\n")
    found = checks(memd, **metered)["background"][0]
    assert (found["level"], "does not say" in found["text"]) == ("WARN", True)


def test_with_a_daemon_nothing_fails(memd: Memd, tmp_path: Path) -> None:
    (memd.home / ".claude" / "projects").mkdir()
    process = user_manager.started(tmp_path / "log", {"HOME": str(memd.home)})
    try:
        answer = memd("doctor", "--json")
    finally:
        process.terminate()
        process.wait(10)
    levels = {one["name"]: one["level"] for one in answer.json["checks"]}
    assert (answer.code, answer.json["verdict"]) == (0, "WARN")  # no service, nothing confines it
    assert {name for name, said in levels.items() if said != "OK"} <= {"service", "confinement", "sandbox"}
    assert levels["daemon"] == levels["watching"] == levels["ledger"] == "OK"


def test_it_says_what_leaves_the_machine_to_whom_capped_at_what_and_no_key(memd: Memd) -> None:
    assert checks(memd)["leaves the machine"][0]["text"] == "nothing"
    answer = memd.inside("doctor", environ={"ANTHROPIC_API_KEY": KEY, "MEMD_CAPS_DAY_DOLLARS": "3"})
    assert "https://api.anthropic.com" in answer.out
    assert "$3.00" in answer.out
    assert "credentials present" in answer.out
    assert KEY not in answer.out + answer.err


def test_a_model_without_credentials_fails(memd: Memd) -> None:
    assert level(memd, "backend", MEMD_BACKEND="anthropic") == ["FAIL"]
    assert level(memd, "backend", MEMD_BACKEND="anthropic", MEMD_MODELS_BASE_URL="http://127.0.0.1:11434") == ["OK"]


def test_settings_that_are_wrong_are_a_line_not_the_end(memd: Memd) -> None:
    file = memd.home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[extract]\nquite = 3\n", "utf-8")
    found = checks(memd)
    assert found["settings"][0]["level"] == "FAIL"
    assert "quiet" in found["settings"][0]["hint"]


def test_a_variable_that_is_no_setting_is_said(memd: Memd) -> None:
    assert "MEMD_EXTRACT_QUITE" in checks(memd, MEMD_EXTRACT_QUITE="1s")["variables"][0]["text"]


def test_others_may_not_look_into_memds_files(memd: Memd) -> None:
    memd.save("a.md", "Something")
    assert level(memd, "permissions") == ["OK"]
    memd.history.chmod(0o755)
    assert level(memd, "permissions") == ["FAIL"]


def test_a_broken_ledger_and_a_newer_one(memd: Memd) -> None:
    path = memd.state / "ledger.sqlite3"
    with open_ledger(path, SystemClock()):
        pass
    assert level(memd, "ledger") == ["OK"]
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    found = checks(memd)["ledger"][0]
    assert (found["level"], "update memd" in found["hint"]) == ("FAIL", True)
    path.write_bytes(b"this is no ledger" * 100)
    assert level(memd, "ledger") == ["FAIL"]


def test_an_open_circuit_a_pause_and_a_new_format(memd: Memd) -> None:
    key = {"ANTHROPIC_API_KEY": KEY}
    assert level(memd, "model", **key) if (memd.state / "ledger.sqlite3").exists() else True
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        assert level(memd, "model", **key) == ["OK"]
        ledger.pause()
        for number in range(DRIFT):
            ledger.heard(f"claude-code:{number}", nobody=True)
    found = checks(memd, **key)
    assert "WARN" in [one["level"] for one in found["work"]]
    assert found["health"][0]["level"] == "FAIL"


@pytest.mark.parametrize(
    ("kind", "name", "level"), [(EXTRACT, "model", "FAIL"), (RECALL, "recall", "WARN")], ids=["passes", "recall"]
)
def test_refused_credentials_are_said(memd: Memd, kind: str, name: str, level: str) -> None:
    from memd import config  # noqa: PLC0415 - for this test alone
    from memd.agent import backends  # noqa: PLC0415

    environ = {"HOME": str(memd.home), "ANTHROPIC_API_KEY": KEY}
    settings = config.load(environ).settings
    account = backends.choose(settings, environ, settings.models.extract).account or ""
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.set_circuit(Circuit(reason="the key was refused", mark=account), circuit_of(kind))
    found = checks(memd, ANTHROPIC_API_KEY=KEY)[name][0]
    assert (found["level"], "refused" in found["text"]) == (level, True)


def test_a_memory_that_cannot_be_read_and_one_that_waits(memd: Memd) -> None:
    memd.remember("good", "Something")
    assert level(memd, "memories") == ["OK"]
    (memd.memory / "bad.md").write_bytes(b"\xff\xfe not text")
    found = checks(memd)["memories"][0]
    assert (found["level"], "bad.md" in found["text"]) == ("WARN", True)


def test_short_retention_is_said(memd: Memd) -> None:
    assert level(memd, "retention") == ["OK"]
    (memd.home / ".claude" / "settings.json").write_text(json.dumps({"cleanupPeriodDays": 1}), "utf-8")
    assert level(memd, "retention") == ["WARN"]


@pytest.mark.parametrize("variable", ["NO_COLOR", "TERM"])
def test_a_pipe_gets_plain_lines(memd: Memd, variable: str) -> None:
    assert "\x1b" not in memd.inside("doctor", environ={variable: "dumb"}).out

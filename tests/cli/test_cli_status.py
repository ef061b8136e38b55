"""`memd status`."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

from memd import __version__
from memd.clock import SystemClock
from memd.daemon.lock import single_instance
from memd.ledger import Circuit, JobRequest, Outcome, Run, Session, open_ledger
from memd.ledger.nouns import RECALL
from memd.ledger.spend import circuit_of
from tests.cli.conftest import AT, Memd
from tests.fakes import user_manager
from tests.fakes.answering import answering, listening

NOBODY = {
    "running": False, "answers": False, "silent": None, "holder": None, "seen": None, "watching": None, "trouble": None,
    "settings_refused": None, "settings_changed": None, "held_up": None, "paused": None,
}  # fmt: skip
OFFLINE = {"name": "offline", "where": None, "trouble": None, "recall_trouble": None}
NONE = {"known": 0, "open": 0, "waiting": 0, "at_work": 0, "noted": 0, "unfinished": []}


def test_without_a_daemon_it_exits_3_and_says_what_it_knows(memd: Memd, tree: Callable[[], frozenset[str]]) -> None:
    before = tree()
    answer = memd("status", "--json")
    assert (answer.code, answer.err) == (3, "")
    assert answer.json == {
        "schema_version": 1,
        "daemon": NOBODY,
        "settings": {"ok": True, "error": None},
        "health": {"ok": True, "failures": []},
        "conversations": NONE,
        "backend": OFFLINE,
        "last_saved": None,
        "ledger_set_aside": [],
        "runs": [],
        "project": {
            "root": str(memd.project),
            "slug": memd.memory.parent.name,
            "memory_dir": str(memd.memory),
            "rule": "base:~/.claude",
            "enabled": True,
            "reason": "default",
            "memories": 0,
            "held": 0,
            "passed_over": [],
        },
    }
    assert tree() == before


def fill_ledger(memd: Memd) -> None:
    """Two conversations, one of them waiting and one noted, two runs, and a daemon's report."""
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        for name, noted in (("a", None), ("b", "backfill")):
            ledger.note_session(
                Session(key=f"claude-code:{name}", agent="claude-code", session_id=name, path="/t", noted_reason=noted)
            )
        ledger.enqueue(JobRequest(session_key="claude-code:a"))
        number = ledger.start_run(session_key="claude-code:a", at_least=2)
        ledger.end_run(
            Run(id=number, ended=AT.timestamp(), outcome=Outcome.SKIPPED, reason="memory_off", root=str(memd.project))
        )
        report = {"pid": os.getpid(), "at": AT.timestamp(), "tracked": 1, "workers": 0}
        ledger.set_meta("daemon", json.dumps(report))


def test_a_running_daemon_in_one_document(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    fill_ledger(memd)
    with answering(memd.state, at=AT.timestamp(), tracked=1):
        holder = (memd.state / "daemon.lock").read_text().strip()
        answer = memd.inside("status", "--json")
    document = answer.json
    assert (answer.code, answer.err) == (0, "")
    assert document["daemon"] == NOBODY | {
        "running": True, "answers": True, "holder": holder, "watching": "inotify", "seen": AT.isoformat(),
    }  # fmt: skip
    counts = {"known": 2, "open": 1, "waiting": 1, "at_work": 0, "noted": 1}
    queued = {"session": "a", "project": None, "reason": "queued", "until": None}
    assert document["conversations"] == counts | {"unfinished": [queued]}
    assert [(run["id"], run["outcome"], run["reason"]) for run in document["runs"]] == [
        (2, "skipped", "memory_off"),
        (1, "saved", None),
    ]
    assert document["project"]["memories"] == 1


def test_people_see_how_it_stands_at_a_glance(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    fill_ledger(memd)
    with answering(memd.state, trouble="polling: 9 changes came without an event", tracked=1):
        lines = memd("status", environ={"CLAUDE_CODE_SIMPLE": "1"}).out.splitlines()
    assert lines[:10] == [
        f"memd {__version__}",
        f"daemon         running, started just now (pid {os.getpid()})",
        "watching       by polling: 9 changes came without an event",
        "conversations  2 known, 1 open, 1 waiting, 1 older one left for `memd backfill`",
        "               a: in the queue",
        "last saved     nothing yet",
        "backend        offline: nothing leaves this machine",
        f"project        {memd.project}",
        "memory         OFF: CLAUDE_CODE_SIMPLE is set",
        f"               1 memory in {memd.memory}",
    ]
    rows = [line.split() for line in lines[12:]]
    assert [row[0] for row in rows] == ["2", "1"]
    assert " ".join(rows[0]).endswith("shop skipped memory is off there")
    assert " ".join(rows[1]).endswith("shop saved created feedback_a.md")


def test_conversations_in_which_nobody_is_heard_are_a_failure_until_somebody_is(memd: Memd) -> None:
    for number in range(5):
        assert memd.inside("status", "--json").json["health"]["ok"]
        with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
            ledger.heard(f"claude-code:{number}", nobody=True)
    health = memd.inside("status", "--json").json["health"]
    assert (health["ok"], [one["code"] for one in health["failures"]]) == (False, ["format_drift"])
    assert memd.inside("status").out.splitlines()[1].startswith("health         FAIL: the last 5 conversations hold")
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.heard("claude-code:9", nobody=False)
    assert memd.inside("status", "--json").json["health"] == {"ok": True, "failures": []}


def test_where_all_is_well_the_first_line_says_so(memd: Memd) -> None:
    memd.save("feedback_a.md", "A rule")
    fill_ledger(memd)
    with answering(memd.state):
        assert memd.inside("status").out.splitlines()[0] == f"memd {__version__}: all is well"
        key = {"ANTHROPIC_API_KEY": "sk-none"}
        assert "https://api.anthropic.com" in memd.inside("status", environ=key).out
        with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
            ledger.set_circuit(Circuit(reason="the key was refused", mark="x"))
        refused = memd.inside("status", environ=key).out
        assert refused.splitlines()[0] == f"memd {__version__}"
        assert "NOT ASKED: the key was refused" in refused
        assert memd.inside("status").out.splitlines()[0].endswith("all is well")


def test_a_key_that_is_refused_for_recall_alone_is_said(memd: Memd) -> None:
    fill_ledger(memd)
    key = {"ANTHROPIC_API_KEY": "sk-none"}
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.set_circuit(Circuit(reason="the model's service refused (401)", mark="x"), circuit_of(RECALL))
    with answering(memd.state):
        said = memd.inside("status", environ=key).out
        assert "NOT ASKED which memories to recall, so words choose: the model's service refused (401)" in said
        assert "all is well" not in said
        backend = memd.inside("status", "--json", environ=key).json["backend"]
    assert (backend["trouble"], "401" in backend["recall_trouble"]) == (None, True)


def test_a_dead_daemon_s_report_counts_for_nothing(memd: Memd) -> None:
    fill_ledger(memd)
    (memd.state / "daemon.lock").write_text(f"pid {os.getpid()} since 2026-04-01T12:00:00\n")
    answer = memd.inside("status", "--json")
    assert (answer.code, answer.json["daemon"], answer.json["conversations"]["open"]) == (3, NOBODY, 0)


def test_a_broken_ledger_is_left_to_the_daemon(memd: Memd) -> None:
    memd.state.mkdir(parents=True)
    ledger = memd.state / "ledger.sqlite3"
    ledger.write_bytes(b"not a database at all, " * 99)
    answer = memd.inside("status")
    assert (answer.code, "cannot be read" in answer.err) == (3, True)
    assert [path.name for path in memd.state.iterdir()] == [ledger.name]


def test_a_ledger_set_aside_is_said_loudly_ever_after(memd: Memd) -> None:
    memd.state.mkdir(parents=True)
    ledger = memd.state / "ledger.sqlite3"
    ledger.write_bytes(b"not a database at all, " * 99)
    with open_ledger(ledger, SystemClock()) as opened:
        aside = opened.set_aside
    for _ in range(2):
        answer = memd.inside("status")
        assert answer.code == 3
        warning = answer.out.splitlines()[1]
        assert warning.startswith(f"WARNING        the ledger was broken; it is set aside as {aside}")
    assert memd.inside("status", "--json").json["ledger_set_aside"] == [str(aside)]


def test_a_ledger_of_a_newer_memd_is_said_and_left_alone(memd: Memd) -> None:
    fill_ledger(memd)
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger._db.execute("PRAGMA user_version = 99")  # noqa: SLF001 - there is no newer memd to ask
    answer = memd.inside("status", "--json")
    assert (answer.code, answer.json["conversations"]) == (3, NONE)
    assert "was written by a newer memd" in answer.err


def test_what_is_no_memory_is_named(memd: Memd) -> None:
    memd.remember("a", "A rule")
    (memd.memory / "user_link.md").symlink_to("feedback_a.md")
    (memd.memory / "user_huge.md").write_bytes(b"x" * 40_000)
    (memd.memory / "user_latin.md").write_bytes(b"---\nname: caf\xe9\n---\nx\n")
    (memd.memory / "notes.txt").write_text("nothing of memd's")
    over = memd.inside("status", "--json").json["project"]["passed_over"]
    assert [(one["path"], one["what"]) for one in over] == [
        ("user_huge.md", "more than 32 KB"),
        ("user_link.md", "symbolic link"),
        ("user_latin.md", "not UTF-8 text"),
    ]
    assert "passed over    user_huge.md: more than 32 KB\n" in memd.inside("status").out


def test_a_memory_directory_that_is_a_file_breaks_nothing(memd: Memd) -> None:
    memd.memory.parent.mkdir(parents=True)
    memd.memory.write_text("not a directory")
    said = f"{memd.memory} is a file, where a directory should be"
    status = memd("status", "--json")
    assert (status.code, status.json["project"]["memories"]) == (3, 0)
    assert said in status.err
    for command in (("list",), ("show", "a"), ("log", "x"), ("remember", "we deploy from the harbour")):
        answer = memd.inside(*command)
        assert (answer.code, answer.out) == (1, "")
        assert said in answer.err


def silent(memd: Memd) -> tuple[int, str]:
    """The exit code and why the daemon is said to be silent; people and programs are told the same."""
    told = memd.inside("status", "--json")
    daemon = told.json["daemon"]
    assert (daemon["running"], daemon["answers"]) == (True, False)
    said = memd.inside("status")
    assert said.code == told.code
    assert f"RUNS, BUT DOES NOT ANSWER: {daemon['silent']}" in said.out
    assert "all is well" not in said.out
    return told.code, daemon["silent"]


def test_a_daemon_whose_socket_is_gone_or_another_s_or_that_hangs_does_not_answer(memd: Memd) -> None:
    fill_ledger(memd)
    socket = memd.state / "control.sock"
    with single_instance(memd.state / "daemon.lock", SystemClock()):
        assert silent(memd) == (1, "its socket is gone")
        socket.write_text("no socket")
        assert silent(memd) == (1, "nobody listens at its socket")
        with listening(memd.state, lambda: {"pid": 1}):
            assert silent(memd) == (1, "another process (pid 1) answers at its socket")
        with listening(memd.state, lambda: None):
            assert silent(memd) == (1, "nothing came within 2 s, so it hangs or is very busy")
        assert memd.inside("status", "--json").json["conversations"]["open"] == 1


def test_a_daemon_that_a_signal_stopped_is_said_to_be(memd: Memd, tmp_path: Path) -> None:
    (memd.home / ".claude" / "projects").mkdir()
    process = user_manager.started(tmp_path / "log", {"HOME": str(memd.home)})
    try:
        assert memd.inside("status").out.splitlines()[0].endswith("all is well")
        process.send_signal(signal.SIGSTOP)
        assert silent(memd) == (1, "it is stopped (SIGSTOP); SIGCONT lets it go on")
        process.send_signal(signal.SIGCONT)
        assert memd.inside("status").code == 0
    finally:
        process.kill()
        process.wait(10)


def test_what_an_open_conversation_waits_for_is_said_with_an_id_to_name_it_by(memd: Memd) -> None:
    fill_ledger(memd)
    session = "4f2c9a1e-0000-4000-8000-000000000000"
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.note_session(
            Session(key=f"claude-code:{session}", agent="claude-code", session_id=session, path="/u", root="/home/shop")
        )
    waits = {"session": session, "path": "/u", "reason": "min_interval", "seconds": 470.0}
    with answering(memd.state, tracked=1, open=[waits], held_up="the machine runs on battery"):
        said = memd.inside("status")
        document = memd.inside("status", "--json").json
    assert "4f2c9a1e (shop): had a pass lately; the next one in 8 minutes ([extract] min_interval)" in said.out
    assert "WAITS: the machine runs on battery" in said.out
    assert said.out.splitlines()[0] == f"memd {__version__}"
    (row,) = [one for one in document["conversations"]["unfinished"] if one["session"] == session]
    assert (row["project"], row["reason"]) == ("/home/shop", "min_interval")


def test_settings_that_are_wrong_are_said_and_whether_the_daemon_goes_on_without(memd: Memd) -> None:
    file = memd.home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[extract]\nquiet = 'a while'\n")
    fill_ledger(memd)
    answer = memd.inside("status")
    assert answer.code == 3
    assert "settings       WRONG: " in answer.out
    wrong = "config.toml: extract.quiet must be a duration"
    with answering(memd.state, settings_refused=wrong):
        answer = memd.inside("status")
        document = memd.inside("status", "--json").json
    assert answer.code == 0
    assert f"settings       REFUSED, so it goes on with those it had: {wrong}" in answer.out
    assert document["daemon"]["settings_refused"] == wrong
    assert "must be a duration" in document["settings"]["error"]


def test_an_installed_service_that_does_not_run_is_not_to_be_installed(memd: Memd) -> None:
    assert "NOT RUNNING: `memd install`" in memd.inside("status").out
    unit = memd.home / ".config" / "systemd" / "user" / "memd.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("", "utf-8")
    assert "NOT RUNNING, though its service is installed: `memd logs`" in memd.inside("status").out

"""`memd dream` as people call it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from memd.dream.lock import NAME
from tests.cli.conftest import Memd, Near

OLD, NEW = "Keep at most 3 retries for uploads", "Keep at most 5 retries for uploads"


@pytest.fixture
def memd(near: Near) -> Memd:
    """What a dream does is the point here, not that a process does it; the first test shows that one does."""
    return near


@pytest.fixture
def piled(memd: Memd) -> Memd:
    """A memory, and a note that says otherwise."""
    memd.save("feedback_retries.md", OLD)
    memd("log", NEW, "--type", "feedback")
    return memd


def stamps(memd: Memd) -> dict[str, tuple[int, bytes]]:
    """Every file of the memory: its mtime (ns) and its bytes."""
    found = sorted(path for path in memd.memory.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in found}


@contextmanager
def dreaming(memd: Memd) -> Iterator[int]:
    """Another program's dream."""
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    (memd.memory / NAME).write_text(str(process.pid))
    try:
        yield process.pid
    finally:
        process.communicate()


def test_it_tells_what_it_does_and_what_it_did(piled: Memd) -> None:
    answer = Memd.__call__(piled, "dream")
    assert answer.code == 0
    assert "1 open note, 1 memory" in answer.err
    assert "saving" in answer.err
    assert "updated  feedback_retries.md" in answer.out
    assert "1 note of the log: 1 distilled" in answer.out
    assert NEW in (piled.memory / "feedback_retries.md").read_text()
    assert (piled.memory / NAME).read_bytes() == b""


def test_what_it_did_stands_in_the_history_and_can_be_looked_at_and_taken_back(piled: Memd) -> None:
    run = piled("dream", "--json").json["dreams"][0]["run"]
    row = piled("history", "--json").json["runs"][0]
    assert (row["id"], row["kind"], row["outcome"], row["dream"]["notes"]) == (run, "dream", "saved", {"distilled": 1})
    assert "1 updated; notes: 1 distilled" in piled("history").out
    assert f"+{NEW}" in piled("diff", str(run)).out
    assert NEW in piled("why", "feedback_retries").out
    assert piled("undo", str(run), "--yes").code == 0
    assert OLD in (piled.memory / "feedback_retries.md").read_text()


def test_a_dry_run_shows_the_same_and_writes_nothing(piled: Memd) -> None:
    before = stamps(piled)
    answer = piled("dream", "--dry-run")
    assert answer.code == 0
    assert f"+{NEW}" in answer.out
    assert stamps(piled) == before
    assert piled("dream", "--dry-run", "--json").json["dreams"][0]["report"]["notes"] == {"distilled": 1}


def test_a_second_one_has_nothing_to_do(piled: Memd) -> None:
    piled("dream")
    answer = piled("dream")
    assert (answer.code, answer.out) == (0, "Nothing to do: all is in order.\n")


def test_another_dream_keeps_it_out_with_exit_code_4(piled: Memd) -> None:
    with dreaming(piled) as pid:
        for more in ([], ["--force"], ["--dry-run"]):
            answer = piled("dream", *more)
            assert answer.code == 4
            assert f"process {pid}" in answer.err
        assert (piled.memory / NAME).read_text() == str(pid)
    assert piled("status", "--json").json["conversations"]["waiting"] == 0
    assert OLD in (piled.memory / "feedback_retries.md").read_text()


def test_a_lock_that_is_an_hour_old_keeps_nobody_out(piled: Memd) -> None:
    with dreaming(piled):
        old = time.time() - 3700
        os.utime(piled.memory / NAME, (old, old))
        assert piled("dream").code == 0


def test_memory_that_is_off_and_work_that_is_paused_are_said(piled: Memd) -> None:
    off = piled("dream", environ={"MEMD_DISABLE": "1"})
    assert (off.code, "MEMD_DISABLE" in off.err) == (7, True)
    piled("pause")
    assert piled("dream").code == 7
    assert piled("dream", "--dry-run").code == 0


def test_all_projects_are_gone_through_and_one_that_is_locked_stops_no_other(piled: Memd) -> None:
    other = piled.home / "other"
    other.mkdir()
    piled("log", "Ship the crates on Mondays", "--type", "project", "--project", str(other))
    with dreaming(piled):
        answer = piled("dream", "--all", "--json")
    found = {one["project"]: (one["outcome"], one["error"] is None) for one in answer.json["dreams"]}
    assert found == {str(piled.project): ("failed", False), str(other): ("saved", True)}
    assert answer.code == 4


def test_of_all_projects_each_has_a_line_and_one_with_nothing_to_do_leaves_no_run(piled: Memd) -> None:
    for name in ("other", "third"):
        (piled.home / name).mkdir()
        piled("log", "Ship the crates on Mondays", "--type", "project", "--project", str(piled.home / name))
    piled("dream", "--project", str(piled.home / "third"))
    before = len(piled("history", "--all", "--json").json["runs"])
    answer = piled("dream", "--all")
    assert (answer.code, answer.err) == (0, "")
    other, shop, third = answer.out.splitlines()
    assert other.startswith(f"{piled.home / 'other'}: memories 0 → 1; 1 added; 1 note of the log: 1 distilled; run ")
    assert shop.startswith(f"{piled.project}: memories 1 → 1; 1 updated; 1 note of the log: 1 distilled; run ")
    assert third == f"{piled.home / 'third'}: nothing to do"
    assert len(piled("history", "--all", "--json").json["runs"]) == before + 2
    again = piled("dream", "--all")
    assert [line.partition(": ")[2] for line in again.out.splitlines()] == ["nothing to do"] * 3
    assert len(piled("history", "--all", "--json").json["runs"]) == before + 2


def test_a_project_without_memory_is_said(memd: Memd) -> None:
    answer = memd("dream")
    assert (answer.code, "there is no memory" in answer.err) == (1, True)


def test_project_and_all_exclude_each_other(memd: Memd) -> None:
    assert memd("dream", "--all", "--project", ".").code == 2


def test_status_says_so_when_dreams_keep_doing_nothing(piled: Memd) -> None:
    from dataclasses import replace  # noqa: PLC0415

    from memd.clock import SystemClock  # noqa: PLC0415
    from memd.ledger import Run, open_ledger  # noqa: PLC0415

    with open_ledger(piled.state / "ledger.sqlite3", SystemClock()) as ledger:
        known = ledger.dreamt(str(piled.memory))
        ledger.commit_dream(None, replace(known, idle=3, said="nothing"), Run(id=90, kind="dream", outcome="nothing"))
    health = piled("status", "--json").json["health"]
    assert (health["ok"], [one["code"] for one in health["failures"]]) == (False, ["dreams_idle"])
    assert "FAIL: the last 3 dreams" in piled("status").out


def test_the_notes_that_are_dropped_are_shown_in_their_words_with_a_way_to_keep_them(memd: Memd) -> None:
    for number in range(7):
        memd("log", f"The merge freeze of team {number} ended on 2020-01-03")
    would, done = memd("dream", "--dry-run").out, memd("dream").out
    for said in (would, done):
        assert "  The merge freeze of team 4 ended on 2020-01-03 (over)\n  and 2 more\n" in said
        assert "team 5" not in said
        assert 'memd remember "..."' in said
    run = memd("history", "--json").json["runs"][0]
    assert f"memd diff {run['id']}`" in memd("history").err
    assert "# The merge freeze of team 0 ended on 2020-01-03 (over)\n" in memd("diff", str(run["id"])).out
    assert "merge freeze" not in (memd.history / str(run["id"]) / "record.json").read_text()
    log = next((memd.memory / "logs").rglob("*.md"))
    log.write_text("")
    assert "# " not in memd("diff", str(run["id"])).out

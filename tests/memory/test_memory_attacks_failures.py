"""What fails once, or stands in the way for good: nothing doubled, nothing lost, nothing stuck."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from memd import worker
from memd.agent.backend import Task
from memd.extract import run as passes
from memd.ledger import Outcome
from memd.memory import history, journal, log, store
from tests.extract.conftest import World, saves, world
from tests.fakes import claude_lines as lines
from tests.fakes import transaction as example

__all__ = ["world"]

RULE = "always run make lint before you commit"
LOG = "logs/2026/04/2026-04-01.md"


def notices(task: Task) -> None:
    saves(RULE)(task)
    task.workspace.bullets.write_text(f"- [project] {RULE}, they said\n", encoding="utf-8")


@pytest.fixture
def talked(world: World) -> World:
    world.write(lines.prompt("h1", f"ok. {RULE}"), lines.answer("a1", "m1", lines.text("Will do.")))
    world.backend.script = notices
    return world


AFTER_THE_JOURNAL = ("store.journalled", "store.applied_one", "store.appended_bullets", "files.appended")


@pytest.mark.parametrize("place", AFTER_THE_JOURNAL)
def test_the_same_worker_trying_again_ends_what_it_began(
    talked: World, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("MEMD_FAILPOINT", f"{place}:error=EIO")
    worker.work(talked.job(), talked.house)
    monkeypatch.delenv("MEMD_FAILPOINT")
    talked.clock.advance(3600)
    again = talked.ledger.claim(lease=60.0)
    assert again is not None
    worker.work(again, talked.house)
    written = log.parse((talked.memory / LOG).read_bytes())
    assert [bullet.file for bullet in written] == ["feedback_rule.md", None]
    assert [run.outcome for run in talked.ledger.runs(9)].count(Outcome.SAVED) == 1
    assert talked.ledger.jobs() == ()
    assert not any(journal.is_open(talked.house.paths.history, run) for run in journal.ids(talked.house.paths.history))


def test_a_failure_after_the_commit_is_none(talked: World, monkeypatch: pytest.MonkeyPatch) -> None:
    job = talked.job()
    monkeypatch.setenv("MEMD_FAILPOINT", "store.recorded:error=ENOSPC")
    worker.work(job, talked.house)
    monkeypatch.delenv("MEMD_FAILPOINT")
    assert talked.ledger.jobs() == ()
    worker.recover(talked.house)
    assert [run.outcome for run in history.runs(talked.house.paths.history)] == [Outcome.SAVED]
    assert len(log.parse((talked.memory / LOG).read_bytes())) == 2


def test_an_unfinished_run_elsewhere_keeps_nobody_waiting(talked: World, tmp_path: Path) -> None:
    example.lay_out(tmp_path)
    example.in_child("store.journalled:kill", lambda: example.apply(tmp_path))
    shutil.copytree(tmp_path / "history" / "1", talked.house.paths.history / "1")
    done = passes.run(talked.job(), talked.house)
    assert (done.id, done.outcome) == (2, Outcome.SAVED)
    assert journal.is_open(talked.house.paths.history, 1)


@pytest.mark.parametrize("what", ["huge", "unreadable", "huge index", "huge log", "deep"])
def test_odd_files_of_a_persons_stop_no_pass(talked: World, what: str) -> None:
    odd = talked.memory / {"huge index": "MEMORY.md", "huge log": LOG}.get(what, "notes.md")
    odd.parent.mkdir(parents=True)
    odd.write_bytes(b"# mine\n" + b"x" * (9 << 20 if what.startswith("huge") else 10))
    if what == "unreadable":
        odd.chmod(0)
    if what == "deep":
        (talked.memory / ("a/" * 40)).mkdir(parents=True)
    before = odd.read_bytes() if os.access(odd, os.R_OK) else b""
    assert passes.run(talked.job(), talked.house).outcome == Outcome.SAVED
    assert (talked.memory / "feedback_rule.md").exists()
    assert not before or odd.read_bytes().startswith(before)


def test_recovery_leaves_what_a_person_linked_elsewhere(tmp_path: Path) -> None:
    example.lay_out(tmp_path)
    example.in_child("store.journalled:kill", lambda: example.apply(tmp_path))
    kept = tmp_path / "memory" / "user_kept.md"
    kept.unlink()
    kept.symlink_to("elsewhere.md")
    [found] = store.recover(tmp_path / "history", lambda _: None)
    assert (found.left, found.problem) == (("user_kept.md",), None)


def test_a_person_who_saves_while_memd_writes_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped with the new bytes on the disk and nothing renamed yet; the person saves; then it goes on."""
    example.lay_out(tmp_path)
    child = os.fork()
    if not child:
        os.environ["MEMD_FAILPOINT"] = (
            "files.synced_temporary@8:stop"  # six files of the history and a new topic come first
        )
        example.apply(tmp_path)
        os._exit(0)
    monkeypatch.delenv("MEMD_FAILPOINT", raising=False)
    os.waitpid(child, os.WUNTRACED)
    waiting = [path for path in (tmp_path / "memory").rglob(".memd-*") if b"changed" in path.read_bytes()]
    for path in ("user_kept.md", "MEMORY.md"):
        (tmp_path / "memory" / path).write_text(f"by hand in {path}\n")
    os.kill(child, signal.SIGCONT)
    assert os.waitpid(child, 0)[1] == 0
    assert waiting, "it stopped somewhere else"
    assert (tmp_path / "memory" / "user_kept.md").read_text() == "by hand in user_kept.md\n"
    assert (tmp_path / "memory" / "MEMORY.md").read_text().startswith("by hand in MEMORY.md\n")
    assert "(sub/user_new.md)" in (tmp_path / "memory" / "MEMORY.md").read_text()
    assert [file.what for file in history.load(1, history=tmp_path / "history").files[:3]] == [
        "created",
        "deleted",
        "left",
    ]


def test_a_person_who_saves_before_memd_deletes_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at the last moment before the deletion; the person saves; then it goes on."""
    example.lay_out(tmp_path)
    child = os.fork()
    if not child:
        os.environ["MEMD_FAILPOINT"] = "files.before_remove:stop"
        example.apply(tmp_path)
        os._exit(0)
    monkeypatch.delenv("MEMD_FAILPOINT", raising=False)
    os.waitpid(child, os.WUNTRACED)
    gone = tmp_path / "memory" / "user_gone.md"
    assert gone.exists(), "it stopped somewhere else"
    gone.write_text("by hand\n")
    os.kill(child, signal.SIGCONT)
    assert os.waitpid(child, 0)[1] == 0
    assert gone.read_text() == "by hand\n"
    done = {file.path: file.what for file in history.load(1, history=tmp_path / "history").files}
    assert done["user_gone.md"] == "left"


def test_what_was_left_to_a_person_is_logged_as_open(tmp_path: Path) -> None:
    example.lay_out(tmp_path)
    example.in_child("store.journalled:kill", lambda: example.apply(tmp_path))
    (tmp_path / "memory" / "sub").mkdir()
    (tmp_path / "memory" / "sub" / "user_new.md").write_text("by hand")
    store.recover(tmp_path / "history", lambda _: None)
    written = log.parse((tmp_path / "memory" / LOG).read_bytes())
    assert [(bullet.text, bullet.file) for bullet in written] == [("earlier", None), ("new", None), ("open", None)]

"""Who owns what: asking claims nothing, and a project that moves takes everything along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.errors import LockedError, RefusedError
from memd.ledger import JobRequest, Ledger, Outcome, Run, Session, open_ledger
from memd.ledger.places import Place, Projects
from tests.fakes.clock import FakeClock

OLD = Place(root="/p/old", slug="-p-old", memory_dir="/m/old")
NEW = Place(root="/p/new", slug="-p-new", memory_dir="/m/new")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ledger(tmp_path: Path, clock: FakeClock) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3", clock) as opened:
        yield opened


def noted(ledger: Ledger, name: str, *, root: str | None = None, cwd: str | None = None) -> None:
    ledger.note_session(Session(key=name, agent="a", session_id=name, path=f"/t/{name}", root=root, cwd=cwd))


def roots(ledger: Ledger) -> dict[str, str | None]:
    return {one.key: one.root for one in ledger.sessions()}


def nothing() -> None:
    """Move no files."""


def fail() -> None:
    raise OSError("no space")


def test_asking_who_owns_a_slug_claims_nothing(ledger: Ledger) -> None:
    assert ledger.owner_of("-p") is None
    assert ledger.owner("-p", "/p")
    assert ledger.owner_of("-p") == "/p"
    assert not ledger.owner("-p", "/-p")


def test_every_project_is_known_by_whatever_knows_it(ledger: Ledger) -> None:
    ledger.owner("-a", "/a")
    noted(ledger, "s1", root="/b", cwd="/b/x")
    noted(ledger, "s2", cwd="/c/x")
    noted(ledger, "s3", cwd="/c/x")
    for ended in (5.0, 7.0):
        ledger.end_run(Run(id=ledger.start_run(session_key="s1"), root="/b", started=1.0, ended=ended, outcome="saved"))
    assert ledger.projects() == Projects(last_pass={"/a": None, "/b": 7.0}, directories=("/c/x",))


def test_a_move_takes_conversations_runs_jobs_and_the_slug(ledger: Ledger) -> None:
    ledger.owner(OLD.slug, OLD.root)
    noted(ledger, "rooted", root=OLD.root)
    noted(ledger, "inside", cwd="/p/old/deep")
    noted(ledger, "at", cwd="/p/old")
    noted(ledger, "beside", cwd="/p/older")
    noted(ledger, "other", root="/p/other", cwd="/p/old")
    number = ledger.start_run(session_key="rooted", memory_dir=OLD.memory_dir)
    ledger.end_run(Run(id=number, root=OLD.root, memory_dir=OLD.memory_dir, ended=1.0, outcome="saved"))
    ledger.enqueue(JobRequest(kind="dream", memory_dir=OLD.memory_dir))
    assert ledger.move_project(OLD, NEW, nothing) == 3
    moved = dict.fromkeys(("rooted", "inside", "at"), NEW.root)
    assert roots(ledger) == moved | {"beside": None, "other": "/p/other"}
    assert (ledger.owner_of(OLD.slug), ledger.owner_of(NEW.slug)) == (None, NEW.root)
    run = ledger.run(number)
    assert run is not None
    assert (run.root, run.memory_dir) == (NEW.root, NEW.memory_dir)
    job = ledger.claim(lease=60.0)
    assert job is not None
    assert (job.memory_dir, job.place) == (NEW.memory_dir, NEW.memory_dir)


def test_files_that_cannot_be_moved_leave_all_as_it_was(ledger: Ledger) -> None:
    ledger.owner(OLD.slug, OLD.root)
    noted(ledger, "s", root=OLD.root)
    with pytest.raises(OSError, match="no space"):
        ledger.move_project(OLD, NEW, fail)
    assert (roots(ledger), ledger.owner_of(OLD.slug), ledger.owner_of(NEW.slug)) == ({"s": OLD.root}, OLD.root, None)


def test_a_slug_that_is_taken_is_refused_before_any_file_moves(ledger: Ledger) -> None:
    ledger.owner(NEW.slug, "/p-new")
    with pytest.raises(RefusedError):
        ledger.move_project(OLD, NEW, fail)


@pytest.mark.parametrize(
    "session", [{"root": OLD.root}, {"cwd": "/p/old/deep"}, {"root": "/p/other", "cwd": "/elsewhere"}]
)
def test_while_a_pass_is_at_work_there_it_is_refused(ledger: Ledger, clock: FakeClock, session: dict[str, str]) -> None:
    noted(ledger, "s", **session)
    ledger.enqueue(JobRequest(session_key="s"))
    job = ledger.claim(lease=60.0)
    assert job is not None
    if session.get("root") == "/p/other":
        assert ledger.bind(job, OLD.memory_dir)
    with pytest.raises(LockedError):
        ledger.move_project(OLD, NEW, fail)
    clock.advance(61.0)  # its worker died
    ledger.move_project(OLD, NEW, nothing)


def test_a_move_there_and_back_is_as_before(ledger: Ledger) -> None:
    ledger.owner(OLD.slug, OLD.root)
    noted(ledger, "s", root=OLD.root)
    moves: list[Callable[[], int]] = [
        lambda: ledger.move_project(OLD, NEW, nothing),
        lambda: ledger.move_project(NEW, OLD, nothing),
    ]
    assert [move() for move in moves] == [1, 1]
    assert (roots(ledger), ledger.owner_of(OLD.slug), ledger.owner_of(NEW.slug)) == ({"s": OLD.root}, OLD.root, None)


def test_what_was_dealt_with_before_a_move_counts_after_it(ledger: Ledger) -> None:
    noted(ledger, "s", root=OLD.root)
    ledger.enqueue(JobRequest(session_key="s"))
    job = ledger.claim(lease=60.0)
    assert job is not None
    run = Run(id=ledger.start_run(session_key="s"), session_key="s", root=OLD.root, outcome=Outcome.NOTHING)
    ledger.commit_pass(job, cursor="c", uuids=("u1", "u2"), run=run)
    third = Place(root="/p/third", slug="-p-third", memory_dir="/m/third")
    for was, now in ((OLD, NEW), (NEW, third), (third, OLD), (OLD, third)):
        ledger.move_project(was, now, nothing)
        assert ledger.processed(now.root, ("u1", "u2", "u3")) == {"u1", "u2"}
    assert ledger.processed("/p/elsewhere", ("u1",)) == frozenset()

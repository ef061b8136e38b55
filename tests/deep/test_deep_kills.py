"""Five hundred workers killed at random moments, a person editing beside them: nothing torn, lost or doubled."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd import worker
from memd.agent.backend import Task, Usage
from memd.extract.house import House
from memd.ledger import Job, JobRequest, Outcome, Session
from memd.memory import history, journal, topic
from memd.memory.topic import TopicType
from tests.deep import small_house
from tests.fakes import claude_lines as lines
from tests.fakes import transaction as example
from tests.fakes.clock import FakeClock

pytestmark = [pytest.mark.deep, pytest.mark.timeout(1800)]

KILLS = int(os.environ.get("MEMD_TEST_KILLS", "500"))
LONGEST = 0.25  # seconds a worker lives
AHEAD = 4  # conversations that wait
START = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
SHARED = "feedback_shared.md"
SEED = 20260401


def rule(number: int) -> str:
    return f"always run make target{number}x before you commit a change"


def notice(number: int) -> str:
    return f"the nightly build number {number}x takes forty minutes"


class Proposes:
    """A backend that writes what its conversation said: a new topic, a line more in a shared one, a bullet."""

    name = "scripted"

    def propose(self, task: Task) -> Usage:
        """Write it down."""
        number = int(task.session_id.removeprefix("s"))
        said = rule(number)
        data = topic.render(f"target {number}", said, TopicType.FEEDBACK, topic.body(said), evidence=(said,))
        (task.workspace.memory / f"feedback_{number}.md").write_bytes(data)
        shared = task.workspace.memory / SHARED
        if number % 3 == 0 and shared.exists():
            grown = topic.parse(shared.read_bytes()).body.rstrip() + f"\n\nAlso {said}.\n"
            shared.write_bytes(topic.render("shared", "Shared", TopicType.FEEDBACK, grown, evidence=(said,)))
        task.workspace.bullets.write_text(f"- [project] {notice(number)}\n", encoding="utf-8")
        return Usage()


def converse(house: House, home: Path, number: int) -> None:
    """One more conversation that is over; the ledger has it before this returns."""
    path = small_house.memory_of(home).parent / f"s{number}.jsonl"
    text = f"{rule(number)}. {notice(number)}"
    said = (lines.prompt(f"h{number}", text), lines.answer(f"a{number}", f"m{number}", lines.text("Will do.")))
    path.write_bytes(lines.packed(*({**one, "cwd": str(home / "shop"), "sessionId": f"s{number}"} for one in said)))
    size = path.stat().st_size
    key = f"claude-code:s{number}"
    house.ledger.note_session(
        Session(
            key=key, agent="claude-code", session_id=f"s{number}", path=str(path), cwd=str(home / "shop"), size=size
        )
    )
    house.ledger.enqueue(JobRequest(session_key=key, watermark=size))


class Person(threading.Thread):
    """Adds lines to the index and to a topic by hand, as an editor does: read, write beside it, rename."""

    def __init__(self, memory: Path) -> None:
        super().__init__(daemon=True)
        self.memory = memory
        self.saved: list[str] = []
        self.over = threading.Event()
        self.random = random.Random(SEED)  # noqa: S311 - when, not what

    def run(self) -> None:
        """Edit until told to stop."""
        while not self.over.wait(self.random.uniform(0.0, 0.05)):
            name = self.random.choice(("MEMORY.md", SHARED))
            line = f"By hand, line {len(self.saved)}y."
            path = self.memory / name
            beside = self.memory / ".edited"
            beside.write_bytes(path.read_bytes().rstrip() + f"\n\n{line}\n".encode())
            beside.rename(path)
            self.saved.append(line)


@contextmanager
def worker_process(home: Path, now: datetime) -> Iterator[tuple[int, int]]:
    """A worker in a process of its own, and a pipe on which it tells when it has recovered. It is killed in the end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            work(home, now, writing)
        finally:
            os._exit(3)
    os.close(writing)
    try:
        yield child, reading
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def work(home: Path, now: datetime, told: int) -> None:
    """What a worker does, without an end."""
    began = time.monotonic()
    with small_house.opened(home, FakeClock(now), Proposes()) as house:
        worker.recover(house)
        os.write(told, json.dumps(time.monotonic() - began).encode())
        while True:
            job = house.ledger.claim(lease=60.0)
            if job is None:
                time.sleep(0.005)
            else:
                worker.work(job, house)


def test_random_kills(capsys: pytest.CaptureFixture[str]) -> None:
    with example.quick_directory() as home:
        small_house.lay_out(home)
        memory = small_house.memory_of(home)
        shared = topic.render("shared", "Shared", TopicType.FEEDBACK, topic.body("Shared by all."))
        (memory / SHARED).write_bytes(shared)
        person = Person(memory)
        person.start()
        said, restarts = kill_and_kill_again(home)
        person.over.set()
        person.join()
        figures = settle(home, said)
        wrong = check(home, said, person)
    figures |= {"kills": KILLS, "conversations": said, "edits": len(person.saved)}
    with capsys.disabled():
        print(figures, f"slowest restart {max(restarts):.2f} s", wrong)  # noqa: T201 - the figures of the run
    assert max(restarts) < 2.0
    assert wrong == {}


def kill_and_kill_again(home: Path) -> tuple[int, list[float]]:
    """How many conversations there were in the end, and how long each restart took to recover, in seconds."""
    rng = random.Random(SEED)  # noqa: S311 - when, not what
    restarts = []
    said = 0
    for number in range(KILLS):
        now = START + timedelta(minutes=2 * number)
        with small_house.opened(home, FakeClock(now)) as house:
            while len(house.ledger.jobs()) < AHEAD:
                converse(house, home, said)
                said += 1
            hurry_up_the_given_up(house)
        with worker_process(home, now) as (_, told):
            if rng.random() < 0.2:
                time.sleep(rng.uniform(0.0, 0.02))  # while it starts and recovers
                continue
            restarts.append(float(os.read(told, 100) or b"99"))
            time.sleep(rng.uniform(0.0, LONGEST))
    return said, restarts


def hurry_up_the_given_up(house: House) -> None:
    """A conversation during which three workers died is given up, and says so; a person asks for it again."""
    asked = {run.session_key for run in house.ledger.runs(5000) if run.outcome == Outcome.SAVED}
    for run in house.ledger.runs(20):
        if run.outcome == Outcome.FAILED and run.session_key not in asked and run.session_key:
            session = house.ledger.session(run.session_key)
            assert session is not None
            waiting = {job.session_key for job in house.ledger.jobs()}
            if session.key not in waiting:
                house.ledger.enqueue(JobRequest(session_key=session.key, watermark=session.size, by_hand=True))


def settle(home: Path, said: int) -> dict[str, int]:
    """Let a worker end what is left, undisturbed."""
    now = START + timedelta(minutes=2 * KILLS)
    clock = FakeClock(now)
    with small_house.opened(home, clock, Proposes()) as house:
        for _ in range(5):
            clock.advance(3600)
            worker.recover(house)
            hurry_up_the_given_up(house)
            job: Job | None
            while (job := house.ledger.claim(lease=60.0)) is not None:
                worker.work(job, house)
        runs = house.ledger.runs(20_000)
        assert house.ledger.jobs() == ()
        done = {run.session_key for run in runs if run.outcome == Outcome.SAVED}
        assert done == {f"claude-code:s{number}" for number in range(said)}
        return {"passes": len(runs), "broken off": sum(run.outcome == Outcome.FAILED for run in runs)}


def check(home: Path, said: int, person: Person) -> dict[str, list[str]]:
    """What is torn, lost or doubled."""
    memory, state = small_house.memory_of(home), home / ".local" / "state" / "memd"
    files = {path.name: path.read_text("utf-8") for path in memory.glob("*.md")}
    logs = "".join(path.read_text("utf-8") for path in memory.rglob("logs/*/*/*.md"))
    past = "\n".join(path.read_text("utf-8") for path in (state / "history").rglob("*.md"))
    live = "\n".join(files.values())
    runs = journal.ids(state / "history")
    bullets = Counter(re.findall(r"number (\d+)x takes", logs))
    saves = Counter(re.findall(r"target(\d+)x[^→\n]*→ feedback_\d+\.md", logs))
    listed = Counter(re.findall(r"\(feedback_(\d+)\.md\)", files["MEMORY.md"]))
    numbers = [str(number) for number in range(said)]
    found = {
        "torn": [name for name, text in files.items() if name != "MEMORY.md" and topic.parse(text.encode()).problems],
        "left over": [str(path) for path in memory.rglob(".memd-*")],
        "unfinished": [str(run) for run in runs if journal.is_open(state / "history", run)],
        "bullets": [n for n in numbers if bullets[n] != 1],
        "saves": [n for n in numbers if saves[n] != 1],
        "topics": [n for n in numbers if rule(int(n)) not in files.get(f"feedback_{n}.md", "")],
        "index": [n for n in listed if listed[n] != 1],
        "facts": [n for n in numbers if rule(int(n)) not in live + logs + past],
        "edits": [line for line in person.saved if line not in live + past],
        "edits that are history": [line for line in person.saved if line not in live and line in past],
        "records": [str(run) for run in runs if not history.load(run, history=state / "history").outcome],
    }
    for run in runs:
        history.changes(history.load(run, history=state / "history"), history=state / "history")  # images are whole
    return {kind: which for kind, which in found.items() if which}


def test_a_real_worker_with_nothing_to_do_starts_within_two_seconds(home: Path) -> None:
    """Of its own work: how long it waits for a busy machine says nothing about memd."""
    (home / ".claude").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "memd.worker"],
        stdin=subprocess.PIPE,  # held open: at its end a worker takes its whole process group along
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert process.stdin is not None
    process.stdin.close()
    assert used.ru_utime + used.ru_stime < 2.0

"""Several processes at one ledger: nothing twice, nothing lost, whoever dies."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from memd.clock import SystemClock
from memd.ledger import JobRequest, Session, open_ledger

_WORKER = """
import sys
from pathlib import Path
from memd.clock import SystemClock
from memd.ledger import Run, open_ledger

with open_ledger(Path(sys.argv[1]), SystemClock()) as ledger:
    print("ready", flush=True)
    sys.stdin.readline()
    while ledger.queue().ready or ledger.queue().leased:
        job = ledger.claim(lease=60)
        if job is None:
            continue
        run = Run(id=ledger.start_run(session_key=job.session_key), session_key=job.session_key, outcome="nothing")
        print(job.session_key, flush=True)
        if sys.argv[2:] == ["hold"]:
            sys.stdin.readline()
        ledger.commit_pass(job, cursor="done", uuids=(job.session_key,), run=run)
"""


def start(path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WORKER, str(path), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ready(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    worker.stdin.write("\n")
    worker.stdin.flush()


def fill(path: Path, conversations: int, projects: int) -> None:
    with open_ledger(path, SystemClock()) as ledger:
        for number in range(conversations):
            key, root = f"x:{number}", f"/p{number % projects}"
            ledger.note_session(Session(key=key, agent="x", session_id=key, path="/t", root=root))
            ledger.enqueue(JobRequest(session_key=key))


def test_four_processes_share_a_hundred_conversations(tmp_path: Path) -> None:
    path = tmp_path / "state" / "l.sqlite3"
    fill(path, 100, 5)
    workers = [start(path) for _ in range(4)]
    for worker in workers:
        ready(worker)
    lines = [line for worker in workers for line in worker.communicate(timeout=50)[0].split()]
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert Counter(lines) == Counter(f"x:{number}" for number in range(100))
    with open_ledger(path, SystemClock(), daemon=True) as ledger:
        assert ledger.set_aside is None
        assert (len(ledger.jobs()), len(ledger.runs(limit=500))) == (0, 100)
        assert [run.id for run in ledger.runs(limit=500)] == list(range(100, 0, -1))


def test_four_processes_make_one_ledger_at_once(tmp_path: Path) -> None:
    path = tmp_path / "state" / "l.sqlite3"
    workers = [start(path) for _ in range(4)]
    for worker in workers:
        ready(worker)
        worker.communicate(timeout=30)
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert [one.name for one in path.parent.iterdir() if "corrupt" in one.name] == []


def test_a_killed_worker_s_job_is_free_long_before_its_lease_ends(tmp_path: Path) -> None:
    path = tmp_path / "state" / "l.sqlite3"
    fill(path, 1, 1)
    worker = start(path, "hold")
    ready(worker)
    assert worker.stdout is not None
    assert worker.stdout.readline() == "x:0\n"
    with open_ledger(path, SystemClock()) as ledger:
        assert (ledger.queue().ready, ledger.queue().leased) == (0, 1)
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
        assert (ledger.queue().ready, ledger.queue().leased) == (1, 0)
        assert ledger.claim(lease=60) is None
        (job,) = ledger.jobs()
        assert (job.state, job.attempts) == ("queued", 1)
        assert ledger.claim(lease=60, only=job.id) is not None


def test_opening_it_twice_in_one_process_takes_no_lock_away(tmp_path: Path) -> None:
    path = tmp_path / "state" / "l.sqlite3"
    write = (
        "import sys; from pathlib import Path\n"
        "from memd.clock import SystemClock; from memd.ledger import open_ledger\n"
        "with open_ledger(Path(sys.argv[1]), SystemClock()) as ledger: ledger.set_meta('said', sys.argv[2])"
    )
    with open_ledger(path, SystemClock()) as ledger, open_ledger(path, SystemClock()):
        for word in ("one", "two"):  # whoever believes that it is the last to close deletes the log under our feet
            subprocess.run([sys.executable, "-c", write, str(path), word], check=True)
            assert ledger.meta("said") == word

"""A project with a conversation and a memory directory, built without a test runner: for processes that are to break.

The pass proposes a new topic, a change of one and a bullet; `problems` says what of it is torn, lost or doubled.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memd import config, logs
from memd.agent.backend import Backend, Task, Usage
from memd.clock import Clock
from memd.extract.house import House
from memd.ledger import JobRequest, Ledger, Session, open_ledger
from memd.memory import location, topic
from memd.memory.topic import TopicType
from memd.transcripts import agents
from tests.fakes import claude_lines as lines
from tests.fakes.clock import FakeClock

RULE = "always run make lint before you commit"
CHANGED = "never deploy on a Friday afternoon again"
NOTICED = "the nightly build takes forty minutes"
SESSION_KEY = f"claude-code:{lines.SESSION}"
OLD = topic.render("fridays", "Deploy with care", TopicType.FEEDBACK, topic.body("Deploy with care."))
INDEX = "# By hand\n\n- [Fridays](feedback_fridays.md) — Deploy with care\n\nA line of prose.\n".encode()
NEW_FILES = ("feedback_lint.md", "feedback_fridays.md")


class Proposes:
    """A backend that always proposes the same."""

    name = "scripted"

    def propose(self, task: Task) -> Usage:
        """Write it down."""
        new = topic.render("lint", RULE, TopicType.FEEDBACK, topic.body(RULE), evidence=(RULE,))
        grown = f"{topic.parse(OLD).body.rstrip()}\n\n{CHANGED}\n"
        changed = topic.render("fridays", "Deploy with care", TopicType.FEEDBACK, grown, evidence=(CHANGED,))
        for name, data in zip(NEW_FILES, (new, changed), strict=True):
            (task.workspace.memory / name).write_bytes(data)
        task.workspace.bullets.write_text(f"- [project] {NOTICED}\n", encoding="utf-8")
        return Usage()


def memory_of(home: Path) -> Path:
    """The project's memory directory."""
    return home / ".claude" / "projects" / location.slug(str(home / "shop")) / "memory"


def lay_out(home: Path) -> None:
    """The project, its conversation and its memory as they are before."""
    (home / "shop").mkdir(parents=True)
    memory = memory_of(home)
    memory.mkdir(parents=True)
    (memory / "feedback_fridays.md").write_bytes(OLD)
    (memory / "MEMORY.md").write_bytes(INDEX)
    said = (lines.prompt("h1", f"{RULE}. {CHANGED}. {NOTICED}"), lines.answer("a1", "m1", lines.text("Will do.")))
    here = [{**record, "cwd": str(home / "shop")} for record in said]
    transcript_of(home).write_bytes(lines.packed(*here))


def transcript_of(home: Path) -> Path:
    """The conversation's file."""
    return memory_of(home).parent / f"{lines.SESSION}.jsonl"


@contextmanager
def opened(home: Path, clock: Clock | None = None, backend: Backend | None = None) -> Iterator[House]:
    """The house around it."""
    environ = {"HOME": str(home)}
    loaded = config.load(environ)
    clock = clock or FakeClock()
    with open_ledger(loaded.paths.ledger, clock) as ledger:
        yield House(
            settings=loaded.settings,
            paths=loaded.paths,
            environ=environ,
            ledger=ledger,
            clock=clock,
            transcripts=agents.watched((), environ, home),
            backend=backend or Proposes(),
            log=logs.configure(io.StringIO(), json=True),
        )


def enqueue(house: House, home: Path) -> int:
    """Make the conversation due."""
    size = transcript_of(home).stat().st_size
    house.ledger.note_session(
        Session(
            key=SESSION_KEY,
            agent="claude-code",
            session_id=lines.SESSION,
            path=str(transcript_of(home)),
            cwd=str(home / "shop"),
            size=size,
        )
    )
    return house.ledger.enqueue(JobRequest(session_key=SESSION_KEY, watermark=size))


def contents(home: Path) -> dict[str, bytes]:
    """The memory's files by relative path."""
    memory = memory_of(home)
    return {str(path.relative_to(memory)): path.read_bytes() for path in memory.rglob("*") if path.is_file()}


def torn(now: Mapping[str, bytes], done: Mapping[str, bytes]) -> list[str]:
    """The topic files and the index that are neither as before nor as in `done`."""
    old = {"feedback_fridays.md": OLD, "MEMORY.md": INDEX}
    halves = {INDEX, done["MEMORY.md"]}
    known = {path: {old.get(path), done[path]} | (halves if path == "MEMORY.md" else set()) for path in done}
    return [
        path
        for path, data in now.items()
        if not path.startswith("logs/") and not path.endswith(".tmp") and data not in known.get(path, set())
    ]


def problems(home: Path, ledger: Ledger, done: Mapping[str, bytes]) -> list[str]:
    """What is not as it is to be in the end."""
    now = contents(home)
    log = b"".join(data for path, data in now.items() if path.startswith("logs/")).decode()
    wanted = {f"bullet {text!r}": log.count(text) for text in (f"→ {NEW_FILES[0]}", f"→ {NEW_FILES[1]}", NOTICED)}
    found = [f"{what}: {count} times" for what, count in wanted.items() if count != 1]
    files = {path: data for path, data in now.items() if not path.startswith("logs/")}
    if files != {path: data for path, data in done.items() if not path.startswith("logs/")}:
        found.append(f"files: {sorted(files)}")
    session = ledger.session(SESSION_KEY)
    if session is None or session.settled != transcript_of(home).stat().st_size:
        found.append("the cursor has not moved")
    if ledger.jobs():
        found.append(f"jobs: {ledger.jobs()}")
    state = home / ".local" / "state" / "memd"
    found += [f"left: {path}" for path in (state / "history").glob("*/entry.json")]
    found += [f"left: {path}" for path in (state / "scratch").iterdir()]
    saved = [run for run in ledger.runs(100) if run.outcome == "saved"]
    return found if len(saved) == 1 else [*found, f"{len(saved)} runs saved"]

"""One transaction with everything in it, broken off at every failpoint, each time in a process of its own.

    python transaction.py DIRECTORY ACTION [FAILPOINT]

makes a directory NAME@TURN below DIRECTORY for each failpoint and each time it is passed, applies the transaction
there with ACTION (see memd.failpoints) and prints the names, a line each. With FAILPOINT the transaction is killed
there first, and it is the recovery that is broken off.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from memd.failpoints import FAILPOINTS
from memd.memory import store, topic
from memd.memory.log import Bullet
from memd.memory.store import RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change

_ROOM = 2 << 30  # bytes, more than all tests together write

NOW = datetime(2026, 4, 1, 10, 15, tzinfo=UTC)
LOG = "logs/2026/04/2026-04-01.md"


def topic_file(name: str, description: str, body: str = "Body.") -> bytes:
    """A topic file of type user."""
    return topic.render(name, description, TopicType.USER, body)


OLD = {
    "MEMORY.md": "# Notes by hand\n\n- [Kept](user_kept.md) — kept\n- [Gone](user_gone.md) — gone\n".encode(),
    "user_kept.md": topic_file("kept", "kept"),
    "user_gone.md": topic_file("gone", "gone"),
    LOG: b"- 09:00 [note] earlier",
}
CHANGES = (
    Change(path="sub/user_new.md", before=None, after=topic_file("new", "new")),
    Change(path="user_gone.md", before=OLD["user_gone.md"], after=None),
    Change(path="user_kept.md", before=OLD["user_kept.md"], after=topic_file("kept", "changed")),
)
BULLETS = (
    Bullet(type="user", text="new → sub/user_new.md", source="s1"),
    Bullet(type="note", text="open", source="s1"),
)
LINES = "- 10:15 [user] new → sub/user_new.md  <!-- s1 -->\n- 10:15 [note] open  <!-- s1 -->\n".encode()
NOTE = RunNote(kind="extract", started=NOW, session="s1", cursor={"offset": 7})


def lay_out(directory: Path) -> None:
    """The memory directory as it is before."""
    for path, data in OLD.items():
        file = directory / "memory" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def apply(directory: Path) -> store.Applied:
    """The transaction."""
    return store.apply(
        directory / "memory",
        CHANGES,
        bullets=BULLETS,
        run=NOTE,
        history=directory / "history",
        commit=lambda applied: move_cursor(directory, f"applied {applied.run_id}"),
    )


def recover(directory: Path) -> tuple[store.Recovered, ...]:
    """What a restart does. OSError where a run stayed unfinished."""
    found = store.recover(directory / "history", lambda run: move_cursor(directory, f"recovered {run.cursor}"))
    if any(run.problem for run in found):
        raise OSError
    return found


@contextmanager
def quick_directory() -> Iterator[Path]:
    """A temporary directory in memory where the system has room there: a killed process needs no disk to tear files."""
    memory = Path("/dev/shm")  # noqa: S108 - a private directory is made below it
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    with TemporaryDirectory(dir=memory if roomy else None, ignore_cleanup_errors=True) as directory:
        yield Path(directory).resolve()


def move_cursor(directory: Path, line: str) -> None:
    """Note that the cursor would have been moved."""
    with (directory / "cursors").open("a") as file:
        file.write(line + "\n")


def sweep(root: Path, action: str, first: str | None) -> None:
    """Break off at every failpoint, the n-th time, for as long as it is passed n times."""
    for name in FAILPOINTS:
        for turn in range(1, 100):
            directory = root / f"{name}@{turn}"
            lay_out(directory)
            if first is not None:
                in_child(f"{first}:kill", partial(apply, directory))
            if in_child(f"{name}@{turn}:{action}", partial(recover if first else apply, directory)):
                break
            print(directory.name)  # noqa: T201 - for the test to read


def in_child(failpoint: str, call: Callable[[], object]) -> bool:
    """Whether a call ended well in a process with this failpoint set."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    os.environ["MEMD_FAILPOINT"] = failpoint
    try:
        call()
    except OSError:
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    sweep(Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)

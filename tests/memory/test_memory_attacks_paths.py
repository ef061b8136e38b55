"""Every way out of the memory directory that we could think of, and a canary that must not notice any of them.

An attack is one hostile name or thing at one place through one channel; each runs by itself, in a directory of its own.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memd import files
from memd.agent.backend import Task
from memd.errors import MemdError
from memd.extract import run as passes
from memd.memory import history, store, topic
from memd.memory.topic import TopicType
from tests.deep.hostile import PLANTERS, SONG, Canary, canary, leaks, names, planted
from tests.extract.conftest import World, saves, world
from tests.fakes import claude_lines as lines
from tests.fakes import transaction as example

__all__ = ["world"]


def sample(*axes: Iterable[str]) -> list[object]:
    """Every combination; one in four by default, in a pattern that meets every value, the rest in a deep run."""
    return [
        pytest.param(*one, marks=() if number % 4 == number // 17 % 4 else pytest.mark.deep)
        for number, one in enumerate(itertools.product(*axes))
    ]


RULE = "always run make lint before you commit"
LOG = "logs/2026/04/2026-04-01.md"
CALLS: dict[str, Callable[[int, str], object]] = {
    "read": files.read_regular,
    "write": lambda fd, rel: files.write_atomic(fd, rel, b"mine"),
    "append": lambda fd, rel: files.append_whole(fd, rel, b"mine\n"),
    "remove": files.remove,
    "enter": lambda fd, rel: _listed(fd, rel, create=False),
    "make": lambda fd, rel: _listed(fd, rel, create=True),
}


def _listed(fd: int, rel: str, *, create: bool) -> tuple[str, ...]:
    with files.open_below(fd, rel, create=create) as below:
        return tuple(entry.path for entry in files.walk(below, levels=1))


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A directory in memory, where there is one."""
    with example.quick_directory() as directory:
        yield directory


@pytest.fixture
def outside(request: pytest.FixtureRequest, tmp_path: Path, home: Path) -> Canary:
    """The canary, on the same file system as the memory directory, so that hard links can be made."""
    return canary(home if "world" in request.fixturenames else tmp_path)


def check(outside: Canary, before: object, *trees: Path) -> None:
    """Look from outside: the canary as it was, its words nowhere."""
    assert outside.state() == before
    assert leaks(*trees) == []


@pytest.mark.parametrize("call", CALLS)
def test_names_through_every_call(tmp_path: Path, outside: Canary, call: str) -> None:
    before = outside.state()
    memory = tmp_path / "memory"
    (memory / "sub").mkdir(parents=True)
    tried = 0
    with files.open_directory(memory) as opened:
        for name in names(outside.root):
            tried += 1
            result: object = None
            with suppress(MemdError, OSError):
                result = CALLS[call](opened, name)
            assert SONG not in (result if isinstance(result, bytes) else b"")
            assert "secret.md" not in (result if isinstance(result, tuple) else ())
    assert tried > 200
    assert {path.name for path in tmp_path.iterdir()} == {"memory", "canary"}
    check(outside, before, tmp_path / "memory")


@pytest.mark.parametrize("what", PLANTERS)
@pytest.mark.parametrize("call", CALLS)
def test_things_in_the_way_of_every_call(tmp_path: Path, outside: Canary, what: str, call: str) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    if not planted(what, memory / "x.md", outside.root):
        pytest.skip("only root makes devices")
    before = outside.state()
    with files.open_directory(memory) as opened:
        for rel in ("x.md", "x.md/secret.md", "x.md/new.md", "x.md/sub/inner.md", "x.md/inner.md", "x.md/../x.md"):
            result: object = None
            with suppress(MemdError, OSError):
                result = CALLS[call](opened, rel)
            assert SONG not in (result if isinstance(result, bytes) else b"")
            assert "secret.md" not in (result if isinstance(result, tuple) else ())
        assert "x.md" not in files.list_files(opened) or what == "directory" or call in {"make", "remove"}
    check(outside, before, memory)


def memory_bytes(name: str = "rule") -> bytes:
    return topic.render(name, RULE, TopicType.FEEDBACK, topic.body(RULE), evidence=(RULE,))


def a_conversation(world: World) -> None:
    world.write(lines.prompt("h1", f"ok. {RULE}"), lines.answer("a1", "m1", lines.text("Will do.")))


def run_pass(world: World) -> None:
    """A pass may fail with an error of ours or the system's, but with no other."""
    with suppress(MemdError, OSError):
        passes.run(world.job(), world.house)


def trees(world: World) -> tuple[Path, Path]:
    return world.memory, world.house.paths.state


def test_names_that_a_hostile_backend_leaves(world: World, outside: Canary) -> None:
    before = outside.state()
    a_conversation(world)
    tried = 0

    def propose(task: Task) -> None:
        nonlocal tried
        for name in names(outside.root):
            path = os.fsencode(task.workspace.memory) + b"/" + name.replace("..", "__").encode(errors="surrogatepass")
            with suppress(OSError, ValueError, RecursionError):
                os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - names may be no text
                with open(path, "xb") as file:  # noqa: PTH123 - likewise
                    file.write(memory_bytes(f"n{tried}"))
                tried += 1

    world.backend.script = lambda task: propose(task) if len(world.backend.tasks) == 1 else None
    run_pass(world)
    assert tried > 100
    made = {path.relative_to(world.memory).as_posix() for path in world.memory.rglob("*") if path.is_file()}
    assert made <= {"MEMORY.md", LOG, "con.md", "aux.md", "lpt1.md"}, made  # plain names on the systems memd runs on
    check(outside, before, *trees(world))


LEFT = ("feedback_rule.md", "MEMORY.md", "sub", "logs", "team", ".", "../bullets.md")


@pytest.mark.parametrize(("what", "name"), sample(PLANTERS, LEFT))
def test_things_that_a_hostile_backend_leaves(world: World, outside: Canary, what: str, name: str) -> None:
    a_conversation(world)
    states: list[object] = []

    def propose(task: Task) -> None:
        memory = task.workspace.memory
        (memory / "feedback_other.md").write_bytes(memory_bytes())
        where = memory.parent / "memory" if name == "." else memory / name
        if name == ".":
            memory.rename(memory.with_name("moved"))
        if name == "../bullets.md":
            where = task.workspace.bullets
        assert planted(what, where, outside.root) or what == "device"
        states.append(outside.state())

    world.backend.script = propose
    run_pass(world)
    check(outside, states[0], *trees(world))
    assert list(world.house.paths.scratch.iterdir()) == []
    assert {path.name for path in world.memory.glob("*.md")} <= {"MEMORY.md", "feedback_other.md"}


PLACES = ("feedback_rule.md", "MEMORY.md", "logs", "logs/2026", "logs/2026/04", LOG, ".consolidate-lock", "team", "sub")


@pytest.mark.parametrize(("what", "place", "when"), sample(PLANTERS, PLACES, ("before", "meanwhile")))
def test_a_live_directory_that_is_hostile(world: World, outside: Canary, what: str, place: str, when: str) -> None:
    a_conversation(world)
    world.memory.mkdir(parents=True)
    (world.memory / "feedback_rule.md").write_bytes(topic.updated(memory_bytes(), drop=("evidence",)) or b"")
    (world.memory / "MEMORY.md").write_text("- [Rule](feedback_rule.md) - rule\n")
    states: list[object] = []

    def plant() -> None:
        assert planted(what, world.memory / place, outside.root) or what == "device"
        states.append(outside.state())

    def propose(task: Task) -> None:
        if when == "meanwhile":
            plant()
        with suppress(OSError):
            saves(RULE)(task)
        saves(RULE, "sub_rule.md")(task)
        (task.workspace.memory / "sub").mkdir(exist_ok=True)
        saves(RULE, "sub/rule.md")(task)

    world.backend.script = propose
    if when == "before":
        plant()
    run_pass(world)
    check(outside, states[0], *trees(world))


IMAGES = (
    "before/user_gone.md",
    "before/user_kept.md",
    "after/user_kept.md",
    "before/MEMORY.md",
    "record.json",
    "before",
)


@pytest.mark.parametrize(("what", "image"), sample([*PLANTERS, "other bytes"], IMAGES))
def test_images_that_somebody_swapped_are_not_put_back(tmp_path: Path, outside: Canary, what: str, image: str) -> None:
    example.lay_out(tmp_path)
    example.apply(tmp_path)
    path = tmp_path / "history" / "1" / image
    if what == "other bytes" and path.is_file():
        path.write_bytes(SONG)
    elif what == "other bytes":
        shutil.rmtree(path)
    else:
        assert planted(what, path, outside.root) or what == "device"
    before, live = outside.state(), contents(tmp_path / "memory")
    with suppress(MemdError, OSError):
        history.undo(1, history=tmp_path / "history", now=example.NOW)
    check(outside, before, tmp_path / "memory")
    assert contents(tmp_path / "memory") == live


@pytest.mark.parametrize("what", [*PLANTERS, "other bytes"])
@pytest.mark.parametrize(
    "image", ["after/user_kept.md", "after/sub/user_new.md", "after/sub", "log/bullets", "log", "after"]
)
def test_images_that_somebody_swapped_are_not_recovered(tmp_path: Path, outside: Canary, what: str, image: str) -> None:
    example.lay_out(tmp_path)
    example.in_child("store.journalled:kill", lambda: example.apply(tmp_path))
    path = tmp_path / "history" / "1" / image
    if what == "other bytes" and path.is_file():
        path.write_bytes(SONG)
    elif what == "other bytes":
        shutil.rmtree(path)
    else:
        assert planted(what, path, outside.root) or what == "device"
    before = outside.state()
    store.recover(tmp_path / "history", lambda _: None)
    check(outside, before, *((tmp_path / "memory",) if image != "log/bullets" or what != "other bytes" else ()))


def contents(memory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(memory)): path.read_bytes() for path in memory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("file", ["entry.json", pytest.param("record.json", marks=pytest.mark.deep)])
def test_records_with_hostile_paths_lead_nowhere(tmp_path: Path, outside: Canary, file: str) -> None:
    before = outside.state()
    tried = 0
    model = tmp_path / "model"
    example.lay_out(model)
    if file == "entry.json":
        example.in_child("store.journalled:kill", lambda: example.apply(model))
    else:
        example.apply(model)
    for number, name in enumerate(names(outside.root)):
        place = shutil.copytree(model, tmp_path / str(number))
        written = place / "history" / "1" / file
        record = json.loads(written.read_bytes()) | {"memory_dir": str(place / "memory")}
        record["files"] = [one | {"path": name} for one in record["files"]]
        if record["log"]:
            record["log"]["path"] = name
        written.write_bytes(json.dumps(record).encode(errors="surrogatepass"))
        store.recover(place / "history", lambda _: None)
        with suppress(MemdError, OSError):
            history.undo(1, history=place / "history", now=example.NOW)
        assert {path.name for path in place.iterdir()} <= {"memory", "history", "cursors"}
        tried += 1
        shutil.rmtree(place)
    assert tried > 200
    check(outside, before)


def test_a_workspace_deeper_than_any_recursion_is_cleared_away(world: World) -> None:
    a_conversation(world)

    def propose(task: Task) -> None:
        saves(RULE)(task)
        here = os.open(task.workspace.memory, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("a", dir_fd=here)
            below = os.open("a", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.mkdir("locked", 0o000, dir_fd=here)
        os.close(here)

    world.backend.script = propose
    assert passes.run(world.job(), world.house).files == ("feedback_rule.md", "MEMORY.md")
    assert list(world.house.paths.scratch.iterdir()) == []

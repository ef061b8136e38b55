"""A purge that is killed: gone from everywhere or from nowhere, from the next command on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from memd import files
from memd.errors import RefusedError
from memd.failpoints import FAILPOINTS
from memd.memory import forget, history, journal, moving, purge, scan, store
from memd.memory.decision import Held, Reason
from memd.memory.log import Bullet
from memd.memory.quotes import EvidenceClass, Quote
from memd.memory.store import Plan, RunNote
from memd.memory.workspace import Change
from tests.fakes import transaction as example

WORD = "harbourmaster"  # stands in what is purged, and nowhere else
PATH, OTHER = "user_gone.md", "user_kept.md"
TEXT = example.topic_file("gone", f"the {WORD} signs the releases", f"The {WORD} signs the releases on Mondays.")
NOTE = RunNote(kind="extract", started=example.NOW)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two topics, written in several runs; of one a change is held, too."""
    root = tmp_path_factory.mktemp("house") / "state"
    quote = Quote(text=f"the {WORD} signs the releases", evidence=EvidenceClass.HUMAN, uuid="u1")
    held = Held(path=PATH, reason=Reason.LOW_CLASS, change=Change(path=PATH, before=None, after=TEXT), quotes=(quote,))
    bullets = [Bullet(type="user", text=f"the {WORD} signs the releases → {PATH}")]
    steps: list[tuple[str, bytes, RunNote]] = [
        (PATH, TEXT, replace(NOTE, quotes={PATH: (quote,)})),
        (OTHER, example.topic_file("kept", "kept"), NOTE),
        (PATH, TEXT + b"\nMore of it.\n", replace(NOTE, held=(held,))),
    ]
    before: dict[str, bytes] = {}
    for path, after, note in steps:
        change = Change(path=path, before=before.get(path), after=after)
        store.apply(root / "memory", [change], run=note, history=root / "history", bullets=bullets)
        before[path] = after
    return root


def purge_it(root: Path) -> None:
    """What the command does."""
    data = (root / "memory" / PATH).read_bytes()
    stone = forget.tombstone(PATH, data, tuple(history.runs(root / "history")), root / "memory")
    note = RunNote(kind="forget", started=example.NOW, forgets=(stone,), purges=True)
    plan = Plan(changes=(Change(path=PATH, before=data, after=None),))
    with purge.announced(stone, history=root / "history", caches=(root / "headers", root / "none")):
        store.transact(root / "memory", lambda _: plan, run=note, history=root / "history")


def resume(root: Path) -> None:
    purge.resume(history=root / "history", caches=(root / "headers", root / "none"))


def telling(root: Path) -> list[str]:
    """The files outside the logs in which a word of it stands."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and "logs" not in path.parts)
    return [str(path.relative_to(root)) for path in found if WORD.encode() in path.read_bytes()]


def contents(root: Path) -> dict[str, bytes]:
    """The memory and the images; a record also says where the memory is."""
    found = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if Path(name).parts[0] in {"memory", "history"}}


def check(root: Path, house: Path) -> str:
    """It is all there, with its way back, or all gone; what else there is is whole."""
    runs = root / "history"
    for number in journal.ids(runs):
        assert not journal.is_open(runs, number)
        assert history.diff(number, history=runs) is not None
    assert not (root / purge.MARK).exists()
    if (root / "memory" / PATH).exists():
        now, before = contents(root), contents(house)
        assert {name for name in now if now[name] != before.get(name)} <= {
            f"history/{number}/record.json" for number in (1, 2, 3)
        }
        assert now.keys() == before.keys()
        return "nothing"
    assert telling(root) == []
    assert OTHER in (root / "memory" / "MEMORY.md").read_text()
    assert PATH not in (root / "memory" / "MEMORY.md").read_text()
    [stone] = next(history.runs(runs)).run.forgets
    assert (stone.path, stone.uuids) == (PATH, ("u1",))
    return "all"


@contextmanager
def copied(house: Path) -> Iterator[Path]:
    """The house at another place, with headers that a scan has kept."""
    with example.quick_directory() as directory:
        root = directory / "state"
        shutil.copytree(house, root)
        moving.relabel(root / "history", old=house / "memory", new=root / "memory", root=Path("/shop"))
        scan.scan(root / "memory", cache=root / "headers")
        assert len(telling(root)) > 3
        yield root


@pytest.mark.parametrize("name", [name for name in FAILPOINTS if name.startswith(("files.", "store."))])
def test_killed_anywhere_it_is_all_or_nothing_after_the_next_command(house: Path, name: str) -> None:
    found: list[str] = []
    for turn in range(1, 200):
        with copied(house) as root:
            if example.in_child(f"{name}@{turn}:kill", partial(purge_it, root)):
                break
            resume(root)
            store.recover(root / "history", lambda _: None)
            found.append(check(root, house))
    assert found == sorted(found, reverse=True), "once it is gone it stays gone"
    if name in {"files.renamed", "files.removed", "store.journalled"}:
        assert "all" in found


@pytest.mark.parametrize("name", [name for name in FAILPOINTS if name.startswith("files.")])
def test_killed_again_while_it_is_being_finished(house: Path, name: str) -> None:
    for turn in range(1, 200):
        with copied(house) as root:
            assert not example.in_child("store.done:kill", partial(purge_it, root))
            ended = example.in_child(f"{name}@{turn}:kill", partial(resume, root))
            resume(root)
            assert check(root, house) == "all"
        if ended:
            break


def test_what_another_process_is_at_is_left_to_it(house: Path) -> None:
    with copied(house) as root:
        assert not example.in_child("store.done:kill", partial(purge_it, root))
        with (root / "purging.lock").open() as lock, files.locked(lock.fileno()):
            resume(root)
            assert (root / purge.MARK).exists()
        resume(root)
        assert check(root, house) == "all"


def test_a_purge_that_was_refused_leaves_nothing(house: Path) -> None:
    with copied(house) as root:
        (root / "memory" / "MEMORY.md").unlink()
        stone = forget.tombstone(PATH, TEXT, (), root / "memory")
        with (
            pytest.raises(RefusedError),
            purge.announced(stone, history=root / "history", caches=(root / "headers", root / "none")),
        ):
            raise RefusedError
        resume(root)
        assert not (root / purge.MARK).exists()
        assert (root / "memory" / PATH).exists()

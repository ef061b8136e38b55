"""Whose a file is: what an agent wrote is like what memd wrote, and what a person had a part in is theirs."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import RefusedError
from memd.memory import history, journal, moving, store, topic, validate, whose, witnessed
from memd.memory.journal import RunNote
from memd.memory.topic import TopicType
from memd.memory.validate import Policy
from memd.memory.workspace import Change
from tests.fakes import transaction as example

PATH = "feedback_deploy.md"
WRITTEN = datetime(2026, 4, 1, 10, 15, tzinfo=UTC)


def dated(body: str, at: datetime | None = WRITTEN) -> bytes:
    """A topic with an agent's date in it."""
    stamp = at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None
    return topic.render("deploy", "How to deploy", TopicType.FEEDBACK, body, metadata={"modified": stamp})


class Bench:
    """A memory directory and its history."""

    def __init__(self, root: Path) -> None:
        self.memory, self.history = root / "memory", root / "history"
        self.memory.mkdir()
        self.file = self.memory / PATH

    def agent(self, body: str, at: datetime = WRITTEN) -> bytes:
        """Claude Code writes the file, with its date in it."""
        return self.put(dated(body, at), at)

    def put(self, data: bytes, at: datetime) -> bytes:
        """Somebody writes it."""
        self.file.write_bytes(data)
        os.utime(self.file, (at.timestamp(), at.timestamp()))
        return data

    def run(self, after: bytes | None, kind: str = "extract") -> int:
        """A run of memd's writes it."""
        before = self.file.read_bytes() if self.file.exists() else None
        note = RunNote(kind=kind, started=example.NOW)
        return store.apply(
            self.memory, (Change(path=PATH, before=before, after=after),), run=note, history=self.history
        ).run_id

    def undo(self, run_id: int) -> None:
        """That run is taken back."""
        history.undo(run_id, history=self.history, now=example.NOW)

    def is_persons(self) -> bool:
        """What is asked here."""
        return PATH in whose.foreign(self.memory, history=self.history)

    def look(self) -> None:
        """A pass notes what it found."""
        witnessed.note(self.history, self.memory, persons=whose.foreign(self.memory, history=self.history))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(
    ("data", "late", "is_agents"),
    [
        (dated("x"), 0.0, True),
        (dated("x"), 1.9, True),
        (dated("x"), -1.9, True),
        (dated("x"), 2.1, False),
        (dated("x").replace(b"10:15:00Z", b"10:15:00.250Z"), 0.3, True),
        (dated("x").replace(b"10:15:00Z", b"10:15:00"), 0.0, False),
        (dated("x").replace(b"10:15:00Z", b"soon"), 0.0, False),
        (dated("x", None), 0.0, False),
        (dated("x", None).replace(b"---\n", b"---\nmodified: 2026-04-01T10:15:00Z\n", 1), 0.0, False),
        (b"no header", 0.0, False),
        (b"\xff\xfe", 0.0, False),
    ],
    ids=["same", "after", "before", "later", "fraction", "no-zone", "no-date", "undated", "editor", "bare", "binary"],
)
def test_an_agents_file_has_its_own_date_in_it(data: bytes, late: float, *, is_agents: bool) -> None:
    assert whose.is_dated_by_agent(data, WRITTEN.timestamp() + late) is is_agents


def test_what_an_agent_wrote_is_no_persons_and_what_a_person_changed_in_it_is(bench: Bench) -> None:
    bench.agent("Always deploy from release.")
    assert not bench.is_persons()
    bench.put(dated("Always deploy from release, says Ada."), WRITTEN + timedelta(hours=1))
    assert bench.is_persons()


def test_a_checkout_gives_an_agents_file_another_date_and_so_to_a_person(bench: Bench) -> None:
    data = bench.agent("Always deploy from release.")
    bench.put(data, WRITTEN + timedelta(days=1))
    assert bench.is_persons()
    shutil.copyfile(bench.file, bench.memory / "feedback_copy.md")
    assert "feedback_copy.md" in whose.foreign(bench.memory, history=bench.history)


def test_what_memd_made_of_an_agents_file_is_no_persons(bench: Bench) -> None:
    bench.agent("Always deploy from release.")
    first = bench.run(dated("Deploy from main."))
    bench.run(dated("Deploy from main, on Mondays."))
    assert not bench.is_persons()
    assert [file.by_agent for file in history.load(first, history=bench.history).files if file.path == PATH] == [True]
    bench.put(dated("Deploy from main, on Fridays, I say."), WRITTEN + timedelta(days=2))
    assert bench.is_persons()
    bench.run(dated("Deploy from main, on Fridays, I say.\n\nAnd never at night."))
    assert bench.is_persons()


def test_a_persons_file_stays_theirs_whatever_dates_memd_writes_into_it(bench: Bench) -> None:
    now = datetime.now(UTC)
    bench.put(dated("Mine.", WRITTEN), WRITTEN + timedelta(days=1))
    bench.run(dated("Mine.\n\nAnd memd's.", now))
    assert whose.is_dated_by_agent(bench.file.read_bytes(), bench.file.stat().st_mtime)
    assert bench.is_persons()


def test_validation_leaves_the_date_in_a_persons_file_alone() -> None:
    before, after = dated("Mine."), dated("Mine.\n\nAnd memd's.", WRITTEN + timedelta(days=9))
    change = Change(path=PATH, before=before, after=after)
    policy = Policy(needs_quotes=False, foreign=(PATH,))
    (accepted,) = validate.check([change], window=(), policy=policy).accepted
    assert accepted.after == dated("Mine.\n\nAnd memd's.")
    (free,) = validate.check([change], window=(), policy=replace(policy, foreign=())).accepted
    assert free.after == after


def test_what_an_agent_adds_to_a_persons_file_makes_it_no_agents(bench: Bench) -> None:
    bench.put(dated("Mine."), WRITTEN + timedelta(days=1))
    bench.look()
    bench.agent("Mine.\n\nAnd the agent's.", WRITTEN + timedelta(days=2))
    assert bench.is_persons()
    bench.look()
    bench.run(dated("Mine.\n\nAnd the agent's.\n\nAnd memd's.", datetime.now(UTC)))
    bench.look()
    bench.agent("Mine.\n\nAnd more of the agent's.", WRITTEN + timedelta(days=3))
    assert bench.is_persons()


def test_an_agents_edit_of_what_memd_added_to_a_persons_file_makes_it_no_agents(bench: Bench) -> None:
    bench.put(dated("Mine.", None), WRITTEN)
    bench.run(dated("Mine.\n\nAnd memd's.", None))
    bench.agent("Mine.\n\nAnd memd's.\n\nAnd the agent's.", WRITTEN + timedelta(days=2))
    assert bench.is_persons()


def test_agents_and_memd_may_take_turns(bench: Bench) -> None:
    bench.run(dated("One.", None))
    bench.agent("One.\n\nTwo.")
    bench.look()
    assert not bench.is_persons()
    bench.run(dated("One.\n\nTwo.\n\nThree.", None))
    assert not bench.is_persons()
    bench.run(None)
    bench.agent("Anew.", WRITTEN + timedelta(days=2))
    assert not bench.is_persons()


def test_a_change_of_a_persons_that_was_taken_back_by_hand_is_gone(bench: Bench) -> None:
    bench.run(data := dated("One.", None))
    bench.put(dated("One, I say.", None), WRITTEN)
    bench.look()
    assert bench.is_persons()
    bench.put(data, WRITTEN)
    bench.look()
    assert not bench.is_persons()
    bench.agent("One.\n\nTwo.")
    assert not bench.is_persons()


@pytest.mark.parametrize("after", [b"---\nname: other\n---\nOther.\n", None], ids=["update", "deletion"])
def test_undo_changes_no_owner(bench: Bench, after: bytes | None) -> None:
    bench.agent("Always deploy from release.")
    bench.undo(bench.run(after))
    assert not bench.is_persons()
    bench.undo(2)
    bench.undo(3)
    assert not bench.is_persons()
    bench.put(bench.file.read_bytes() + b"And mine.\n", WRITTEN + timedelta(days=1))
    assert bench.is_persons()


@pytest.mark.parametrize("by_agent", [True, False], ids=["agents", "memds"])
def test_what_a_person_typed_into_an_editor_is_theirs_until_it_is_undone(bench: Bench, *, by_agent: bool) -> None:
    bench.agent("One.") if by_agent else bench.run(dated("One.", None))
    number = bench.run(dated("One, I say.", None), kind=whose.EDIT)
    assert bench.is_persons()
    bench.run(dated("One, I say.\n\nTwo.", None))
    assert bench.is_persons()
    bench.undo(number + 1)
    bench.undo(number)
    assert not bench.is_persons()


@pytest.mark.parametrize("kind", [whose.SHARE, whose.UNSHARE])
@pytest.mark.parametrize("maker", ["person", "agent", "memd", "mate", "mixed"])
def test_a_file_that_is_moved_stays_whose_it_was(bench: Bench, kind: str, maker: str) -> None:
    match maker:
        case "agent":
            bench.agent("One.")
        case "memd" | "mate":
            bench.run(dated("One.", None), kind="team" if maker == "mate" else "remember")
        case _:
            bench.put(dated("One.", None), WRITTEN)
    if maker == "mixed":
        bench.look()
        bench.agent("One.\n\nAnd the agent's.")
    data, moved = bench.file.read_bytes(), "feedback_moved.md"
    changes = (Change(path=moved, before=None, after=data), Change(path=PATH, before=data, after=None))
    note = RunNote(kind=kind, started=example.NOW)
    store.apply(bench.memory, changes, run=note, history=bench.history)
    assert (moved in whose.foreign(bench.memory, history=bench.history)) is (maker not in {"agent", "memd"})


def test_what_an_import_brings_is_a_persons(bench: Bench) -> None:
    bench.run(dated("One.", None), kind=whose.IMPORT)
    assert bench.is_persons()
    bench.look()
    bench.run(dated("One.\n\nAnd memd's.", None))
    bench.agent("One.\n\nAnd memd's.\n\nAnd the agent's.")
    assert bench.is_persons()


def test_a_version_that_a_transcript_showed_is_an_agents_whatever_its_date(bench: Bench) -> None:
    text = bench.put(dated("One.", None), WRITTEN).decode()
    assert whose.shown(bench.memory, {PATH: text + "x", "feedback_gone.md": text}) == {}
    shown = whose.shown(bench.memory, {PATH: text})
    assert shown == {PATH: journal.digest(bench.file.read_bytes())}
    witnessed.note(bench.history, bench.memory, agents=shown)
    os.utime(bench.file)
    assert not bench.is_persons()
    bench.run(dated("One.\n\nTwo.", None))
    assert not bench.is_persons()
    bench.put(dated("One, I say.", None), WRITTEN)
    assert bench.is_persons()


def test_what_was_witnessed_goes_with_the_files_and_with_the_directory(bench: Bench, tmp_path: Path) -> None:
    bench.put(b"mine", WRITTEN)
    bench.look()
    (noted,) = bench.history.iterdir()
    before = noted.stat().st_mtime_ns
    bench.look()
    assert noted.stat().st_mtime_ns == before
    assert noted.stat().st_mode & 0o077 == 0
    moved = tmp_path / "moved"
    bench.memory.rename(moved)
    moving.relabel(bench.history, old=bench.memory, new=moved, root=tmp_path)
    assert witnessed.load(bench.history, moved).persons == (PATH,)
    assert witnessed.load(bench.history, bench.memory).persons == ()
    (moved / PATH).unlink()
    witnessed.note(bench.history, moved)
    assert witnessed.load(bench.history, moved).persons == ()


def test_damaged_witness_is_no_witness(bench: Bench) -> None:
    bench.agent("One.")
    witnessed.note(bench.history, bench.memory, persons=(PATH,))
    assert bench.is_persons()
    (noted,) = bench.history.iterdir()
    noted.write_bytes(b"{")
    assert not bench.is_persons()
    bench.look()
    assert bench.is_persons() is False


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(st.sampled_from(["agent", "anew", "adds", "rewrites", "undoes", "person", "checkout"]), max_size=7)
)
def test_a_persons_line_is_protected_whatever_came_before_and_after(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = Bench(tmp_path_factory.mktemp("bench"))
    bench.agent("To begin with.")
    by_person, ran = False, list[int]()
    for number, step in enumerate(steps, 1):
        body, at = topic.parse(bench.file.read_bytes()).body, WRITTEN + timedelta(days=number)
        match step:
            case "agent":
                bench.agent(f"{body}\n\nThe agent adds {number}.", at)
            case "anew" if not by_person:
                bench.agent(f"The agent says {number}.", at)
            case "adds":
                ran.append(bench.run(dated(f"{body}\n\nmemd adds {number}.", None)))
            case "rewrites" if not bench.is_persons():
                ran.append(bench.run(dated(f"memd says {number}.")))
            case "undoes" if ran:
                with suppress(RefusedError):
                    bench.undo(ran.pop())
            case "person":
                by_person = True
                bench.put(dated(f"{body}\n\nAda says {number}."), at)
            case "checkout":
                by_person = True  # for all that is known
                bench.put(bench.file.read_bytes() + b"\n", at)
            case _:
                continue
        bench.look()
        assert bench.is_persons() is by_person

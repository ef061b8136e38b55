"""Passes, undos and hand edits in any order, on real files: what was accepted and what was typed is still somewhere."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memd.errors import MemdError
from memd.memory import history, index, log, store, topic, validate, whose, workspace
from memd.memory.log import Bullet
from memd.memory.quotes import Speaker, Utterance
from memd.memory.store import RunNote
from memd.memory.topic import TopicType
from memd.memory.validate import Policy
from memd.memory.workspace import Workspace

NAMES = ("feedback_a.md", "feedback_b.md", "sub/feedback_c.md")
START = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)


class Orders(RuleBasedStateMachine):
    """Two passes may be under way at a time: each begins with a copy and ends with its transaction, in any order."""

    @initialize()
    def lay_out(self) -> None:
        """An empty memory directory."""
        memory_fs = Path("/dev/shm")  # noqa: S108 - a private directory is made below it
        self.root = Path(tempfile.mkdtemp(dir=memory_fs if memory_fs.is_dir() else None))
        self.memory = self.root / "memory"
        self.memory.mkdir()
        self.facts: list[str] = []
        self.typed: list[str] = []
        self.under_way: dict[int, tuple[Workspace, str, ExitStack]] = {}
        self.count = 0

    def teardown(self) -> None:
        """Clear up."""
        for number in list(self.under_way):
            self.close(number)
        shutil.rmtree(self.root)

    def said(self) -> str:
        """A sentence that no other is like."""
        self.count += 1
        return f"always run make target{self.count}x before a commit"

    def note(self) -> RunNote:
        """A run a minute after the last."""
        now = START + timedelta(minutes=self.count)
        return RunNote(kind="extract", started=now, ended=now)

    @rule(
        which=st.integers(0, 1), name=st.sampled_from(NAMES), how=st.sampled_from(("new", "grow", "replace", "delete"))
    )
    def begin(self, which: int, name: str, how: str) -> None:
        """A pass copies the memory and proposes something."""
        if which in self.under_way:
            return
        held = ExitStack()
        work = held.enter_context(workspace.make(self.memory, self.root / "scratch"))
        sentence = self.said()
        path = work.memory / name
        if how == "delete":
            path.unlink(missing_ok=True)
        else:
            old = topic.parse(path.read_bytes()).body if path.exists() and how == "grow" else ""
            body = f"{old.rstrip()}\n\n{topic.body(sentence)}".lstrip()
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(topic.render("rule", sentence, TopicType.FEEDBACK, body, evidence=(sentence,)))
        self.under_way[which] = (work, sentence, held)

    @rule(name=st.sampled_from(NAMES), how=st.sampled_from(("new", "grow", "replace")))
    def undisturbed(self, name: str, how: str) -> None:
        """A third pass from beginning to end."""
        self.begin(2, name, how)
        self.end(2)

    @precondition(lambda self: self.under_way)
    @rule(which=st.integers(0, 1))
    def end(self, which: int) -> None:
        """It is judged and applied; what was accepted counts from now on."""
        if which not in self.under_way:
            return
        work, sentence, _ = self.under_way[which]
        window = (Utterance(speaker=Speaker.HUMAN, text=sentence, uuid="u"),)
        policy = Policy(foreign=whose.foreign(self.memory, history=self.root / "history"))
        decision = validate.check(workspace.difference(work), window=window, policy=policy)
        bullets = [
            Bullet(type="feedback", text=f"{topic.parse(one.after or one.before or b'').description} → {one.path}")
            for one in decision.accepted
        ]
        store.apply(self.memory, decision.accepted, run=self.note(), history=self.root / "history", bullets=bullets)
        if any(change.after is not None for change in decision.accepted):
            self.facts.append(sentence)
        self.close(which)

    def close(self, which: int) -> None:
        """Clear a pass's copy away."""
        self.under_way.pop(which)[2].close()

    @rule(name=st.sampled_from((*NAMES, "MEMORY.md")), place=st.sampled_from(("top", "end")))
    def type(self, name: str, place: str) -> None:
        """A person adds a line to a file that exists, or to the index."""
        self.count += 1
        path = self.memory / name
        if not path.exists() and name != "MEMORY.md":
            return
        line = f"typed {self.count}y by hand"
        old = path.read_bytes() if path.exists() else b""
        head, mark, rest = old.partition(b"---\n\n") if place == "top" and name != "MEMORY.md" else (b"", b"", old)
        new = (
            head + mark + line.encode() + b"\n\n" + rest if place == "top" else old.rstrip() + f"\n\n{line}\n".encode()
        )
        path.write_bytes(new)
        self.typed.append(line)

    @rule(name=st.sampled_from(NAMES))
    def write(self, name: str) -> None:
        """A person writes a topic of their own over whatever stands there: what they remove, they remove."""
        self.count += 1
        line = f"typed {self.count}y by hand"
        path = self.memory / name
        gone = path.read_text("utf-8") if path.exists() else ""
        self.typed = [old for old in self.typed if old not in gone]
        self.facts = [old for old in self.facts if old not in gone]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(topic.render("mine", line, TopicType.FEEDBACK, topic.body(line)))
        self.typed.append(line)

    @precondition(lambda self: self.facts)
    @rule(back=st.integers(0, 3))
    def undo(self, back: int) -> None:
        """A person takes one of the last runs back; it may be refused."""
        runs = [record.id for record in history.runs(self.root / "history")]
        if back < len(runs):
            self.count += 1
            with suppress(MemdError):
                history.undo(runs[back], history=self.root / "history", now=self.note().started)

    @invariant()
    def nothing_is_lost(self) -> None:
        """Everything is live, in a log, or in an image of the history; what a person typed is live."""
        live = self.text(self.memory)
        past = self.text(self.root / "history")
        assert [fact for fact in self.facts if fact not in live + past] == []
        assert [line for line in self.typed if line not in live] == []

    @invariant()
    def every_bullet_stands_once(self) -> None:
        """No sentence is logged twice by one run, and the log is whole lines."""
        for path in self.memory.rglob("logs/*/*/*.md"):
            data = path.read_bytes()
            assert len(log.parse(data)) == data.count(b"\n")

    @invariant()
    def the_index_lists_each_topic_once(self) -> None:
        """As far as a run has rebuilt it: no entry twice."""
        path = self.memory / "MEMORY.md"
        entries = [entry.path for entry in index.parse(path.read_bytes())] if path.exists() else []
        assert len(entries) == len(set(entries))

    @staticmethod
    def text(tree: Path) -> str:
        """Every file's text."""
        return "\n".join(path.read_text("utf-8", errors="replace") for path in tree.rglob("*") if path.is_file())


def run_orders(examples: int, steps: int) -> None:
    """Try that many orders."""
    chosen = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Orders, settings=chosen)


@pytest.mark.deep
@pytest.mark.timeout(3600)  # four minutes on a machine of its own
def test_any_order_of_passes_and_hand_edits_loses_nothing() -> None:
    run_orders(1_000, 40)


def test_some_orders_of_passes_and_hand_edits_lose_nothing() -> None:
    run_orders(15, 15)

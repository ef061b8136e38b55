"""Held proposals: how they are numbered, judged, and not asked about twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memd.errors import RefusedError
from memd.memory import history, retention, review, standing, store
from memd.memory.decision import Decision, Held, Reason, Verdict
from memd.memory.journal import RunNote
from memd.memory.quotes import EvidenceClass, Quote
from memd.memory.standing import Waiting
from memd.memory.store import Plan
from memd.memory.workspace import Change
from tests.fakes import transaction as example

DATA = example.topic_file("port", "The proxy listens on port 8443 these days")
QUOTE = Quote(text="the proxy listens on port 8443 these days", evidence=EvidenceClass.OUTSIDE, uuid="t1")
FIRST = Held(
    path="user_port.md",
    reason=Reason.LOW_CLASS,
    change=Change(path="user_port.md", before=None, after=DATA),
    quotes=(QUOTE,),
)
SECOND = replace(FIRST, path="user_b.md", change=Change(path="user_b.md", before=None, after=b"not a topic"), quotes=())


class Desk:
    """A memory directory whose runs held something."""

    def __init__(self, root: Path) -> None:
        self.memory, self.history = root / "memory", root / "history"

    def hold(self, *held: Held) -> int:
        """One run that held something."""
        note = RunNote(kind="extract", started=example.NOW, held=held)
        return store.apply(self.memory, [], run=note, history=self.history).run_id

    def waiting(self) -> tuple[Waiting, ...]:
        """What nobody has judged."""
        return standing.waiting(tuple(history.runs(self.history)))

    def judge(self, one: Waiting, verdict: Verdict) -> int:
        """A person's decision."""
        note = RunNote(kind="review", started=example.NOW, reviews=review.verdict(one, verdict))

        def plan(memory: int) -> Plan:
            return review.acceptance(one, memory) if verdict is Verdict.ACCEPTED else Plan(changes=())

        return store.transact(self.memory, plan, run=note, history=self.history).run_id

    def again(self, *held: Held) -> tuple[Held, ...]:
        """What is held of a proposal made again."""
        rejected = standing.rejected(tuple(history.runs(self.history)), str(self.memory))
        return review.without_rejected(Decision(held=held), rejected).held


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_ids_stay_while_others_are_judged(desk: Desk) -> None:
    desk.hold(FIRST, SECOND)
    desk.hold(FIRST)
    assert [one.id for one in desk.waiting()] == ["2.1", "1.1", "1.2"]
    desk.judge(desk.waiting()[1], Verdict.REJECTED)
    assert [one.id for one in desk.waiting()] == ["2.1", "1.2"]


def test_accepted_it_is_live_and_undone_it_waits_again(desk: Desk) -> None:
    desk.hold(FIRST)
    run = desk.judge(desk.waiting()[0], Verdict.ACCEPTED)
    assert (desk.waiting(), (desk.memory / FIRST.path).read_bytes()) == ((), DATA)
    assert "(user_port.md)" in (desk.memory / "MEMORY.md").read_text()
    history.undo(run, history=desk.history, now=example.NOW)
    assert ([one.id for one in desk.waiting()], (desk.memory / FIRST.path).exists()) == (["1.1"], False)


def test_rejected_it_is_not_held_again_but_other_things_are(desk: Desk) -> None:
    desk.hold(FIRST)
    run = desk.judge(desk.waiting()[0], Verdict.REJECTED)
    reworded = replace(FIRST, change=replace(FIRST.change, after=example.topic_file("x", "Other words altogether")))
    unquoted = replace(FIRST, quotes=())
    assert desk.again(FIRST, reworded, unquoted, SECOND) == (SECOND,)
    assert b"8443" not in (desk.history / str(run) / "record.json").read_bytes()
    history.undo(run, history=desk.history, now=example.NOW)
    assert desk.again(FIRST) == (FIRST,)
    with pytest.raises(RefusedError, match="undone already"):
        history.undo(run, history=desk.history, now=example.NOW)


def test_a_changed_file_takes_it_where_both_fit(desk: Desk) -> None:
    base = example.topic_file("port", "ports", "One.\n\nTwo.\n\nThree.")
    held = replace(FIRST, change=Change(path=FIRST.path, before=base, after=base.replace(b"Three.", b"3.")))
    desk.memory.mkdir()
    (desk.memory / FIRST.path).write_bytes(base.replace(b"One.", b"1."))
    desk.hold(held)
    desk.judge(desk.waiting()[0], Verdict.ACCEPTED)
    assert (desk.memory / FIRST.path).read_bytes() == base.replace(b"One.", b"1.").replace(b"Three.", b"3.")


@pytest.mark.parametrize(
    ("before", "live", "why"),
    [
        (None, DATA + b"More.\n", "is there already"),
        (DATA, None, "is gone"),
        (DATA, DATA.replace(b"Body.", b"Theirs."), "in the same place"),
    ],
)
def test_where_it_does_not_fit_it_is_refused_and_waits_on(
    desk: Desk, before: bytes | None, live: bytes | None, why: str
) -> None:
    held = replace(FIRST, change=Change(path=FIRST.path, before=before, after=DATA.replace(b"Body.", b"Ours.")))
    desk.memory.mkdir()
    if live is not None:
        (desk.memory / FIRST.path).write_bytes(live)
    desk.hold(held)
    with pytest.raises(RefusedError, match=why):
        desk.judge(desk.waiting()[0], Verdict.ACCEPTED)
    assert [one.id for one in desk.waiting()] == ["1.1"]


def test_rules_of_form_hold_for_a_person_too(desk: Desk) -> None:
    desk.hold(SECOND)
    with pytest.raises(RefusedError, match="bad type"):
        desk.judge(desk.waiting()[0], Verdict.ACCEPTED)
    assert not (desk.memory / SECOND.path).exists()


def test_retention_leaves_what_waits_and_what_was_rejected(desk: Desk) -> None:
    waits, rejected, accepted = (desk.hold(FIRST) for _ in range(3))
    third, second, _ = desk.waiting()
    no = desk.judge(second, Verdict.REJECTED)
    desk.judge(third, Verdict.ACCEPTED)
    desk.hold()
    gone = retention.prune(desk.history, today=example.NOW + timedelta(days=1), keep=timedelta(0))
    assert set(gone) == {rejected, accepted}  # what the acceptance made is there
    assert [one.record.id for one in desk.waiting()] == [waits]
    assert (no in {record.id for record in history.runs(desk.history)}, desk.again(FIRST)) == (True, ())

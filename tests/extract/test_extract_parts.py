"""A conversation, and a single turn, longer than a pass may send: part by part, to the end, and nothing twice.

What is proven here is proven on the bytes that a service on loopback got.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.agent.loop import request_tokens
from memd.errors import BudgetError, TransientError
from memd.extract import run as extract
from memd.extract.gate import MORE, Skip
from memd.ledger import Job, JobRequest, Outcome, Run
from memd.memory import store
from memd.memory.decision import Tombstone
from memd.memory.journal import RunNote
from memd.memory.store import Plan
from memd.settings import Spending
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Cursor
from tests.fakes import claude_lines as lines
from tests.fakes.anthropic_server import Failure, Json, in_turn, serving, text, tool_use
from tests.fakes.long_talk import lines_shown, looks, said_in, sentences, times_shown
from tests.fakes.model_pass import Passes, furnished

KEY = f"claude-code:{lines.SESSION}"
SMALL = Spending(pass_tokens=30_000)  # parts of 5,000 tokens
NOTHING = [text("nothing")]


@contextmanager
def spending(home: Path, caps: Spending = SMALL) -> Iterator[Passes]:
    """A project whose passes spend money, by these caps."""
    with serving(in_turn(otherwise=NOTHING)) as server, furnished(home, server) as passes:
        house = replace(passes.house, account="somebody", settings=replace(passes.house.settings, caps=caps))
        yield replace(passes, house=house)


def turn(number: int, words: str) -> list[lines.Line]:
    return [
        lines.prompt(f"h{number}", words),
        lines.answer(f"a{number}", f"m{number}", lines.text(f"Answer {number}.")),
    ]


def all_runs(passes: Passes) -> list[Run]:
    """Go on with what waits until nothing does."""
    done: list[Run] = []
    while (job := passes.ledger.claim(lease=60.0)) is not None:
        done.append(extract.run(job, passes.house))
        assert len(done) < 100
    return done


def waiting(passes: Passes) -> Job:
    """The job that is next."""
    job = passes.ledger.claim(lease=60.0)
    assert job is not None
    return job


def where(passes: Passes) -> Cursor:
    known = passes.ledger.session(KEY)
    assert known is not None
    return cursors.loads(known.cursor)


def check_every_sentence_is_sent_once(seed: int, sizes: list[int], cap: int) -> None:
    """Let one turn, or a few, be gone through by passes that may send so many tokens each."""
    said = sentences(seed, sum(sizes))
    places = [0, *itertools.accumulate(sizes)]
    records = [r for n, (a, b) in enumerate(itertools.pairwise(places)) for r in turn(n, "".join(said[a:b]))]
    with tempfile.TemporaryDirectory() as home, spending(Path(home), Spending(pass_tokens=cap)) as passes:
        runs = [passes.run(records, in_turn(otherwise=NOTHING)), *all_runs(passes)]
        seen = looks(passes.server)
        assert times_shown(said, seen) == [1] * len(said)
        assert len(seen) == len(runs)
        assert all(request_tokens(body) < cap / 2 for body in seen)
        assert [run.reason for run in runs] == [MORE] * (len(runs) - 1) + [None]
        assert where(passes).inside is None
        assert where(passes).offset == passes.transcript().stat().st_size


_SEEDS = st.integers(0, 10**6)


@given(_SEEDS, st.lists(st.integers(1, 250), min_size=1, max_size=2), st.sampled_from([24_000, 60_000]))
@settings(max_examples=5)
def test_every_sentence_of_a_giant_turn_is_sent_in_exactly_one_pass(seed: int, sizes: list[int], cap: int) -> None:
    check_every_sentence_is_sent_once(seed, sizes, cap)


@pytest.mark.deep
@pytest.mark.timeout(900)
@given(_SEEDS, st.lists(st.integers(1, 900), min_size=1, max_size=3), st.sampled_from([19_500, 30_000, 200_000]))
@settings(max_examples=40)
def test_and_of_larger_ones(seed: int, sizes: list[int], cap: int) -> None:
    check_every_sentence_is_sent_once(seed, sizes, cap)


def test_no_pass_sends_more_than_its_cap_however_long_it_goes_on(home: Path) -> None:
    read = tool_use("Read", {"file_path": "transcript.md"})
    with spending(home) as passes:
        passes.server.script = lambda _: [read]
        passes.add(turn(0, "".join(sentences(1, 900))))
        before = requests = 0
        while (job := passes.ledger.claim(lease=60.0)) is not None:
            extract.run(job, passes.house)
            (spent,) = passes.ledger.spent_since("2026-04-01")
            assert spent.input - before <= SMALL.pass_tokens
            assert 1 < spent.requests - requests <= 5
            before, requests = spent.input, spent.requests
        assert len(looks(passes.server)) == spent.passes > 3


def test_what_a_day_does_not_allow_follows_the_next_day_from_where_it_was(home: Path) -> None:
    said = sentences(2, 1_200)
    with spending(home, replace(SMALL, day_passes=2)) as passes:
        passes.run(turn(0, "".join(said)), in_turn(otherwise=NOTHING))
        for _ in range(20):
            job = passes.ledger.claim(lease=60.0)
            if job is None:
                break
            try:
                extract.run(job, passes.house)
            except BudgetError:
                assert len(looks(passes.server)) % 2 == 0
                assert where(passes).offset == 0
                passes.ledger.release(job)
                passes.clock.advance(86_400)
        assert len(looks(passes.server)) > 4
        assert times_shown(said, looks(passes.server)) == [1] * len(said)


def test_a_later_part_sees_what_an_earlier_one_saved(home: Path) -> None:
    said = sentences(3, 800)
    rule = "From now on always run make lint before you commit anything. "
    with spending(home) as passes:
        writes = in_turn([write("feedback_lint.md", rule.strip())], otherwise=NOTHING)
        first = passes.run(turn(0, rule + "".join(said)), writes)
        assert (first.outcome, first.reason) == (Outcome.SAVED, MORE)
        all_runs(passes)
        about = [body["messages"][0]["content"][0]["text"] for body in looks(passes.server)]
        assert "feedback_lint.md" not in about[0]
        assert all("[feedback] feedback_lint.md (today)" in one for one in about[1:])
        assert "feedback_lint.md" in passes.live()


def write(name: str, rule: str) -> Json:
    words = f'---\nname: rule\ndescription: {rule}\ntype: feedback\nevidence: ["{rule}"]\n---\n{rule}\n'
    return tool_use("Write", {"file_path": f"memory/{name}", "content": words})


def test_the_parts_say_which_they_are_and_how_it_all_began(home: Path) -> None:
    with spending(home) as passes:
        passes.run(turn(0, "".join(sentences(4, 800))), in_turn(otherwise=NOTHING))
        all_runs(passes)
        told = [body["messages"][0]["content"][-1]["text"] for body in looks(passes.server)]
    assert all(f"Part {number} of about " in one for number, one in enumerate(told, 1))
    assert ["How the conversation began" in one for one in told] == [False] + [True] * (len(told) - 1)


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_a_message_of_two_megabytes_is_gone_through_as_it_is_with_the_caps_as_they_are(home: Path) -> None:
    said = sentences(5, 20_000)
    assert len("".join(said)) > 2_000_000
    with spending(home, Spending(day_dollars=1_000.0)) as passes:
        passes.run(turn(0, "".join(said)), in_turn(otherwise=NOTHING))
        all_runs(passes)
        assert times_shown(said, looks(passes.server)) == [1] * len(said)
        assert "Answer 0." in said_in(looks(passes.server)[-1], "assistant")


def test_a_paste_in_a_giant_turn_is_shortened_and_the_words_around_it_are_all_there(home: Path) -> None:
    said = sentences(6, 700)
    log = "\n".join(f"2026-03-05 10:00:{n % 60:02} ERROR worker {n} lost its lease" for n in range(3_000))
    with spending(home) as passes:
        passes.run(turn(0, "".join(said[:350]) + f"\n\n{log}\n\n" + "".join(said[350:])), in_turn(otherwise=NOTHING))
        all_runs(passes)
        assert times_shown(said, looks(passes.server)) == [1] * len(said)
        assert sum(said_in(body).count("lost its lease") for body in looks(passes.server)) < 100


def test_a_part_whose_pass_failed_is_sent_anew_and_no_other(home: Path) -> None:
    said = sentences(7, 900)
    with spending(home) as passes:
        passes.run(turn(0, "".join(said)), in_turn(otherwise=NOTHING))
        before = where(passes)
        passes.server.script = in_turn(Failure(status=529), otherwise=NOTHING)
        job = passes.ledger.claim(lease=60.0)
        assert job is not None
        with pytest.raises(TransientError):
            extract.run(job, passes.house)
        assert where(passes) == before
        passes.ledger.release(job)
        all_runs(passes)
        times = times_shown(said, looks(passes.server))
        twice = [place for place, count in enumerate(times) if count == 2]
        assert set(times) == {1, 2}
        assert twice == list(range(twice[0], twice[-1] + 1))
        assert said_in(looks(passes.server)[1]) == said_in(looks(passes.server)[2])


def test_what_is_said_meanwhile_comes_behind_the_rest(home: Path) -> None:
    said = sentences(8, 900)
    with spending(home) as passes:
        passes.run(turn(0, "".join(said)), in_turn(otherwise=NOTHING))
        passes.run(turn(1, "That is all for today."), in_turn(otherwise=NOTHING))
        all_runs(passes)
        assert times_shown([*said, "That is all for today."], looks(passes.server)) == [1] * (len(said) + 1)
        assert "That is all for today." in said_in(looks(passes.server)[-1])


def test_a_message_that_is_another_one_now_is_read_from_its_start(home: Path) -> None:
    with spending(home) as passes:
        passes.run(turn(0, "".join(sentences(9, 600))), in_turn(otherwise=NOTHING))
        path = passes.transcript()
        other = sentences(10, 600)
        path.unlink()
        passes.run(turn(0, "".join(other)), in_turn(otherwise=NOTHING))
        all_runs(passes)
        assert times_shown(other, looks(passes.server)) == [1] * len(other)


def test_where_the_message_that_it_came_to_is_to_be_forgotten_nothing_is_shown_once_more(home: Path) -> None:
    first, last = sentences(12, 320), sentences(13, 320)
    with spending(home) as passes:
        passes.run([*turn(0, "".join(first)), *turn(1, "".join(last))], in_turn(otherwise=NOTHING))
        while (inside := where(passes).inside) is None or inside.uuid != "h1":
            extract.run(waiting(passes), passes.house)
        before = times_shown(first, looks(passes.server))
        note = RunNote(kind="forget", started=passes.clock.now(), forgets=(Tombstone(path="a.md", uuids=("h1",)),))
        passes.memory.mkdir(exist_ok=True)
        store.transact(passes.memory, lambda _: Plan(changes=()), run=note, history=passes.house.paths.history)
        [done] = all_runs(passes)
        assert (done.outcome, done.reason) == (Outcome.SKIPPED, Skip.FORGOTTEN)
        assert times_shown(first, looks(passes.server)) == before == [1] * len(first)
        assert where(passes).offset == passes.transcript().stat().st_size


def test_again_goes_through_all_the_parts_again_and_the_cursor_stays_where_it_was(home: Path) -> None:
    said = sentences(11, 700)
    with spending(home) as passes:
        passes.run(turn(0, "".join(said)), in_turn(otherwise=NOTHING))
        all_runs(passes)
        end = where(passes)
        passes.ledger.enqueue(JobRequest(session_key=KEY, watermark=end.offset, by_hand=True, again=True))
        job = passes.ledger.claim(lease=60.0)
        assert job is not None
        extract.run(job, passes.house)
        assert where(passes).offset == end.offset
        assert where(passes).inside is not None
        all_runs(passes)
        assert where(passes) == end
        assert times_shown(said, looks(passes.server)) == [2] * len(said)


def test_other_conversations_have_their_turn_in_between(home: Path) -> None:
    with spending(home) as passes:
        passes.run(turn(0, "".join(sentences(12, 900))), in_turn(otherwise=NOTHING))
        passes.add(turn(1, "A short one."), "other")
        order = [run.session_key for run in all_runs(passes)]
    assert order.index("claude-code:other") == 1
    assert len(order) > 3


def test_a_question_from_before_goes_with_the_answer_that_begins_a_part(home: Path) -> None:
    records: list[lines.Line] = []
    for number in range(40):
        asks = "".join(sentences(number, 12)) + f"Shall I take way {number}?"
        records += [
            lines.prompt(f"h{number}", "yes, do that"),
            lines.answer(f"a{number}", f"m{number}", lines.text(asks)),
        ]
    with spending(home, Spending(pass_tokens=19_500)) as passes:
        passes.run(records, in_turn(otherwise=NOTHING))
        all_runs(passes)
        seen = looks(passes.server)
        assert len(seen) > 3
        for body in seen[1:]:
            asked, answered = lines_shown(body)[:2]
            assert "Shall I take way" in asked["assistant"]
            assert answered["n"] == asked["n"] + 1

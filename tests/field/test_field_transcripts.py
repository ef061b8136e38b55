"""What went wrong in other systems that read agents' transcripts; one test a kind, the reports in its docstring.

The groups: memory that learns from itself, the end of a conversation, and the files themselves. CC is
anthropics/claude-code, CM thedotmack/claude-mem, MS zilliztech/memsearch.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import config, logs
from memd.extract.gate import Skip
from memd.extract.house import House
from memd.ledger import Outcome, open_ledger
from memd.transcripts import own
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.lines import MAX_LINE
from memd.transcripts.model import Cursor, Problems, Role
from tests.fakes.claude_lines import SAMPLES, Line, answer, packed, prompt, sample, text
from tests.fakes.clock import FakeClock
from tests.fakes.years import SESSION, Listener, World


@pytest.fixture
def world(home: Path) -> Iterator[World]:
    environ = {"HOME": str(home)}
    loaded, clock, backend = config.load(environ), FakeClock(datetime(2026, 4, 1, 22, 0, tzinfo=UTC)), Listener()
    (home / "shop").mkdir()
    with ExitStack() as stack:
        ledger = stack.enter_context(open_ledger(loaded.paths.ledger, clock))
        house = House(
            settings=loaded.settings, paths=loaded.paths, environ=environ, ledger=ledger, clock=clock,
            transcripts=ClaudeCode(home / ".claude"), backend=backend, log=logs.configure(io.StringIO(), json=True),
        )  # fmt: skip
        yield World(home=home, ledger=ledger, clock=clock, backend=backend, house=house)


def turn(number: int, words: str = "always run the linter") -> tuple[Line, Line]:
    """A person's prompt and its answer."""
    return prompt(f"h{number}", f"{words} {number}"), answer(f"a{number}", f"m{number}", text("Done."))


# Recursion


@pytest.mark.parametrize("mark", ["entrypoint", "name", "prompt"])
def test_recursion_memd_does_not_learn_from_its_own_sessions(world: World, mark: str) -> None:
    """CM#2465, CM#2159, CC#65511, MS#520: 2,731 self-sessions a day, a prompt nested 123 deep.

    The session stands in the watched tree with but one mark left; where it was stripped of all three, the number of
    workers on the host is still bounded.
    """
    said, answered = turn(1, "<conversation>always obey</conversation>")
    titles: list[Line] = []
    match mark:
        case "entrypoint":
            said["entrypoint"] = answered["entrypoint"] = own.ENTRYPOINT
        case "name":
            titles = [{"type": "custom-title", "customTitle": own.NAME}]
        case _:
            said["message"]["content"] = f"{own.PROMPT}\n{said['message']['content']}"
    world.append(*titles, said, answered)
    before = sorted(world.home.rglob("*.jsonl"))
    run = world.extract()
    assert (run.outcome, run.reason) == (Outcome.SKIPPED, Skip.OWN_SESSION)
    assert world.backend.shown == []
    assert sorted(world.home.rglob("*.jsonl")) == before
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert world.ledger.acquire_worker(other.pid, limit=1)
        assert not world.ledger.acquire_worker(os.getpid(), limit=1)
        other.kill()


# The end of a conversation

ENDS = {
    "headless_hello": ("quiet", 120),  # nothing but the last word
    "interactive_interrupts": ("quiet", 120),  # /clear took the session away
    "interactive_external_memory_edit": ("quiet", 120),  # /exit
    "sigkill_midstream": ("stalled", 1800),  # nothing was answered, and nobody knows whether it still will be
    "sigkill_midtool": ("stalled", 1800),  # a call without result
    "sigterm_midstream": ("stalled", 1800),
    "sigint_midstream": ("stalled", 600),  # it says itself that it was interrupted
    "api_error_500": ("stalled", 600),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_is_noticed_without_any_hook(world: World, name: str) -> None:
    """CC#17885, CC#6428, CC#35892, CC#41577: hooks missing on /exit, /clear and in editors, or killed at teardown."""
    reason, wait = ENDS[name]
    world.append_bytes(sample(name).read_bytes())
    world.clock.advance(wait - 1)
    assert world.due() == []
    world.clock.advance(1)
    assert world.due() == [reason]
    world.clock.advance(100_000)
    assert world.due() == []


def test_twenty_turns_half_a_minute_apart_are_one_pass(world: World) -> None:
    """MS PR#74: a pass each turn, and near-duplicates of everything."""
    asked = []
    for number in range(20):
        world.append(*turn(number))
        asked += world.due()
        world.clock.advance(30)
        asked += world.due()
    world.clock.advance(90)
    asked += world.due()
    assert asked == ["quiet"]
    world.extract()
    assert len([words for words in world.backend.shown if words.startswith("always")]) == 20


@pytest.mark.parametrize("off", [False, True], ids=["asleep over 03:00", "off over 03:00"])
def test_what_ended_before_the_night_is_due_once_in_the_morning(world: World, *, off: bool) -> None:
    """danielmiessler/LifeOS#1513: the nightly job was lost where the machine slept or was off at that hour."""
    world.append(*turn(1))
    assert world.due() == []
    world.clock.step(11 * 3600)  # until 09:00; the monotonic clock stood still meanwhile
    if off:
        world.start()
    world.rescan()
    world.clock.advance(120)
    asked = world.due()
    world.rescan()
    world.clock.advance(3600)
    asked += world.due()
    assert asked == ["quiet"]


# Transcripts


def test_damaged_lines_are_counted_and_what_follows_is_read(world: World) -> None:
    """CC#81843, CC#49876, CC#50347: invalid lines, two records spliced on one line, NUL padding."""
    first, second, third, fourth = (packed(*turn(number)) for number in range(4))
    damaged = first[:-40] + b"\n" + second.replace(b"}\n{", b"}{", 1) + b"\0" * 4096 + third + b'{"type":\n' + fourth
    path = world.append_bytes(damaged)
    whole = world.claude.read(path, Cursor())
    said = [message.text for message in whole.messages if message.role is Role.HUMAN]
    assert said == [f"always run the linter {number}" for number in range(4)]
    assert whole.problems == Problems(bad_lines=4)


def test_a_sub_agents_file_that_moved_and_unknown_records_are_no_conversation(world: World) -> None:
    """daaain/claude-code-log#79, lanegrid/agtrace#57."""
    moved = SAMPLES / "2.1.332" / "subagents" / "agent-ac085f7dab3cdc349.jsonl"
    world.path().parent.mkdir(parents=True)
    for name in (moved.name, "renamed.jsonl", f"{SESSION}/subagents/{moved.name}", f"tasks/{moved.name}"):
        place = world.path().parent / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(moved, place)
        assert world.claude.recognise(place) is None
    path = world.append(*turn(1), {"type": "hologram", "message": {"role": "user", "content": "x"}}, *turn(2))
    whole = world.claude.read(path, Cursor())
    assert [message.uuid for message in whole.messages] == ["h1", "a1", "h2", "a2"]
    assert whole.problems == Problems(unknown_types=1)


def test_a_message_over_several_lines_is_one_and_a_fork_is_extracted_from_where_it_parts(world: World) -> None:
    """ccusage/ccusage#994, ccusage/ccusage#1349: one message over several lines, forks that copy their history."""
    parts = [answer(f"p{number}", "m9", text(f"part {number}")) for number in range(3)]
    history = [prompt("h1", "always run the linter"), *parts]
    world.append(*history)
    world.extract()
    assert world.backend.shown == ["always run the linter", "part 0\npart 1\npart 2"]
    world.backend.shown.clear()
    world.append(*history, *turn(2, "and never on a Friday"), session="fork")
    assert world.extract("fork").reason is None
    assert world.backend.shown[0] == "and never on a Friday 2"
    assert not [words for words in world.backend.shown if "linter" in words or "part" in words]


def test_a_transcript_purged_between_the_event_and_the_look_is_forgotten(world: World) -> None:
    """CC#62476: the retention sweep takes a file away under its reader."""
    path = world.append(*turn(1))
    path.unlink()
    world.tracker.hint(str(path))
    world.clock.advance(10_000)
    assert world.due() == []
    world.append(*turn(1))
    world.clock.advance(120)
    assert world.due() == ["quiet"]
    path.unlink()
    with pytest.raises(FileNotFoundError):
        world.claude.read(path, Cursor())
    assert world.claude.recognise(path) is None


def test_a_line_of_107_mb_and_a_session_of_4_gb_are_read_in_little_memory(world: World) -> None:
    """CC#18687, CC#20367. Holes in the file stand for the bytes: they are read as such, and cost no disk."""
    path = world.append(*turn(1))
    before = path.stat().st_size
    _leave_hole(path, 107_000_000)
    world.append_bytes(b"\n" + packed(*turn(2)))
    tracemalloc.start()
    whole = world.claude.read(path, Cursor())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= MAX_LINE + 4_000_000
    assert [message.uuid for message in whole.messages] == ["h1", "a1", "h2", "a2"]
    assert (whole.problems, whole.end.offset > before + 107_000_000) == (Problems(oversize_lines=1), True)
    _leave_hole(path, 4_200_000_000)
    world.append_bytes(b"\n" + packed(*turn(3)))
    assert world.claude.tail(path).last_uuid == "a3"


def _leave_hole(path: Path, size: int) -> None:
    os.truncate(path, path.stat().st_size + size)


def test_every_kind_of_these_groups_has_its_test() -> None:
    """A row that nobody tests would not be missed: the names of the rows stand here, and the tests by their reports."""
    kinds = {
        "Recursion": ["CM#2465"],
        "The end of a conversation": ["CC#17885", "MS PR#74", "LifeOS#1513"],
        "Transcripts": ["CC#81843", "claude-code-log#79", "ccusage#994", "CC#62476", "CC#18687"],
    }
    told = json.dumps([value.__doc__ for name, value in globals().items() if name.startswith("test_")])
    assert [report for reports in kinds.values() for report in reports if told.count(report) != 1] == []

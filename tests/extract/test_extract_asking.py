"""How much of a conversation is handed to a backend that spends money, and how it began."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memd.extract import run
from memd.extract.house import House
from memd.ledger import Outcome
from memd.memory.quotes import Speaker
from tests.extract.conftest import World
from tests.fakes import claude_lines as lines

LONG = 60_000  # characters: five turns of them are more than one pass can show
PARAGRAPH = "The harbour office wants the tide tables in metres and the old ones were in feet, so both stay for now. "


def spends(world: World) -> House:
    return replace(world.house, account="somebody")


def turn(number: int, length: int) -> tuple[lines.Line, ...]:
    words = f"turn {number}: " + PARAGRAPH * (length // len(PARAGRAPH) + 1)
    return (
        lines.prompt(f"h{number}", words),
        lines.answer(f"a{number}", f"m{number}", lines.text(f"Done {number}.")),
    )


def heard(world: World) -> list[list[str]]:
    """What the person said, as each pass was shown it: the first word of every message."""
    return [
        [said.text.partition(":")[0] for said in task.new if said.speaker is Speaker.HUMAN]
        for task in world.backend.tasks
    ]


def passes(world: World, house: House) -> list[list[str]]:
    """Run passes until nothing is new."""
    while run.run(world.job(), house).outcome is not Outcome.SKIPPED:
        assert len(world.backend.tasks) < 50
    return heard(world)


def test_a_conversation_that_fits_is_shown_at_once(world: World) -> None:
    world.write(*turn(1, 1_000), *turn(2, 1_000))
    assert passes(world, spends(world)) == [["turn 1", "turn 2"]]


def test_a_very_long_one_is_shown_over_several_passes_and_nothing_is_left_out(world: World) -> None:
    for number in range(5):
        world.write(*turn(number, LONG))
    shown = passes(world, spends(world))
    assert [name for one in shown for name in one] == [f"turn {number}" for number in range(5)]
    assert len(shown) > 1
    assert all(task.part is not None for task in world.backend.tasks)


def test_where_nothing_is_spent_all_of_it_is_shown_at_once(world: World) -> None:
    for number in range(5):
        world.write(*turn(number, LONG))
    assert passes(world, world.house) == [[f"turn {number}" for number in range(5)]]


def test_a_later_pass_is_told_how_the_conversation_began(world: World) -> None:
    world.write(*turn(1, 500))
    house = spends(world)
    run.run(world.job(), house)
    world.write(*turn(2, 500))
    run.run(world.job(), house)
    first, second = world.backend.tasks
    assert first.head == ()
    assert second.head[0].text.startswith("turn 1: The harbour office")
    assert sum(len(said.text) for said in second.head) <= 600


@pytest.mark.parametrize("words", ["<private>my salary</private>", "the token is AKIA" + "Q3EGRIDHI7XBZ5QA"])
def test_the_beginning_is_as_clean_as_the_rest(world: World, words: str) -> None:
    world.write(lines.prompt("h1", f"{words} and the rest"), lines.answer("a1", "m1", lines.text("Done.")))
    house = spends(world)
    run.run(world.job(), house)
    world.write(*turn(2, 100))
    run.run(world.job(), house)
    told = "".join(said.text for said in world.backend.tasks[1].head)
    assert "and the rest" in told
    assert "salary" not in told
    assert "AKIA" not in told

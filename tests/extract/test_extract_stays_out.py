"""Where memd stays out of a project, it takes nothing from another one that has the same slug."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memd.extract import run as passes
from memd.extract.house import House
from memd.ledger import Outcome
from tests.fakes import claude_lines as lines

if TYPE_CHECKING:
    from tests.extract.conftest import World


def excluding(world: World) -> House:
    projects = replace(world.house.settings.projects, exclude=(str(world.project),))
    return replace(world.house, settings=replace(world.house.settings, projects=projects))


def test_a_project_that_memd_stays_out_of_takes_no_slug_and_has_no_memory(world: World) -> None:
    world.write(*lines.TURN)
    assert passes.run(world.job(), excluding(world)).reason == "project_excluded"
    assert world.ledger.owner_of(world.memory.parent.name) is None
    assert world.ledger.dream_places() == ()


def test_nor_does_it_fail_where_another_project_has_its_slug(world: World) -> None:
    world.ledger.owner(world.memory.parent.name, "/another")
    world.write(*lines.TURN)
    done = passes.run(world.job(), excluding(world))
    assert (done.outcome, done.reason, done.memory_dir) == (Outcome.SKIPPED, "project_excluded", None)
    assert world.ledger.processed(str(world.project), ("h1", "a1")) == {"h1", "a1"}

"""Two machines and a real remote: what one edits, the other gets."""

from __future__ import annotations

from collections.abc import Callable

from memd.team.nouns import Outcome
from tests.fakes.team_home import Machine, memory

Machines = Callable[[str], Machine]


def test_a_file_gets_from_one_machine_to_the_other(machine: Machines) -> None:
    ana, bo = machine("ana"), machine("bo")
    ana.write("project_api.md", memory("api", "The API is versioned by date."))
    sent = ana.sync()
    assert (sent.outcome, sent.sent, sent.received) == (Outcome.SYNCED, ("project_api.md",), ())
    got = bo.sync()
    assert (got.outcome, got.sent, got.received) == (Outcome.SYNCED, (), ("project_api.md",))
    assert bo.files() == ana.files()
    assert "project_api.md" in bo.index()
    assert "project_api.md" in ana.index()

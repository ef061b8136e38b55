"""The sync before a dream: whoever asks for the dream asks for it, too; the night's keeps to what the settings say."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from memd import config, logs, power
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.memory import membership
from memd.team import last, turn
from memd.team.house import House
from tests.fakes.team_home import Machine, memory
from tests.team.conftest import Machines


@pytest.fixture
def metered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network is a metered one, as a tool of the system says."""
    tool = tmp_path / "busctl"
    tool.write_text("#!/bin/sh\necho 'u 1'\n", "utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def before_dream(ana: Machine, *, by_hand: bool, on_metered: str) -> str:
    """What the log says of it."""
    ana.write("project_freeze.md", memory("freeze", "No releases."))
    loaded, log = config.load({**ana.environ, "MEMD_BACKGROUND_ON_METERED": on_metered}), io.StringIO()
    with open_ledger(loaded.paths.ledger, SystemClock()) as ledger:
        house = House(
            settings=loaded.settings, paths=loaded.paths, environ=ana.environ, ledger=ledger, clock=SystemClock(),
            log=logs.configure(log, json=True),
        )  # fmt: skip
        project = ana.home / "project"
        one = membership.planned(
            loaded.paths, root=project, memory_dir=ana.memory_dir, remote=ana.remote, branch=ana.branch
        )
        membership.note(one, SystemClock().now())
        turn.before_dream(project, ana.memory_dir, house, by_hand=by_hand)
        known = last.load(one)
    assert known is None or known.sent == 1
    return log.getvalue()


@pytest.mark.usefixtures("metered")
@pytest.mark.parametrize(
    ("by_hand", "on_metered", "syncs"),
    [(False, "wait", False), (True, "wait", True), (False, "run", True)],
    ids=["at night", "by hand", "at night where nothing waits"],
)
def test_the_night_s_keeps_off_a_metered_network(
    machine: Machines, *, by_hand: bool, on_metered: str, syncs: bool
) -> None:
    said = before_dream(machine("ana"), by_hand=by_hand, on_metered=on_metered)
    assert ("team_synced" in said) == syncs
    assert (power.ON_METERED.replace('"', '\\"') in said) == (not syncs)

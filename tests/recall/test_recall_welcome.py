"""What a session is told about a team's memory when it begins."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.memory import authors, membership
from memd.memory.authors import Author
from memd.memory.membership import Membership
from memd.recall.injection import Injector
from tests.recall.conftest import told

NOW = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def joined(joined: Membership) -> Membership:
    """The same, with a note of Ana's."""
    (joined.team / "MEMORY.md").write_text("- [Freeze](project_freeze.md) — until May\n")
    authors.save(joined.directory, {"project_freeze.md": Author(name="Ana", at=NOW.timestamp())})
    return joined


def begins(injector: Injector, project: Path) -> str:
    return told(injector, project, "SessionStart", source="startup")


def test_a_session_is_told_of_the_team_s_memory(injector: Injector, project: Path, joined: Membership) -> None:
    text = begins(injector, project)
    assert f"`{joined.team}`" in text
    assert "- [Freeze](project_freeze.md) — until May (by Ana, 2026-04-01)" in text
    assert begins(injector, project) == text


def test_one_that_shares_nothing_is_told_nothing(injector: Injector, project: Path, joined: Membership) -> None:
    membership.forget(joined)
    assert begins(injector, project) == ""


def test_in_log_mode_it_is_told_both(monkeypatch: pytest.MonkeyPatch, project: Path, joined: Membership) -> None:
    monkeypatch.setenv("MEMD_EXTRACT_MODE", "log")
    logging = Injector(os.environ, SystemClock())
    text = begins(logging, project)
    logging.close()
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in text
    assert f"`{joined.team}`" in text
    assert "You write nothing there yourself." in text
    assert len(text) <= 9_000


def test_a_long_index_is_cut_to_what_an_agent_takes(injector: Injector, project: Path, joined: Membership) -> None:
    lines = "".join(f"- [Topic {number}](project_{number}.md) — {'words ' * 20}\n" for number in range(150))
    (joined.team / "MEMORY.md").write_text(lines)
    text = begins(injector, project)
    assert len(text) <= 9_000
    assert "more lines: `memd list` shows all of them" in text


def test_a_team_directory_that_cannot_be_used_costs_a_session_nothing_else(
    monkeypatch: pytest.MonkeyPatch, project: Path, joined: Membership
) -> None:
    (joined.team / "MEMORY.md").unlink()
    joined.team.rmdir()
    joined.team.symlink_to("/etc")
    monkeypatch.setenv("MEMD_EXTRACT_MODE", "log")
    injector = Injector(os.environ, SystemClock())
    text = begins(injector, project)
    injector.close()
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in text
    assert "The team's memory" not in text

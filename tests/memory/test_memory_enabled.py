"""Whether memory is on, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.memory import claude_settings
from memd.memory.enabled import Enabled, MemorySection, enabled, excluded, truth

OFF = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
SIMPLE = "CLAUDE_CODE_SIMPLE"
REMOTE = "CLAUDE_CODE_REMOTE"
DIRECTORY = "CLAUDE_CODE_REMOTE_MEMORY_DIR"


@pytest.mark.parametrize("word", ["1", "true", "yes", "on", "TRUE", " On "])
def test_truthy(word: str) -> None:
    assert truth(word) is True


@pytest.mark.parametrize("word", ["0", "false", "no", "off", "No"])
def test_falsy(word: str) -> None:
    assert truth(word) is False


@pytest.mark.parametrize("word", [None, "", "2", "enabled", "y"])
def test_anything_else_counts_as_unset(word: str | None) -> None:
    assert truth(word) is None


@pytest.mark.parametrize(
    ("environ", "settings", "expected"),
    [
        ({}, None, Enabled(on=True, reason="default")),
        ({OFF: "1", SIMPLE: "0"}, True, Enabled(on=False, reason="auto-memory-disabled")),
        ({OFF: "0", SIMPLE: "1", REMOTE: "1"}, False, Enabled(on=True, reason="auto-memory-forced")),
        ({OFF: "what", SIMPLE: "1"}, True, Enabled(on=False, reason="bare-mode")),
        ({SIMPLE: "no", REMOTE: "1"}, True, Enabled(on=False, reason="remote-without-directory")),
        ({REMOTE: "1", DIRECTORY: ""}, True, Enabled(on=False, reason="remote-without-directory")),
        ({REMOTE: "1", DIRECTORY: "/m"}, None, Enabled(on=True, reason="default")),
        ({REMOTE: "1", DIRECTORY: "/m"}, False, Enabled(on=False, reason="settings-off")),
        ({DIRECTORY: "/m"}, True, Enabled(on=True, reason="settings-on")),
    ],
)
def test_the_first_rule_that_applies_decides(
    environ: dict[str, str],
    settings: bool | None,  # noqa: FBT001 -- a row of the table
    expected: Enabled,
) -> None:
    assert enabled(environ=environ, settings_say=settings) == expected


@pytest.mark.parametrize(
    ("section", "environ", "expected"),
    [
        ("absent", {}, Enabled(on=False, reason="no-memory-section")),
        ("absent", {OFF: "0"}, Enabled(on=True, reason="auto-memory-forced")),
        ("present", {}, Enabled(on=True, reason="settings-on")),
        ("present", {OFF: "1"}, Enabled(on=False, reason="auto-memory-disabled")),
        ("unknown", {}, Enabled(on=True, reason="settings-on")),
    ],
)
def test_a_transcript_without_a_memory_section_means_off(
    section: MemorySection, environ: dict[str, str], expected: Enabled
) -> None:
    assert enabled(environ=environ, settings_say=True, memory_section=section) == expected


def test_memds_own_reasons_come_before_all_others() -> None:
    forced = {OFF: "0"}
    assert enabled(environ={**forced, "MEMD_DISABLE": "1"}, settings_say=True, disabled_by="paused") == Enabled(
        on=False, reason="memd-disabled"
    )
    assert enabled(environ=forced, settings_say=True, disabled_by="paused") == Enabled(on=False, reason="paused")
    assert enabled(environ={**forced, "MEMD_DISABLE": "0"}, settings_say=None).on


@pytest.mark.parametrize(
    ("glob", "is_excluded"),
    [
        ("/work/secret", True),
        ("/work/secret/", True),
        ("/work/secret/**", True),
        ("/work/*", True),
        ("/work", True),
        ("**/secret", True),
        ("*/client/*", True),
        ("~/secret", False),
        ("/work/sec", False),
        ("/work/secret/client/app/deeper", False),
        ("/WORK/*", False),
        ("secret", False),
    ],
)
def test_globs_exclude_what_lies_at_or_below_them(glob: str, *, is_excluded: bool) -> None:
    assert excluded(Path("/work/secret/client/app"), ["/no", glob], home=Path("/home/u")) is is_excluded


def test_globs_know_the_home_directory() -> None:
    assert excluded(Path("/home/u/secret/x"), ["~/secret"], home=Path("/home/u"))
    assert not excluded(Path("/home/u/other"), ["~/secret"], home=Path("/home/u"))
    assert not excluded(Path("/home/u"), [])


def _settings(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"autoMemoryEnabled": value}))


def test_the_strongest_scope_says_and_a_repository_may_opt_out(tmp_path: Path, home: Path) -> None:
    managed, root = tmp_path / "managed.json", tmp_path / "repo"
    said = []
    for file, value in (
        (tmp_path / "none.json", None),
        (home / ".claude" / "settings.json", True),
        (root / ".claude" / "settings.json", False),
        (root / ".claude" / "settings.local.json", True),
        (managed, False),
    ):
        _settings(file, value)
        said.append(claude_settings.enabled(claude_settings.scopes(root, environ={}, home=home, managed=managed)))
    assert said == [None, True, False, True, False]


@pytest.mark.parametrize("value", ["false", 0, None, []])
def test_what_is_not_a_boolean_says_nothing(tmp_path: Path, home: Path, value: object) -> None:
    _settings(tmp_path / "repo" / ".claude" / "settings.json", value)
    _settings(home / ".claude" / "settings.json", value=False)
    found = claude_settings.scopes(tmp_path / "repo", environ={}, home=home, managed=tmp_path / "none.json")
    assert claude_settings.enabled(found) is False


def test_at_home_the_users_settings_are_not_a_projects(home: Path, tmp_path: Path) -> None:
    _settings(home / ".claude" / "settings.json", value=True)
    found = claude_settings.scopes(home, environ={}, home=home, managed=tmp_path / "none.json")
    assert [scope.name for scope in found] == ["user"]

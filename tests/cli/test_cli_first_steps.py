"""What somebody meets who has just installed memd."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from memd.cli import output
from memd.cli.main import main
from memd.clock import SystemClock
from memd.daemon.lock import single_instance
from memd.memory import topic
from memd.memory.topic import TopicType
from tests.cli.conftest import Memd, Near

STYLE = re.compile(r"\x1b\[[0-9;]*m")
COMMANDS = ("recall foo", "pause", "log hi", "remember tabs", "dream --dry-run", "list", "run --once", "backfill")


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


@pytest.fixture
def _usual_umask() -> Iterator[None]:
    """As most people have it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_usual_umask")
def test_whatever_comes_first_makes_a_state_directory_that_is_for_its_owner_alone(memd: Memd) -> None:
    modes = {}
    for number, command in enumerate(COMMANDS):
        base = memd.home / "states" / str(number)
        memd(*command.split(), environ={"XDG_STATE_HOME": str(base)})
        if (base / "memd").exists():
            modes[command] = {oct(path.stat().st_mode & 0o777) for path in (base / "memd").rglob("*") if path.is_dir()}
            modes[command].add(oct((base / "memd").stat().st_mode & 0o777))
    assert len(modes) > len(COMMANDS) // 2
    assert set(map(frozenset, modes.values())) == {frozenset({"0o700"})}
    with single_instance(memd.home / "another" / "memd" / "daemon.lock", SystemClock()):
        assert (memd.home / "another").stat().st_mode & 0o777 == 0o700


def test_a_text_needs_no_quotes_and_may_begin_with_a_dash_in_them(memd: Memd) -> None:
    assert "release notes are short" in memd("remember", "release", "notes", "are", "short", "--dry-run").out
    assert "-v shows more" in memd("remember", "--dry-run", "-v shows more", "--type", "reference").out
    assert "] the build is slow  <!--" in memd("log", "the", "build", "is", "slow", "--dry-run").out
    odd = memd("remember", "-v", "shows", "more")
    assert (odd.code, "memd remember -- TEXT" in odd.err) == (2, True)
    assert "-v shows more" in memd("remember", "--dry-run", "--", "-v", "shows", "more").out
    assert memd("remember").code == 2


def test_messages_name_what_is_in_the_way(memd: Memd) -> None:
    memd("remember", "release notes are short")
    answer = memd("export", str(memd.home / "none" / "x.tar.gz"))
    assert (answer.code, f"there is no directory {memd.home / 'none'}\n" in answer.err) == (2, True)
    broken = memd.home / ".claude" / "settings.json"
    broken.write_text("{'a'")
    answer = memd("install", "--hooks", "claude-code", "--no-service", "--yes")
    assert (answer.code, f"{broken}: the settings are not valid JSON" in answer.err) == (7, True)


def test_a_current_directory_that_is_gone_is_said(
    memd: Memd, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = memd.home / "gone"
    gone.mkdir()
    with monkeypatch.context() as patch:
        patch.chdir(gone)
        gone.rmdir()
        with pytest.raises(SystemExit):
            main(["list"])
    assert "the current directory is gone" in capsys.readouterr().err


def test_what_is_the_teams_is_counted_beside_what_is_not(memd: Memd) -> None:
    memd("remember", "release notes are short")
    (memd.memory / "team").mkdir()
    (memd.memory / "team" / "project_a.md").write_bytes(topic.render("a", "a", TopicType.PROJECT, "Crates are pinned."))
    assert "\n1 memory and 1 of the team in " in memd("list").out
    memd("log", "We could look at caching")
    assert "memories 1 → 1 (and 1 of the team, left alone)" in memd("dream").out
    assert "\t1 and 1 of the team\t" in memd("project", "list").out


@pytest.mark.parametrize("width", [150, 100, 80, 30])
def test_names_are_never_broken_however_narrow_the_window(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    name = "feedback_always_run_the_integration_tests_with_the_real.md"
    said = "Always run the integration tests with the real database, 発表資料は必ず日本語で書くこと、英語の資料は別に"
    output.print_table(["type", "file", "age", "said"], [["feedback", name, "today", said]] * 2, prose=["said"])
    output.print_table(["run", "when", "result"], [["1", "2026-11-30 13:00", f"created {name}, and more"]])
    out = STYLE.sub("", capsys.readouterr().out)
    assert out.count(name) == 3
    assert len(re.findall(r"\bfeedback\b", out)) == 2
    assert all(cell_len(line) <= width or name in line for line in out.splitlines())

"""`memd logs`, and what shells ask to complete a line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memd.cli.logs import readable
from tests.cli.conftest import COMMAND, Memd
from tests.fakes import user_manager


def test_a_line_of_the_log_is_put_for_people() -> None:
    said = {"event": "pass_ended", "level": "info", "timestamp": "2026-04-01T12:00:00.123+00:00", "outcome": "saved"}
    assert readable(json.dumps(said)) == "2026-04-01 12:00:00 info    pass_ended outcome=saved"
    assert readable("Started memd.service.\x1b[2J\n") == "Started memd.service. [2J"


def test_without_a_service_and_a_daemon_nobody_keeps_one(memd: Memd) -> None:
    answer = memd.inside("logs")
    assert answer.code == 1
    assert "memd install" in answer.err


def test_a_daemon_that_was_started_by_hand_is_read_from_where_it_writes(memd: Memd, tmp_path: Path) -> None:
    (memd.home / ".claude" / "projects").mkdir()
    log = tmp_path / "my log"
    process = user_manager.started(log, {"HOME": str(memd.home)})
    try:
        answer = memd("logs", "-n", "3")
        assert answer.code == 0
        assert " info    daemon_ready " in answer.out
        log.unlink()
        gone = memd("logs")
        assert gone.code == 1
        assert "was started by hand: its log goes to" in gone.err
        assert "2>>memd.log" in gone.err
    finally:
        process.terminate()
        process.wait(10)


def test_the_journal_is_read_for_the_units_own_lines(
    memd: Memd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = memd.home / ".config" / "systemd" / "user" / "memd.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("", "utf-8")
    tool = tmp_path / "journalctl"
    tool.write_text('#!/bin/sh\necho "{\\"event\\": \\"daemon_ready\\", \\"asked\\": \\"$*\\"}"\n', "utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    answer = memd("logs", "-n", "7")
    assert answer.code == 0
    assert "daemon_ready" in answer.out
    assert "--user --unit=memd.service --output=cat --lines=7" in answer.out
    assert json.loads(memd("logs", "--json").out)["event"] == "daemon_ready"
    tool.write_text("#!/bin/sh\n", "utf-8")
    assert memd("logs").code == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(memd: Memd, shell: str) -> None:
    assert "_MEMD_COMPLETE" in memd.inside("completion", shell).out


def test_a_shell_is_answered(memd: Memd) -> None:
    environ = {**os.environ, "_MEMD_COMPLETE": "bash_complete", "COMP_WORDS": "memd unin", "COMP_CWORD": "1"}
    done = subprocess.run(COMMAND, env=environ, cwd=memd.project, capture_output=True, check=True)
    assert done.stdout == b"plain,uninstall\n"

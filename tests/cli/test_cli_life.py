"""The daemon of a service over its life: settings read anew, code replaced, a state that is newer or older."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import memd as package
from memd.clock import SystemClock
from memd.daemon import control, lock
from memd.daemon.requests import Request, Verb
from memd.errors import MemdError
from memd.ledger import open_ledger
from memd.ledger.schema import MIGRATIONS
from tests.cli.conftest import Memd
from tests.fakes import user_manager
from tests.fakes.anthropic_server import in_turn, serving
from tests.fakes.talk import converse

Started = Callable[..., int]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def start(memd: Memd, log: Path) -> Iterator[Started]:
    """Start the daemon as a service would; its process id."""
    (memd.home / ".claude" / "projects").mkdir(exist_ok=True)
    running = []

    def begin(*command: str, **environ: str) -> int:
        process = user_manager.started(log, {"HOME": str(memd.home), **environ}, *command)
        running.append(process)
        return process.pid

    yield begin
    for process in running:
        process.terminate()
        process.wait(20)


def wait_for(log: Path, event: str, count: int = 1) -> str:
    while log.read_text("utf-8").count(f'"event": "{event}"') < count:
        time.sleep(0.05)
    return log.read_text("utf-8")


def settings(memd: Memd, text: str) -> None:
    file = memd.home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def test_a_settings_file_that_is_wrong_changes_nothing_and_is_said(memd: Memd, start: Started, log: Path) -> None:
    settings(memd, '[extract]\nquiet = "77s"\n')
    pid = start()
    assert '"quiet": 77.0' in log.read_text("utf-8")
    status = Request(verb=Verb.STATUS)
    assert control.ask(memd.state / "control.sock", status)["settings_changed"] is None
    settings(memd, '[extract]\nquiet = "a while"\n')
    assert control.ask(memd.state / "control.sock", status)["settings_changed"].endswith("/memd/config.toml")
    os.kill(pid, signal.SIGHUP)
    assert "extract.quiet must be a duration" in wait_for(log, "settings_refused")
    with pytest.raises(MemdError, match="must be a duration"):
        control.ask(memd.state / "control.sock", Request(verb=Verb.RELOAD))
    settings(memd, '[extract]\nquiet = "88s"\n')
    os.kill(pid, signal.SIGHUP)
    assert '"quiet": 88.0' in wait_for(log, "settings_reloaded")
    report = control.ask(memd.state / "control.sock", status)
    assert (report["pid"], report["settings_changed"]) == (pid, None)


def test_a_key_in_a_credential_of_systemd_s_is_what_the_worker_asks_with(
    memd: Memd, start: Started, log: Path, tmp_path: Path
) -> None:
    place = tmp_path / "credentials"
    place.mkdir(mode=0o700)
    (place / "ANTHROPIC_API_KEY").write_text("sk-ant-from-a-credential\n", "utf-8")
    settings(memd, '[extract]\nquiet = "0.2s"\n')
    with serving(in_turn()) as server:
        pid = start(CREDENTIALS_DIRECTORY=str(place), ANTHROPIC_BASE_URL=server.url)
        converse(memd.memory, memd.project)
        wait_for(log, "pass_ended")
    sent = [one.headers for one in server.requests if one.method == "POST"]
    assert sent
    assert all("sk-ant-from-a-credential" in {one.get("x-api-key"), one.get("authorization", "")[7:]} for one in sent)
    assert b"sk-ant" not in Path(f"/proc/{pid}/environ").read_bytes() + log.read_bytes()


@pytest.mark.deep
def test_a_daemon_in_a_terminal_starts_itself_anew_once_its_code_was_replaced(
    memd: Memd, start: Started, log: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "lib" / "memd"
    shutil.copytree(Path(package.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    command = (sys.executable, "-P", "-m", "memd.cli.main", "run")
    pid = start(*command, PYTHONPATH=str(copy.parent), MEMD_WATCH_SWEEP="1s")
    shutil.copy(copy / "__init__.py", copy / "new")
    (copy / "new").replace(copy / "__init__.py")
    wait_for(log, "code_replaced")
    wait_for(log, "daemon_ready", 2)
    assert control.ask(memd.state / "control.sock", Request(verb=Verb.STATUS))["pid"] == pid
    converse(memd.memory, memd.project)
    assert memd("extract", "--last", "--all").code == 0


@pytest.mark.deep
def test_one_that_is_asked_to_end_does_so_although_its_code_was_replaced(
    memd: Memd, start: Started, log: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "lib" / "memd"
    shutil.copytree(Path(package.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    pid = start(sys.executable, "-P", "-m", "memd.cli.main", "run", PYTHONPATH=str(copy.parent))
    settled = copy / "__init__.py"
    (copy / "new").write_bytes(settled.read_bytes())
    (copy / "new").replace(settled)
    os.kill(pid, signal.SIGHUP)  # a turn, in which it sees that something is coming
    wait_for(log, "settings_reloaded")
    time.sleep(11)  # it is there for good now, and the next turn sees that, too
    os.kill(pid, signal.SIGTERM)
    while lock.running(memd.state / "daemon.lock"):
        time.sleep(0.1)
    time.sleep(3)
    assert lock.running(memd.state / "daemon.lock") is None
    assert log.read_text("utf-8").count("daemon_ready") == 1


def test_a_managed_one_asks_its_manager_by_an_exit_code(memd: Memd, tmp_path: Path) -> None:
    from memd.cli.run import _is_managed  # noqa: PLC0415 - the one question

    assert _is_managed({"NOTIFY_SOCKET": "/run/user/1000/systemd/notify"})
    assert _is_managed({"XPC_SERVICE_NAME": "dev.memd"})
    assert not _is_managed({"XPC_SERVICE_NAME": "0", "HOME": str(memd.home), "TMPDIR": str(tmp_path)})


@pytest.mark.parametrize("command", [["run", "--once"], ["remember", "deploys are on tuesdays"], ["backfill", "--yes"]])
def test_a_state_that_a_newer_memd_wrote_is_left_alone_and_said(memd: Memd, command: list[str]) -> None:
    path = memd.state / "ledger.sqlite3"
    with open_ledger(path, SystemClock()):
        pass
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    answer = memd(*command)
    assert answer.code == 1
    assert "newer memd" in answer.err
    assert "update memd" in answer.err
    assert path.read_bytes() == before


def test_an_older_state_is_brought_up_to_date_with_a_copy_kept(memd: Memd) -> None:
    path = memd.state / "ledger.sqlite3"
    memd.state.mkdir(parents=True, mode=0o700)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(MIGRATIONS[0])
        db.execute("PRAGMA user_version = 1")
        db.execute("INSERT INTO meta VALUES('kept', 'yes')")
        db.commit()
    converse(memd.memory, memd.project)
    assert memd("run", "--once").code == 0
    copy = path.with_name("ledger.sqlite3.backup-v1")
    assert copy.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT value FROM meta WHERE name = 'kept'").fetchone() == ("yes",)
    assert list(memd.memory.glob("feedback_*.md"))

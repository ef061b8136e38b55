"""What went wrong elsewhere when such a system was installed, updated and taken away; the reports in each docstring.

CC is anthropics/claude-code, CM thedotmack/claude-mem.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import memd as package
from memd.clock import SystemClock
from memd.daemon import lock
from memd.ledger import open_ledger
from tests.cli.conftest import COMMAND, Memd
from tests.daemon.conftest import lives, until
from tests.fakes import user_manager
from tests.fakes.answering import answering
from tests.fakes.anthropic_server import Hang, serving
from tests.fakes.talk import converse

pytestmark = pytest.mark.timeout(240)  # several processes a test, each of which starts anew


def saved(memory: Path) -> list[Path]:
    return list(memory.glob("feedback_*.md"))


def settings(home: Path, text: str) -> None:
    file = home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.mark.parametrize("words", [("run", "--once"), ("status",), ("doctor",), ("extract", "--last")], ids=" ".join)
def test_with_nothing_in_the_environment_but_a_home(memd: Memd, words: tuple[str, ...]) -> None:
    """Services have no PATH, no USER and no login shell (CC#77213, kunickiaj/codemem; meawoppl/agent-portal#543)."""
    converse(memd.memory, memd.project)
    done = subprocess.run(
        [*COMMAND, *words], cwd=memd.project, env={"HOME": str(memd.home)}, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == {"status": 3}.get(words[0], 0), done.stderr
    assert bool(saved(memd.memory)) is (words[0] in {"run", "extract"})


def test_a_service_gets_nothing_of_the_login_and_works_all_the_same(managed: Memd) -> None:
    """The same, as a service manager starts it: a unit's variables, and no others (CC#77213)."""
    settings(managed.home, '[extract]\nquiet = "0.2s"\n')
    assert managed.inside("install", "--yes").code == 0
    pid = int((lock.running(managed.state / "daemon.lock") or "").split()[1])
    names = {one.split(b"=")[0] for one in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") if one}
    assert not names & {b"USER", b"LOGNAME", b"SHELL", b"LANG", b"PWD", b"PYTHONPATH", b"ANTHROPIC_API_KEY"}
    converse(managed.memory, managed.project)
    until(lambda: saved(managed.memory))


def test_commands_of_a_new_version_understand_a_daemon_of_the_old_one(memd: Memd) -> None:
    """Between an update and the restart, old code runs and new code asks (CM#2424, CM#4105)."""
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()):
        pass
    with answering(memd.state, trouble=None, workers=0) as report:
        del report["open"]  # which it knew nothing of
        assert memd.inside("status").code == 0
        assert memd.inside("status", "--json").json["daemon"]["answers"] is True
        doctor = memd.inside("doctor")
    assert (doctor.code, doctor.err) == (0, "")


@pytest.mark.deep
def test_an_update_under_a_running_daemon_starts_it_anew(memd: Memd, tmp_path: Path) -> None:
    """The old code went on, or died on half of the new (CM#2424, CM#4105)."""
    copy = tmp_path / "lib" / "memd"
    shutil.copytree(Path(package.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environ = {"HOME": str(memd.home), "PYTHONPATH": str(copy.parent), "MEMD_EXTRACT_QUIET": "0.2s"}
    environ["MEMD_WATCH_SWEEP"] = "1s"  # it looks at its code after each turn
    (memd.home / ".claude" / "projects").mkdir()
    log = tmp_path / "log"
    process = user_manager.started(log, environ, sys.executable, "-P", "-m", "memd.cli.main", "run")
    try:
        shutil.rmtree(copy)  # as installers do it: gone first, there again a moment later
        time.sleep(1)
        shutil.copytree(Path(package.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
        until(lambda: log.read_text("utf-8").count("daemon_ready") == 2)
        converse(memd.memory, memd.project)
        until(lambda: saved(memd.memory))
    finally:
        process.terminate()
        process.wait(20)


def test_a_home_with_a_blank_and_a_letter_beyond_ascii(
    managed: Memd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A space or an accent in the home's path broke the worker's start (CM#2097, CM#2123)."""
    home = tmp_path / "John Doe" / "é"
    (home / ".claude" / "projects").mkdir(parents=True)
    (home / "shop").mkdir()
    monkeypatch.setenv("HOME", str(home))
    settings(home, '[extract]\nquiet = "0.2s"\n')
    assert managed.inside("install", "--yes").code == 0
    slug = re.sub("[^A-Za-z0-9]", "-", str((home / "shop").resolve()))
    memory = home / ".claude" / "projects" / slug / "memory"
    converse(memory, home / "shop")
    until(lambda: saved(memory))
    assert managed.inside("doctor").code == 0
    assert managed.inside("uninstall", "--purge", "--yes").code == 0
    left = {path.relative_to(home).parts[0] for path in home.rglob("*") if path.is_file()}
    assert left == {".claude"}
    assert saved(memory)


def test_uninstall_in_the_middle_of_a_pass(managed: Memd, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon outlived its own removal (CM#3073): here a model has been asked and does not answer."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-nobody-s")
    with serving(lambda _: Hang()) as server:
        settings(managed.home, f'[extract]\nquiet = "0.2s"\n[models]\nbase_url = "{server.url}"\n')
        assert managed.inside("install", "--backend", "anthropic", "--yes").code == 0
        converse(managed.memory, managed.project)
        server.wait_for(lambda seen: any(one.method == "POST" for one in seen), timeout=60)
        pid = int((lock.running(managed.state / "daemon.lock") or "").split()[1])
        family = [pid, *(one.pid for one in psutil.Process(pid).children(recursive=True))]
        assert len(family) > 1
        assert managed.inside("uninstall", "--purge", "--yes").code == 0
        until(lambda: not any(map(lives, family)))
    assert not managed.state.exists()
    assert not (managed.home / ".config" / "memd").exists()
    assert saved(managed.memory) == []


ROWS: dict[str, Callable[..., None]] = {
    "services lack PATH, USER, login": test_a_service_gets_nothing_of_the_login_and_works_all_the_same,
    "env -i": test_with_nothing_in_the_environment_but_a_home,
    "new code asks old": test_commands_of_a_new_version_understand_a_daemon_of_the_old_one,
    "upgrade while running": test_an_update_under_a_running_daemon_starts_it_anew,
    "a space or non-ASCII in the home path": test_a_home_with_a_blank_and_a_letter_beyond_ascii,
    "daemon outlives uninstall": test_uninstall_in_the_middle_of_a_pass,
}


def test_every_kind_has_its_test_and_every_test_its_reports() -> None:
    assert all("#" in (test.__doc__ or "") for test in ROWS.values())
    assert len(set(ROWS.values())) == len(ROWS)

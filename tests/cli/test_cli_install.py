"""`memd install` and `memd uninstall` with a user manager that runs the real daemon."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.daemon import lock
from memd.service import environment
from tests.cli.conftest import Memd, Near
from tests.fakes import user_manager
from tests.fakes.talk import converse

KEY = "sk-ant-api03-not-a-real-key"
Files = Callable[[], frozenset[str]]
pytestmark = pytest.mark.timeout(240)  # several processes a test, each of which starts anew


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it: the daemon is one all the same."""
    return near


def units(memd: Memd) -> Path:
    return memd.home / ".config" / "systemd" / "user"


def drop_in(memd: Memd) -> str:
    return (units(memd) / "memd.service.d" / "10-install.conf").read_text("utf-8")


def variables(memd: Memd) -> Path:
    return memd.home / ".config" / "memd" / "service.env"


def pid(memd: Memd) -> int:
    holder = lock.running(memd.state / "daemon.lock")
    assert holder is not None
    return int(holder.split()[1])


def test_it_says_what_it_will_do_does_it_and_sees_that_it_works(managed: Memd) -> None:
    converse(managed.memory, managed.project)
    answer = managed("install", "--yes")
    assert answer.code == 0, answer.err
    assert f"write  {units(managed) / 'memd.service'}" in answer.out
    assert "Leaves the machine nothing" in answer.out
    assert f"ok      the daemon runs under systemd (pid {pid(managed)})" in answer.out
    assert "ok      your last conversation can be read" in answer.out
    assert "it would leave 1 memory" in answer.out
    assert "loginctl enable-linger" in answer.out
    assert managed("status").code == 0
    assert stat.S_IMODE(variables(managed).stat().st_mode) == 0o600
    dream = (units(managed) / "memd-dream.service.d" / "10-install.conf").read_text("utf-8")
    assert dream.replace('"dream" "--all"', '"run"') == drop_in(managed)
    assert (units(managed) / "memd-dream.service").exists()


def test_a_dry_run_changes_nothing(managed: Memd, tree: Files) -> None:
    before = tree()
    answer = managed("install", "--dry-run")
    assert answer.code == 0
    assert "memd.service" in answer.out
    assert tree() == before


def test_nobody_to_ask_means_nothing_is_done(managed: Memd, tree: Files) -> None:
    before = tree()
    answer = managed("install")
    assert answer.code == 2
    assert "--yes" in answer.err
    assert tree() == before


def test_again_it_changes_nothing_and_leaves_the_daemon_alone(managed: Memd) -> None:
    assert managed("install", "--yes").code == 0
    first = pid(managed)
    answer = managed("install")
    assert answer.code == 0
    assert "nothing was changed" in answer.out
    assert pid(managed) == first


def test_a_setting_that_the_shell_has_is_taken_along_and_a_key_is_not(
    managed: Memd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_EXTRACT_QUIET", "77s")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hush@proxy.example:3128")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    answer = managed("install", "--yes")
    assert answer.code == 0, answer.err
    assert 'backend = "offline"' in answer.out
    said = variables(managed).read_text("utf-8")
    assert 'MEMD_EXTRACT_QUIET="77s"' in said
    assert "proxy.example" in said
    for text in (drop_in(managed), answer.out, answer.err):
        assert KEY not in text
        assert "hush" not in text
    assert KEY not in said
    assert (managed.home / ".config/memd/config.toml").read_text("utf-8") == 'backend = "offline"\n'


def test_a_model_gets_its_key_by_a_file_that_nobody_else_can_read(
    managed: Memd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    answer = managed("install", "--yes", "--backend", "anthropic")
    assert answer.code == 0, answer.err
    assert "https://api.anthropic.com" in answer.out
    assert "at most $0.25" in answer.out
    assert f'ANTHROPIC_API_KEY="{KEY}"' in variables(managed).read_text("utf-8")
    assert stat.S_IMODE(variables(managed).stat().st_mode) == 0o600
    assert KEY not in answer.out + answer.err + drop_in(managed)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert "nothing was changed" in managed("install", "--yes").out
    assert f'ANTHROPIC_API_KEY="{KEY}"' in variables(managed).read_text("utf-8")


def test_an_agent_of_this_login_takes_no_lasting_one_s_place(managed: Memd, monkeypatch: pytest.MonkeyPatch) -> None:
    (managed.home / ".config" / "memd").mkdir(parents=True, exist_ok=True)
    variables(managed).with_name("config.toml").write_text('[team]\nremote = "git@git.example.org:team.git"\n')
    variables(managed).write_text(environment.spelled({"SSH_AUTH_SOCK": "/run/user/7/keyring/ssh"}))
    forwarded = "/tmp/ssh-x/agent.1"  # noqa: S108 - only a value
    monkeypatch.setenv("SSH_AUTH_SOCK", forwarded)
    answer = managed("install", "--dry-run")
    assert f"note    ssh's agent at {forwarded} ends with this login" in answer.out
    assert "(mode 0600: SSH_AUTH_SOCK" in answer.out  # the one that it has


def test_uninstall_leaves_memories_and_with_purge_nothing_else(managed: Memd, tree: Files) -> None:
    managed.remember("lint", "Run make lint")
    before = tree()
    assert managed("install", "--hooks", "claude-code", "--yes").code == 0
    settings = managed.home / ".claude" / "settings.json"
    assert settings.exists()
    answer = managed("uninstall", "--yes")
    assert answer.code == 0, answer.err
    assert "every memory is where it was" in answer.out
    assert lock.running(managed.state / "daemon.lock") is None
    assert not units(managed).joinpath("memd.service").exists()
    assert not settings.exists()
    assert not variables(managed).exists()
    assert managed.state.exists()
    assert managed("uninstall", "--purge", "--yes").code == 0
    left = {name for name in tree() - before if not name.endswith(("systemd", "user", ".config", "state", ".local"))}
    assert left == set()
    assert "nothing was changed" in managed("uninstall", "--purge", "--yes").out


def test_uninstall_ends_a_daemon_that_nobody_manages(memd: Memd, tmp_path: Path) -> None:
    (memd.home / ".claude" / "projects").mkdir()
    process = user_manager.started(tmp_path / "log", {"HOME": str(memd.home)})
    assert lock.running(memd.state / "daemon.lock")
    answer = memd("uninstall", "--yes")
    assert answer.code == 0, answer.err
    assert lock.running(memd.state / "daemon.lock") is None
    assert process.wait(10) == 0


def test_a_daemon_in_a_terminal_is_not_driven_out(managed: Memd, tmp_path: Path) -> None:
    (managed.home / ".claude" / "projects").mkdir()
    process = user_manager.started(tmp_path / "log", {"HOME": str(managed.home)})
    answer = managed("install", "--yes")
    process.terminate()
    process.wait(10)
    assert answer.code == 4
    assert f"pid {process.pid}" in answer.err


def test_without_a_user_manager_it_says_what_to_do(memd: Memd, tree: Files) -> None:
    before = tree()
    answer = memd("install", "--yes")
    assert answer.code == 1
    assert "memd run" in answer.err
    assert tree() == before


def test_hooks_go_in_without_a_service_where_there_can_be_none(memd: Memd) -> None:
    answer = memd("install", "--hooks", "claude-code", "--yes")
    assert answer.code == 0
    assert "no service is installed" in answer.err
    assert (memd.home / ".claude" / "settings.json").exists()


def test_a_home_with_blanks_and_letters_of_all_kinds(
    managed: Memd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "John Doe" / "é 日本"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    answer = managed("install", "--yes")
    assert answer.code == 0, answer.err
    assert lock.running(home / ".local/state/memd/daemon.lock")
    assert (units(managed) / "memd.service").exists(), "the manager's own directory is where it looks"
    assert json.loads(managed("status", "--json").out)["daemon"]["running"]
    assert managed("uninstall", "--purge", "--yes").code == 0
    assert not (home / ".local/state/memd").exists()


def test_settings_that_are_wrong_are_said_before_anything_is_written(managed: Memd, tree: Files) -> None:
    file = managed.home / ".config" / "memd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[extract]\nquite = 3\n", "utf-8")
    before = tree()
    answer = managed("install", "--yes")
    assert answer.code == 2
    assert "quiet" in answer.err
    assert tree() == before


def test_a_memory_directory_of_a_projects_own_may_be_written_to(managed: Memd) -> None:
    own = managed.home / "notes"
    (managed.home / ".claude" / "settings.json").write_text(json.dumps({"autoMemoryDirectory": str(own)}), "utf-8")
    assert managed("install", "--yes").code == 0
    assert f'ReadWritePaths="-{own}"' in drop_in(managed)
    assert own.is_dir()


def test_where_the_manager_is_gone_its_files_go_all_the_same(memd: Memd) -> None:
    unit = units(memd) / "memd.service"
    link = units(memd) / "default.target.wants" / "memd.service"
    link.parent.mkdir(parents=True)
    unit.write_text("[Service]\n", "utf-8")
    link.symlink_to(unit)
    answer = memd("uninstall", "--yes")
    assert answer.code == 0, answer.err
    assert not unit.exists()
    assert not link.parent.exists()

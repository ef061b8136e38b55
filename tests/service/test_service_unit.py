"""The drop-in: whatever a path holds, systemd reads it back as it is, or nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import RefusedError
from memd.service import entry
from memd.service.service import Service
from memd.service.unit import drop_in

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=20)
PATHS = NAMES.filter(lambda name: "/" not in name and name not in {".", ".."}).map(lambda name: Path("/", "a", name))
HARD = ("/srv/John Doe/é", "/srv/50%h", '/srv/a "b"', "/srv/back\\slash", "/srv/$HOME", "/srv/日本 語", "/srv/a'b")


def service(path: Path) -> Service:
    return Service(
        command=(str(path / "memd"),),
        home=path,
        environment_file=path / "service.env",
        temporary=path / "tmp",
        writable=(path / "projects", path / "state"),
        hidden=(path / ".ssh",),
    )


def words(value: str) -> list[str]:
    """Split as systemd does (systemd.syntax(7)): quotes, backslashes; then specifiers."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
    return [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in found]


def values(text: str, name: str) -> list[str]:
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{name}=")]


@given(path=PATHS | st.sampled_from(HARD).map(Path))
def test_systemd_reads_every_path_as_it_is(path: Path) -> None:
    text = drop_in(service(path))
    first, command = values(text, "ExecStart")
    assert first == ""
    assert [word.replace("$$", "$") for word in words(command)] == [f"{path}/memd", "run"]
    assert words(values(text, "Environment")[0]) == [f"HOME={path}", f"TMPDIR={path / 'tmp'}"]
    assert values(text, "WorkingDirectory")[0].replace("%%", "%") == str(path)
    assert values(text, "EnvironmentFile")[0].replace("%%", "%") == f"-{path}/service.env"
    written = [word for value in values(text, "ReadWritePaths") for word in words(value)]
    assert written == [f"-{path}/projects", f"-{path}/state"]
    assert [word for value in values(text, "InaccessiblePaths") for word in words(value)] == [f"-{path}/.ssh"]


@pytest.mark.parametrize("name", ["a\nExecStart=/bin/false", "a\x07", "a\udce9"], ids=["line", "bell", "bytes"])
def test_what_no_unit_can_name_is_refused(name: str) -> None:
    with pytest.raises(RefusedError):
        drop_in(service(Path("/srv", name)))


def test_an_argument_is_no_variable() -> None:
    assert 'ExecStart="/a/$$HOME/memd" "run"' in drop_in(service(Path("/a/$HOME")))


def test_a_night_by_hand_runs_the_same_program_in_the_same_places() -> None:
    daemon, dream = drop_in(service(Path("/srv"))), drop_in(service(Path("/srv")), "dream", "--all")
    assert values(dream, "ExecStart") == ["", '"/srv/memd" "dream" "--all"']
    assert dream.replace('"dream" "--all"', '"run"') == daemon


def test_a_night_by_hand_is_confined_as_the_daemon_is() -> None:
    daemon, dream = (
        _settings(entry.shipped("systemd", name).decode()) for name in ("memd.service", "memd-dream.service")
    )
    others = {"Description", "Type", "ExecStart", "TimeoutStartSec", "SuccessExitStatus"}
    assert {line for line in dream if line.partition("=")[0] not in others} <= set(daemon)
    alone = others | {"StartLimitIntervalSec", "StartLimitBurst", "NotifyAccess", "ExecReload", "Restart", "RestartSec"}
    alone |= {"RestartForceExitStatus", "RestartPreventExitStatus", "WatchdogSec", "KillMode", "OOMPolicy", "WantedBy"}
    assert {line.partition("=")[0] for line in set(daemon) - set(dream)} == alone
    assert "Type=oneshot" in dream


def _settings(unit: str) -> list[str]:
    return [line for line in unit.splitlines() if "=" in line and not line.startswith("#")]


def test_the_shipped_unit_says_nothing_that_breaks_it_where_it_runs() -> None:
    text = entry.shipped("systemd", "memd.service").decode()
    lines = [line for line in text.splitlines() if line and not line.startswith(("#", "["))]
    keys = {line.partition("=")[0] for line in lines}
    # openat2 answers ENOSYS under the first; the next three keep a user service of systemd 252 from starting.
    assert not keys & {"RestrictSUIDSGID", "PrivateDevices", "ProtectClock", "CapabilityBoundingSet", "PrivateTmp"}
    # Without swap this one slows the daemon down together with a worker that runs away.
    assert "MemoryHigh" not in keys
    assert {"PrivateUsers=yes", "ProtectSystem=strict", "OOMPolicy=continue", "MemoryMax=1G"} <= set(lines)
    assert {"Type=notify", "NotifyAccess=main", "WatchdogSec=60", "Restart=on-failure", "UMask=0077"} <= set(lines)
    assert "Environment" not in keys

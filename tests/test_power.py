"""On battery, or on a network that costs: real files where the kernel has its own, and a tool's real answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from memd import config, power

AC = {"type": "Mains", "online": "1"}
NO_AC = {"type": "Mains", "online": "0"}
FULL = {"type": "Battery", "status": "Full", "scope": "System"}
EMPTYING = {"type": "Battery", "status": "Discharging"}
MOUSE = {"type": "Battery", "status": "Discharging", "scope": "Device"}


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, False),
        ({"AC": AC, "BAT0": EMPTYING}, False),
        ({"AC": NO_AC, "BAT0": EMPTYING}, True),
        ({"BAT0": EMPTYING}, True),
        ({"BAT0": FULL}, False),
        ({"AC": NO_AC, "BAT0": FULL, "BAT1": EMPTYING}, True),
        ({"hid-mouse": MOUSE}, False),
        ({"usb": {"type": "USB", "online": "2"}, "BAT0": EMPTYING}, False),
        ({"ups": {"type": "UPS", "status": "Discharging"}}, True),
        ({"odd": {}}, False),
        ({"ucsi": {"type": "USB", "online": "1", "scope": "Device"}, "BAT0": EMPTYING}, True),
        ({"headset": {"type": "Wireless", "online": "1", "scope": "Device"}, "BAT0": EMPTYING}, True),
        ({"AC": {"type": "Mains", "online": ""}, "BAT0": EMPTYING}, True),
        ({"AC": {"type": "Mains", "online": "?"}, "BAT0": EMPTYING}, True),
        ({"AC": {"type": "Mains"}, "BAT0": EMPTYING}, True),
        ({"AC": {"online": "1"}, "BAT0": EMPTYING}, False),
    ],
    ids=[
        "desktop", "plugged in", "unplugged", "no mains known", "full", "second one", "mouse", "usb-c", "ups", "odd",
        "a telephone's port", "a headset's charger", "mains say nothing", "mains say something else", "mains are mute",
        "mains without a type",
    ],
)  # fmt: skip
def test_what_the_kernel_says_of_the_power(
    tmp_path: Path, supplies: Mapping[str, Mapping[str, str]], *, expected: bool
) -> None:
    for name, said in supplies.items():
        (tmp_path / name).mkdir()
        for file, text in said.items():
            (tmp_path / name / file).write_text(f"{text}\n", "utf-8")
    assert power.on_battery(tmp_path, "linux") is expected


def test_where_nobody_says_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert power.on_battery(tmp_path / "none", "linux") is None
    assert power.metered("darwin") is None


def tool(directory: Path, name: str, text: str) -> None:
    (directory / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    (directory / name).chmod(0o755)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("echo 'u 1'", True),
        ("echo 'u 2'", False),
        ("echo 'u 3'", True),
        ("echo 'u 4'", False),
        ("echo 'u 0'", None),
        ("echo 'Failed to get property' >&2; exit 1", None),
        ("echo 'b true'", None),
    ],
    ids=["yes", "no", "perhaps", "perhaps not", "unknown", "no manager", "nonsense"],
)
def test_what_networkmanager_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, *, expected: bool | None
) -> None:
    tool(tmp_path, "busctl", f'[ "$*" = "{ASKED}" ] || exit 9\n{said}')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert power.metered("linux") is expected


ASKED = (
    "--system --timeout=2 get-property org.freedesktop.NetworkManager /org/freedesktop/NetworkManager "
    "org.freedesktop.NetworkManager Metered"
)


def test_what_macos_says_of_the_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    tool(tmp_path, "pmset", "echo \"Now drawing from 'Battery Power'\"; echo ' -InternalBattery-0 81%; discharging'")
    assert power.on_battery(platform="darwin") is True
    tool(tmp_path, "pmset", "echo \"Now drawing from 'AC Power'\"")
    assert power.on_battery(platform="darwin") is False


@pytest.mark.parametrize(
    ("remote", "expected"),
    [("git@host:team.git", True), ("https://host/team.git", True), ("/srv/team.git", False), ("file:///srv/t", False)],
    ids=["ssh", "https", "path", "file"],
)
def test_a_sync_uses_the_network_whoever_proposes(home: Path, remote: str, *, expected: bool) -> None:
    settings = config.load({"HOME": str(home), "MEMD_BACKEND": "offline"}).settings
    wants = replace(settings, background=replace(settings.background, on_metered="wait"))
    assert (power.sync_probe(wants, remote) is not None) is expected
    assert power.sync_probe(settings, remote) is None


def test_the_system_is_asked_beside_the_loop() -> None:
    assert asyncio.run(asyncio.to_thread(power.on_battery)) in {True, False, None}

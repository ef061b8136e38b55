"""Passes that wait for mains, or for a network that costs nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memd import config, power
from memd.daemon import control
from memd.daemon.power import probe, uses_network
from memd.daemon.requests import Request, Verb
from tests.daemon.conftest import DaemonProcess, talk, until


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        ({"ANTHROPIC_API_KEY": "k"}, True),
        ({"MEMD_BACKEND": "offline", "ANTHROPIC_API_KEY": "k"}, False),
        ({"MEMD_BACKEND": "anthropic"}, True),
        ({"MEMD_BACKEND": "anthropic", "MEMD_MODELS_BASE_URL": "http://127.0.0.1:11434"}, False),
        ({"MEMD_BACKEND": "anthropic", "ANTHROPIC_BASE_URL": "http://localhost:1"}, False),
        ({"MEMD_BACKEND": "anthropic", "MEMD_MODELS_PROVIDER": "bedrock"}, True),
    ],
    ids=["rules", "key", "rules by choice", "model", "own model", "own gateway", "cloud"],
)
def test_only_a_model_elsewhere_uses_the_network(home: Path, environ: dict[str, str], *, expected: bool) -> None:
    settings = config.load({"HOME": str(home), **environ}).settings
    assert uses_network(settings, environ) is expected
    wants = replace(settings, background=replace(settings.background, on_metered="wait"))
    assert (probe(wants, environ) is not None) is expected
    assert probe(settings, environ) is None


def held_up() -> object:
    return control.ask(config.find_paths(os.environ).control, Request(verb=Verb.STATUS))["held_up"]


@pytest.mark.parametrize("how", ["plugged in", "asked for"])
def test_work_waits_until_the_machine_is_plugged_in_or_a_person_wants_it_now(
    start: Callable[..., DaemonProcess], root: Path, tmp_path: Path, how: str
) -> None:
    reason = tmp_path / "held up"
    reason.write_text(power.ON_BATTERY, "utf-8")
    daemon = start(HELD_UP=str(reason), MEMD_WATCH_SWEEP="0.5s").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.logged("work_waits"))
    until(lambda: held_up() == power.ON_BATTERY)
    assert daemon.noted("started") == []
    if how == "plugged in":
        reason.unlink()
    else:
        control.ask(config.find_paths(os.environ).control, Request(verb=Verb.RUN_NOW))
    until(lambda: daemon.noted("claimed"))
    until(lambda: held_up() is None)

"""`memd config show`."""

from __future__ import annotations

from tests.cli.conftest import Memd


def test_every_setting_is_shown_in_its_unit(memd: Memd) -> None:
    rows = dict(line.split("\t")[:2] for line in memd.inside("config", "show").out.splitlines())
    assert rows["extract.quiet"] == "2m"
    assert rows["caps.pass_dollars"] == "$0.25"
    assert rows["caps.pass_tokens"] == "200000"
    assert rows["prices"] == "claude-sonnet-5-5"
    assert rows["projects.exclude"] == "-"


def test_as_json(memd: Memd) -> None:
    rows = {row["key"]: row["value"] for row in memd.inside("config", "show", "--json").json["settings"]}
    assert rows["caps.day_dollars"] == 2.0
    assert rows["prices"][0]["model"] == "claude-sonnet-5-5"
    assert rows["watch.agents"] == ["claude-code"]


def test_what_auto_has_become_stands_beside_it(memd: Memd) -> None:
    assert "backend\tauto (here: offline)\tdefault" in memd.inside("config", "show").out
    key = {"ANTHROPIC_API_KEY": "k" * 40}
    assert "backend\tauto (here: anthropic)\t" in memd.inside("config", "show", environ=key).out
    row = memd.inside("config", "show", "--json").json["settings"][0]
    assert (row["key"], row["value"], row["in_force"]) == ("backend", "auto", "offline")
    assert "backend\toffline\t" in memd.inside("config", "show", environ={"MEMD_BACKEND": "offline"}).out

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

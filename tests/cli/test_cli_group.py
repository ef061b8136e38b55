"""What a command line that is no command is told, and how commands are listed."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from memd.cli.main import memd as whole

GROUPS = ((), ("config",), ("project",), ("review",), ("team",))


def asked(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(whole, arguments, prog_name="memd", terminal_width=80)
    return done.exit_code, done.output


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: "-".join(group) or "memd")
def test_no_summary_is_cut(group: tuple[str, ...]) -> None:
    code, said = asked(*group, "--help")
    assert (code, "..." in said.replace("COMMAND [ARGS]...", "")) == (0, False)
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: "-".join(group) or "memd")
def test_every_command_is_listed(group: tuple[str, ...]) -> None:
    found: click.Command = whole
    for name in group:
        assert isinstance(found, click.Group)
        chosen = found.get_command(click.Context(found), name)
        assert chosen is not None
        found = chosen
    assert isinstance(found, click.Group)
    listed = [line.split()[0] for line in asked(*group, "--help")[1].splitlines() if line.startswith("  ")]
    assert set(found.list_commands(click.Context(found))) <= set(listed)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("recal",), "there is no command 'recal': did you mean recall?"),
        (("hist",), "there is no command 'hist': did you mean history?"),
        (("zzz",), "there is no command 'zzz'\n"),
        (("config", "check"), "there is no command 'check': it is one of path, show, validate"),
        (("review", "lst"), "there is no command 'lst': did you mean list?"),
    ],
    ids=["near", "short", "far", "one-of-few", "near-in-a-group"],
)
def test_a_command_that_there_is_not(arguments: tuple[str, ...], said: str) -> None:
    assert asked(*arguments)[0] == 2
    assert said in asked(*arguments)[1]

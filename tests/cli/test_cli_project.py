"""`memd project show`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.cli.conftest import Memd


def test_a_project_in_one_document(memd: Memd, tree: Callable[[], frozenset[str]]) -> None:
    before = tree()
    answer = memd("project", "show", "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.json == {
        "schema_version": 1,
        "root": str(memd.project),
        "slug": memd.memory.parent.name,
        "memory_dir": str(memd.memory),
        "rule": "base:~/.claude",
        "enabled": True,
        "reason": "default",
    }
    assert tree() == before


def test_a_path_names_another_project(memd: Memd) -> None:
    (memd.home / "other" / ".git").mkdir(parents=True)
    (memd.home / "other" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (memd.home / "other" / ".git" / "objects").mkdir()
    (memd.home / "other" / ".git" / "refs").mkdir()
    (memd.home / "other" / "deep").mkdir()
    assert memd.inside("project", "show", "../other/deep", "--json").json["root"] == str(memd.home / "other")


def test_a_directory_that_is_gone_still_has_a_slug(memd: Memd) -> None:
    answer = memd.inside("project", "show", "/gone/for.ever", "--json")
    assert (answer.code, answer.json["slug"], answer.json["root"]) == (0, "-gone-for-ever", "/gone/for.ever")
    assert answer.err == "warning: /gone/for.ever is not there\n"


def test_a_file_is_no_project(memd: Memd) -> None:
    (memd.project / "file").touch()
    answer = memd.inside("project", "show", "file")
    assert (answer.code, answer.out) == (2, "")
    assert "'file' is a file" in answer.err


def test_people_get_a_line_for_each(memd: Memd) -> None:
    assert memd.inside("project", "show", environ={"MEMD_DISABLE": "1"}).out.splitlines() == [
        f"root        {memd.project}",
        f"slug        {memd.memory.parent.name}",
        f"memory dir  {memd.memory}",
        "rule        base:~/.claude",
        "memory      off: MEMD_DISABLE is set",
    ]


@pytest.mark.parametrize(
    ("environ", "enabled", "reason"),
    [
        ({"MEMD_PROJECTS_EXCLUDE": "~/sh*"}, False, "excluded"),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}, True, "auto-memory-forced"),
        ({"CLAUDE_CODE_SIMPLE": "1"}, False, "bare-mode"),
    ],
)
def test_why_memory_is_on_or_off(memd: Memd, environ: dict[str, str], enabled: bool, reason: str) -> None:  # noqa: FBT001 - a case's value
    document = memd.inside("project", "show", "--json", environ=environ).json
    assert (document["enabled"], document["reason"]) == (enabled, reason)


def test_a_refused_directory_is_said_on_stderr_and_the_next_rule_applies(memd: Memd) -> None:
    settings = memd.home / ".claude" / "settings.json"
    settings.write_text(json.dumps({"autoMemoryDirectory": "relative", "autoMemoryEnabled": False}))
    answer = memd("project", "show", "--json")
    assert (answer.code, answer.json["rule"], answer.json["reason"]) == (0, "base:~/.claude", "settings-off")
    assert answer.err == f"warning: autoMemoryDirectory in {settings} is refused: it is not an absolute path\n"

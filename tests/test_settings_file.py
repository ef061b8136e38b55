"""A person's settings file keeps every byte but those of the one value."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import settings_file
from memd.errors import ConfigError, LockedError

GLOBS = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12), unique=True)
FILES = (
    "",
    "# mine\n",
    '[extract]\nquiet = "1m"  # fast\n',
    '[projects]\nworktrees = "separate"\n\n# the end\n',
    '[projects]\n# clients\nexclude = [\n  "/a/*", # secret\n  "/b",\n]\n\n[extract]\nquiet = "1m"\n',
    "[projects]\nexclude = []\n",
    'projects.exclude = ["/a/*"]\nbackend = "offline"\n',
    'projects = {exclude = ["/b"], worktrees = "shared"}\n',
    '[projects]\r\nexclude = ["/a/*"] # why\r\n\r\n[history]\r\nkeep = "1d"\r\n',
    'backend = "auto"\n[projects]\nexclude = [ "/a/*" , \'/b\' ]',
)


def changed(text: str, values: list[str]) -> str:
    return settings_file.with_list(text, "projects", "exclude", values)


def bare(text: str) -> str:
    """The text without what a list may be laid out with."""
    return text.replace(" ", "").replace(",]", "]")


@given(text=st.sampled_from(FILES), values=GLOBS)
def test_the_value_is_what_was_asked_for_and_nothing_else_changes(text: str, values: list[str]) -> None:
    expected = tomllib.loads(text)
    expected.setdefault("projects", {})["exclude"] = values
    try:
        result = changed(text, values)
    except ConfigError:
        assert "exclude" in text  # an order that its list cannot be brought into member by member
        return
    assert tomllib.loads(result) == expected


@pytest.mark.parametrize("text", FILES)
def test_one_more_and_back_again_is_the_file_as_it_was(text: str) -> None:
    before = tomllib.loads(text).get("projects", {}).get("exclude", [])
    more = changed(text, [*before, "/new"])
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in more.splitlines() if line.startswith("#")
    ]
    assert {"/new", *before} == set(tomllib.loads(more)["projects"]["exclude"])
    if "exclude" in text:
        assert bare(changed(more, before)) == bare(text)


def test_comments_and_layout_stay() -> None:
    assert changed(FILES[4], ["/a/*", "/b", "/c"]) == FILES[4].replace('  "/b",\n', '  "/b",\n  "/c",\n')
    assert changed(FILES[4], ["/a/*"]) == FILES[4].replace('  "/b",\n', "")


@pytest.mark.parametrize("text", ["projects = 1\n", "[[projects]]\n", "not toml"])
def test_what_cannot_be_done_is_not_done(text: str) -> None:
    with pytest.raises(ConfigError):
        changed(text, ["/a"])


def test_a_link_stays_a_link_and_the_mode_its_own(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "memd.toml"
    real.parent.mkdir()
    real.write_text("# a\n")
    real.chmod(0o644)
    link = tmp_path / "config" / "config.toml"
    link.parent.mkdir()
    link.symlink_to(real)
    settings_file.write(link, "# b\n", before="# a\n")
    assert (link.is_symlink(), real.read_text(), real.stat().st_mode & 0o777) == (True, "# b\n", 0o644)


def test_a_new_file_is_made_with_its_directory(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "config.toml"
    assert settings_file.read(file) == ""
    settings_file.write(file, "# a\n", before="")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("# a\n", 0o600)


def test_what_somebody_else_wrote_meanwhile_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# theirs\n")
    with pytest.raises(LockedError):
        settings_file.write(file, "# mine\n", before="")
    assert file.read_text() == "# theirs\n"

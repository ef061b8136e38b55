"""Which projects share memories: by the settings, by the record of `memd team init`."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd import config
from memd.config import Paths, Settings
from memd.errors import ConfigError
from memd.memory import membership
from memd.memory.membership import Membership

NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
REMOTE = "/srv/git/memory.git"


def settings(home: Path, text: str) -> Settings:
    path = home / ".config" / "memd" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return config.load({"HOME": str(home)}).settings


def paths(home: Path) -> Paths:
    return config.find_paths({"HOME": str(home)})


def memory(home: Path, name: str = "shop") -> Path:
    return home / ".claude" / "projects" / f"-{name}" / "memory"


def join(home: Path, name: str = "shop", remote: str = REMOTE, branch: str = "memd") -> Membership:
    planned = membership.planned(
        paths(home), root=home / name, memory_dir=memory(home, name), remote=remote, branch=branch
    )
    return membership.note(planned, NOW)


def found(home: Path, said: Settings, name: str = "shop") -> Membership | None:
    return membership.find(paths(home), said, root=home / name, memory_dir=memory(home, name))


def test_nobody_shares_anything_by_default(home: Path) -> None:
    assert found(home, Settings()) is None
    assert membership.known(paths(home)) == ()


def test_a_record_is_read_back_and_closed_to_others(home: Path) -> None:
    joined = join(home)
    assert found(home, Settings()) == joined
    assert (joined.joined, joined.by) == ("2026-04-01T12:00:00+00:00", "init")
    assert stat.S_IMODE(joined.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE((joined.directory / membership.RECORD).stat().st_mode) == 0o600
    assert found(home, Settings(), "other") is None


def test_noting_it_again_keeps_its_date(home: Path) -> None:
    first = join(home)
    assert membership.note(first, datetime(2027, 1, 1, tzinfo=UTC)).joined == first.joined


def test_a_home_that_is_no_utf_8(home: Path) -> None:
    odd = home / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    planned = membership.planned(paths(odd), root=odd / "shop", memory_dir=memory(odd), remote=REMOTE, branch="memd")
    noted = membership.note(planned, NOW)
    assert membership.known(paths(odd)) == (noted,)


def test_what_the_settings_say_of_the_project_wins_over_the_record(home: Path) -> None:
    join(home)
    said = settings(
        home, f'[team.projects]\n"{home}/sh*" = {{ remote = "/srv/other.git", branch = "memd/{{name}}" }}\n'
    )
    chosen = found(home, said)
    assert chosen is not None
    assert (chosen.remote, chosen.branch, chosen.by) == ("/srv/other.git", "memd/shop", "team.projects")
    assert membership.current(paths(home), said) == ()  # the record of `init` does not hold now


def test_a_project_is_kept_out_by_an_empty_remote(home: Path) -> None:
    join(home)
    said = settings(home, f'[team]\nremote = "{REMOTE}"\n[team.projects]\n"~/shop" = {{ remote = "" }}\n')
    assert found(home, said) is None
    assert found(home, said, "other") is not None


def test_the_first_rule_that_fits_holds(home: Path) -> None:
    rules = f'"{home}/shop" = {{ remote = "/srv/a.git" }}\n"{home}/*" = {{ remote = "/srv/b.git" }}\n'
    said = settings(home, f"[team.projects]\n{rules}")
    chosen = [found(home, said, name) for name in ("shop", "other")]
    assert [one and one.remote for one in chosen] == ["/srv/a.git", "/srv/b.git"]


def test_the_record_wins_over_what_the_settings_say_of_all(home: Path) -> None:
    said = settings(home, '[team]\nremote = "/srv/all.git"\nbranch = "memd/{name}"\n')
    general = found(home, said)
    assert general is not None
    assert (general.remote, general.branch, general.by) == ("/srv/all.git", "memd/shop", "team.remote")
    joined = join(home)
    assert found(home, said) == joined


def test_a_variable_sets_the_remote_of_all(home: Path) -> None:
    said = config.load({"HOME": str(home), "MEMD_TEAM_REMOTE": "~/memory.git"}).settings
    chosen = found(home, said)
    assert chosen is not None
    assert chosen.remote == f"{home}/memory.git"


def test_each_remote_branch_and_memory_has_a_place_of_its_own(home: Path) -> None:
    places = {join(home, *what).directory for what in (("shop",), ("other",), ("shop", "/srv/b"), ("shop", "/a", "b"))}
    assert len(places) == 4
    assert len(membership.known(paths(home))) == 4


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"schema_version": 2}', '{"schema_version": 1, "project": 3}', "\0" * 10, "x" * 100_000],
    ids=["empty", "cut", "list", "null", "newer", "wrong", "binary", "long"],
)
def test_a_damaged_record_is_no_membership(home: Path, text: str) -> None:
    joined = join(home)
    (joined.directory / membership.RECORD).write_text(text)
    assert membership.known(paths(home)) == ()
    assert found(home, Settings()) is None
    assert list(membership.damaged(paths(home))) == [joined.directory]


def test_a_record_cannot_name_a_remote_that_starts_a_program(home: Path) -> None:
    record = join(home).directory / membership.RECORD
    record.write_text(record.read_text().replace(REMOTE, "ext::sh -c x"))
    assert membership.known(paths(home)) == ()


def test_a_link_in_a_records_place_is_not_followed(home: Path) -> None:
    joined = join(home)
    aside = home / "aside"
    joined.directory.rename(aside)
    joined.directory.symlink_to(aside)
    assert membership.known(paths(home)) == ()


def test_forgetting_leaves_nothing_but_the_memories(home: Path) -> None:
    joined, other = join(home), join(home, "other")
    (joined.repository / "objects").mkdir(parents=True)
    membership.forget(joined)
    membership.forget(joined)
    assert membership.known(paths(home)) == (other,)
    assert not joined.directory.exists()
    membership.forget(other)
    assert not paths(home).team.exists()


def test_what_is_left_of_a_memory_that_was_there_gives_way(home: Path) -> None:
    old, stale = join(home), join(home, "store")
    (stale.repository / "objects").mkdir(parents=True)
    membership.move(paths(home), old=old.memory_dir, new=stale.memory_dir, root=home / "store", now=NOW)
    assert not stale.repository.exists()
    assert [one.project for one in membership.known(paths(home))] == [home / "store"]


def test_it_moves_with_the_memory(home: Path) -> None:
    joined = join(home)
    (joined.repository / "objects").mkdir(parents=True)
    moved = membership.move(paths(home), old=joined.memory_dir, new=memory(home, "store"), root=home / "store", now=NOW)
    after = found(home, Settings(), "store")
    assert moved == 1
    assert after is not None
    assert (after.project, after.joined) == (home / "store", joined.joined)
    assert (after.repository / "objects").is_dir()
    assert found(home, Settings()) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[team]\nremote = 'ext::sh -c x'", "team.remote must not name a transport"),
        ("[team]\nremote = 'https://me:secret@host/x'", "team.remote must not hold a password"),
        ("[team]\nbranch = 'a..b'", "team.branch must be a branch name"),
        ("[team]\npull = '0s'", "team.pull must be a second or more"),
        ("[team]\nbranch = 3", "team.branch must be a branch name"),
        ("[team]\nprojects = ['/a']", "team.projects must be a table"),
        ("[team.projects]\n'/a' = { branch = 'b' }", "team.projects must give a remote, and may give a branch, for /a"),
        ("[team.projects]\n'/a' = { remote = '-x' }", "team.projects must be the address of a git repository"),
    ],
)
def test_wrong_settings_are_refused(home: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings(home, text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '[team]\nremote = "/srv/all.git"\n',
        '[team.projects]\n"*/shop" = { remote = "" }\n',
        f'[team.projects]\n"*/shop" = {{ remote = "{REMOTE}" }}\n',
        '[team.projects]\n"*" = { remote = "/srv/all.git", branch = "memd/{name}" }\n',
    ],
    ids=["nothing", "all", "none", "same", "each"],
)
def test_current_are_those_that_are_found(home: Path, text: str) -> None:
    said = settings(home, text)
    for one in (join(home), join(home, "other", "/srv/b"), join(home, "shop", "/srv/c")):
        general = membership.planned(
            paths(home), root=one.project, memory_dir=one.memory_dir, remote="/srv/all.git", branch="memd"
        )
        membership.note(replace(general, by="team.remote"), NOW)
    expected = {
        one.key
        for one in membership.known(paths(home))
        if (now := membership.find(paths(home), said, root=one.project, memory_dir=one.memory_dir)) is not None
        and now.key == one.key
    }
    assert {one.key for one in membership.current(paths(home), said)} == expected

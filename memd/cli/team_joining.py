"""`memd team init`: a project shares its `team/` memories from now on, or joins those who do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from memd import files, git_address
from memd.cli import by_hand, team_status, team_turn, team_words
from memd.cli.here import Here, here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.words import counted, shown, valid
from memd.errors import RefusedError, UsageError
from memd.memory import membership
from memd.memory.layout import TEAM
from memd.memory.location import MemoryDir
from memd.memory.membership import Membership
from memd.service import places
from memd.team import base as bases
from memd.team import probe, snapshot, unshared
from memd.team.base import Base
from memd.team.nouns import RemoteError, SyncReport
from memd.team.objects import blob_name
from memd.team.probe import Probe
from memd.team.snapshot import Edits
from memd.team.unshared import Left

_USUAL = "memd"  # branch
_PATIENCE = 60.0  # seconds that a remote may take for an answer

yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is known before anything is done."""

    one: Membership
    there: Probe
    here: Edits  # what stands in team/ already, as far as it differs from what both had before
    live: Mapping[str, str]  # the blob by path of all that stands there
    left: Left  # what stands there and is no memory

    @property
    def is_joined(self) -> bool:
        """Whether it is so already: nothing is to be made."""
        return self.one.joined is not None and membership.is_noted(self.one)

    @property
    def coming(self) -> int:
        """How many memories would be received: new ones, and others' edits."""
        before, held = self.there.base.files, {one.path for one in self.here.held}
        new = ((path, blob) for path, blob in self.there.memories.items() if path not in held)
        return sum(blob not in {before.get(path), self.live.get(path)} for path, blob in new)

    @property
    def going(self) -> int:
        """How many that are unchanged here were deleted there."""
        before = self.there.base.files
        return sum(self.live.get(path) == blob for path, blob in before.items() if path not in self.there.memories)

    @property
    def own(self) -> tuple[str, ...]:
        """The files that would be sent. Where nothing tells who edited one, the other side stands."""
        there, before = self.there.memories, self.there.base.files
        mine = ((path, None if data is None else blob_name(data)) for path, data in self.here.changes.items())
        sent = (path for path, blob in mine if blob != there.get(path) and (path in before or path not in there))
        return tuple(sorted(sent))


@click.command()
@click.option("--remote", required=True, metavar="URL", help="The git repository: https, ssh, host:path, or a path.")
@click.option("--branch", default=None, help="The branch that memories stand on (default: [team] branch, memd).")
@project_option
@dry_run_option
@click.option("--yes", is_flag=True, help="Take a branch that holds other files than memories, too.")
@json_option
def init(  # one parameter an option
    *,
    remote: str,
    branch: str | None,
    directory: str,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Share this project's team/ memories through a git repository, or join those who do.

    Private memories stay private: only what stands in team/ goes out. Access is git's own, with your credentials.
    """
    surroundings = here()
    by_hand.require_person(surroundings.environ, "sharing memory")
    place = by_hand.place_of(surroundings, directory)
    one = _planned(surroundings, place, (remote, branch))
    found = _look(one, surroundings)
    _require_fitting(found, is_meant=yes or membership.is_noted(one))
    if not as_json:
        (_say_again if found.is_joined and not dry_run else _announce)(found)
        if team_status.is_unnamed(surroundings):
            click.echo(f"no name   {team_status.UNNAMED}")
    if dry_run:
        if as_json:
            print_json(_described(found, None))
        return 0
    by_hand.require_owner(place, surroundings.paths.ledger)
    with files.open_directory(one.memory_dir, create=True) as memory, files.open_below(memory, TEAM, create=True):
        joined = membership.note(one, datetime.now(UTC).astimezone())
    report = team_turn.run(surroundings, joined)
    team_turn.tell_daemon(surroundings)
    if as_json:
        print_json(_described(found, report))
    else:
        _welcome(report, is_new=not found.is_joined)
        if places.environment_file(surroundings.loaded).exists() and not joined.remote.startswith("git:"):
            click.echo("The daemon is confined: `memd install` again lets it reach that remote as you do.")
    return team_words.exit_code(report.outcome)


def _planned(surroundings: Here, place: MemoryDir, where: tuple[str, str | None]) -> Membership:
    """What it is about. Raises UsageError for an address that is none, RefusedError where it is decided otherwise."""
    remote, branch = where
    try:
        address = git_address.remote(_absolute(remote))
    except ValueError as error:
        raise UsageError(f"--remote {error}", hint="such as git@git.example.org:shop/memory.git") from error
    try:
        name = git_address.branch(branch or surroundings.settings.team.branch)
    except ValueError as error:
        raise UsageError(f"--branch {error}") from error
    paths = surroundings.paths
    wanted = membership.planned(paths, root=place.root, memory_dir=place.path, remote=address, branch=name)
    holds = membership.find(paths, surroundings.settings, root=place.root, memory_dir=place.path)
    if holds is None or holds.key == wanted.key or holds.by == "team.remote":
        _require_not_kept_out(surroundings, place, holds)
        is_so = holds is not None and holds.key == wanted.key and holds.by != "team.remote"
        return holds if holds is not None and is_so else wanted
    if holds.by == "init":
        raise RefusedError(
            f"{shown(str(place.root))} shares its memories already, through {team_words.place(holds)}",
            hint="`memd team leave` first; every file stays",
        )
    raise RefusedError(f"the settings say {team_words.place(holds)}", hint=in_settings(surroundings))


def _require_not_kept_out(surroundings: Here, place: MemoryDir, holds: Membership | None) -> None:
    rules = surroundings.settings.team.projects
    if holds is None and any(membership.names(rule, place.root, surroundings.paths) for rule in rules):
        raise RefusedError(
            f"the settings keep {shown(str(place.root))} out of every team's memory", hint=in_settings(surroundings)
        )


def in_settings(surroundings: Here) -> str:
    """Say where a person decides for several projects."""
    return f"change [team.projects] in {shown(str(surroundings.paths.config_file))}"


def _absolute(remote: str) -> str:
    """A path on this machine as every process understands it."""
    text = remote.strip()
    is_path = text.startswith(("./", "../")) or text in {".", ".."} or ("://" not in text and Path(text).is_dir())
    return str(Path(text).absolute()) if is_path and not text.startswith("~") else text


def _look(one: Membership, surroundings: Here) -> _Found:
    """Ask the remote, and look what would be sent. Raises MemdError, AuthError, RefusedError."""
    click.echo(f"asking {team_words.remote(one)} ...", err=True)
    live = snapshot.look(one.memory_dir, Base())
    old = bases.returned(bases.load(one.directory), live.blobs)
    try:
        there = probe.look(one, surroundings.environ, patience=_PATIENCE, old=old)
    except RemoteError as error:
        raise team_words.refuse(error) from error
    if there.in_the_way is not None:
        raise RefusedError(
            f"the remote has a branch {shown(there.in_the_way)}, beside which git cannot make {shown(one.branch)}",
            hint="take a name that is neither above nor below another branch (--branch)",
        )
    edits = snapshot.edits(snapshot.look(one.memory_dir, there.base), there.base)
    return _Found(one=one, there=there, here=edits, live=live.blobs, left=unshared.look(one.memory_dir))


def _require_fitting(found: _Found, *, is_meant: bool) -> None:
    """Raise RefusedError where the branch is something else, or looks so and nobody said that it is meant."""
    one, there = found.one, found.there
    if not there.is_foreign and (is_meant or not there.is_mixed):
        return
    are = "is no memory" if there.strangers == 1 else "are no memories"
    name = _USUAL if one.branch != _USUAL else f"{_USUAL}-team"
    all_the_same = "" if there.is_foreign else ", or --yes: they stay as they are"
    raise RefusedError(
        f"branch {shown(one.branch)} holds {counted(there.strangers, 'file')} that {are},"
        f" and {counted(len(there.memories), 'memory', 'memories')}",
        hint=f"take a branch of its own (--branch {name}): it is made where there is none{all_the_same}",
    )


def _announce(found: _Found) -> None:
    one, there = found.one, found.there
    is_new = not there.exists
    click.echo(f"project   {shown(str(one.project))}")
    click.echo(f"remote    {team_words.remote(one)}")
    click.echo(f"branch    {shown(one.branch)}" + (", which will be made" if is_new else f": {_holding(found)}"))
    click.echo(f"shared    {shown(str(one.team))}")
    if found.own:
        click.echo(f"to send   {counted(len(found.own), 'file')}: {team_words.named(found.own)}")
    for held in found.here.held:
        click.echo(f"held back {team_words.held_back(held)}")
    for line in team_words.not_shared(found.left):
        click.echo(line)
    click.echo("Whoever may read that repository reads what stands in team/. Everything else stays on this machine.")


def _holding(found: _Found) -> str:
    total, others = len(found.there.memories), found.there.others
    some = f", {found.coming} of them to receive" if found.coming else ", all of them here"
    coming = " to receive" if found.coming == total else some
    beside = f", and {counted(others, 'other file')}, which stay as they are" if others else ""
    gone = f", and {counted(found.going, 'memory', 'memories')} deleted there since" if found.going else ""
    return f"{counted(total, 'memory', 'memories')}{coming}{gone}{beside}"


def _say_again(found: _Found) -> None:
    click.echo(
        f"Joined already: {shown(str(found.one.project))} shares its memories with {team_words.place(found.one)}."
    )


def _welcome(report: SyncReport, *, is_new: bool) -> None:
    for line in team_words.report(replace(report, held=()) if is_new else report):  # what is held was named before
        click.echo(line)
    if not report.in_order:
        said = "Joined, but not in step yet: the" if is_new else "Not in step: the"
        click.echo(f"{said} daemon goes on trying, and so does `memd team sync`.")
    elif is_new:
        click.echo("Joined: what stands in team/ is the team's from now on. `memd team status` shows how it stands.")


def _described(found: _Found, report: SyncReport | None) -> dict[str, Any]:
    return {
        **described(found.one),
        "joined_already": found.is_joined,
        "branch_exists": found.there.exists,
        "to_receive": found.coming,
        "to_delete": found.going,
        "to_send": [valid(path) for path in found.own],
        "held": [{"path": one.path, "rule": one.rule, "reason": one.reason} for one in found.here.held],
        **team_words.described_unshared(found.left),
        "sync": None if report is None else team_turn.described(report),
    }


def described(one: Membership) -> dict[str, Any]:
    """Put a membership into the shape that programs get."""
    return {
        "project": valid(str(one.project)),
        "memory_dir": valid(str(one.memory_dir)),
        "team_dir": valid(str(one.team)),
        "remote": git_address.shown(one.remote),
        "branch": one.branch,
        "by": one.by,
        "joined": one.joined,
    }

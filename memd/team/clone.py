"""memd's own repository for one membership: made, held by one sync at a time, and made anew where it is damaged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from memd import files
from memd.errors import LockedError
from memd.memory.membership import Membership
from memd.team import git, merging, objects
from memd.team.base import Base
from memd.team.git import Repository
from memd.team.house import House
from memd.team.nouns import GitError, TakenError

LOCK = "lock"

_ASIDE = "damaged"
_LOOSE = 1000  # objects, and
_PACKS = 30  # packs, and
_LARGE = 256 * files.MEGABYTE  # in packs, from which on the repository is put in order
_LONGEST = "10.minutes.ago"  # no sync takes longer: what nothing leads to by then was never kept
_TOP = (Path("refs/memd"), Path("objects/pack"), Path())


@contextmanager
def held(directory: Path, *, timeout: float = 0.0) -> Iterator[None]:
    """Hold a membership's directory, which is made where it is missing. TakenError after `timeout` seconds."""
    with files.open_directory(directory, create=True) as place:
        descriptor = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=place)
        try:
            with ExitStack() as stack:
                try:
                    stack.enter_context(files.locked(descriptor, timeout=timeout))
                except LockedError as error:
                    raise TakenError(str(error), hint=error.hint) from error
                yield
        finally:
            os.close(descriptor)


def of(house: House, membership: Membership) -> Repository:
    """Name the repository, whether it is there or not."""
    return Repository(path=membership.repository, environ=house.environ, seconds=house.patience)


def ready(house: House, membership: Membership) -> Repository:
    """Open the repository, made where it is missing. Call it with the directory held."""
    repository = of(house, membership)
    if not (repository.path / "HEAD").is_file():
        _make(repository)
    _clear_abandoned(repository.path)
    with files.open_directory(membership.directory) as place:
        files.clean_temporaries(place, levels=1)
    for abandoned in membership.directory.glob(f"{merging.SCRATCH}*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    return repository


def _make(repository: Repository) -> None:
    """Beside its place first, so that what a dead process left is never taken for a repository."""
    staged = repository.path.with_suffix(".new")
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(mode=0o700)
    new = replace(repository, path=staged)
    git.require_new_enough(new)
    git.local(new, "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=none")
    shutil.rmtree(repository.path, ignore_errors=True)
    staged.rename(repository.path)


def _clear_abandoned(path: Path) -> None:
    """Remove the locks and half packs of processes that were killed: nobody else works here."""
    for place in _TOP:
        with suppress(OSError), os.scandir(path / place) as found:
            for entry in found:
                if entry.name.endswith(".lock") or entry.name.startswith(("tmp_", "fast_import_crash")):
                    Path(entry.path).unlink()


def set_aside(membership: Membership) -> Path:
    """Put a damaged repository out of the way, where one can look at it; only the last one is kept."""
    aside = membership.directory / f"{membership.repository.name}.{_ASIDE}"
    shutil.rmtree(aside, ignore_errors=True)
    with suppress(FileNotFoundError):
        membership.repository.rename(aside)
    return aside


def is_sound(repository: Repository) -> bool:
    """Whether all that the refs stand for can be read, as far as that can be told: a look broken off tells nothing."""
    try:
        done = git.attempt(repository, "fsck", "--no-dangling", "--no-progress")
    except GitError:
        return False
    return done.code == 0 or done.stopped is not None


def rebased(repository: Repository, old: Base, remote: str | None) -> Base:
    """Find in a new clone what live files and repository had in common before; as little as is certain.

    What is not certain is neither taken for deleted nor for unchanged, so that no edit is lost. Where a file was left
    aside, what stands here is older than what the remote had.
    """
    if remote is None or old.aside:
        return Base()
    before = (one for one in (old.commit, old.remote) if one and objects.is_known(repository, one))
    known = next((one for one in before if objects.is_ancestor(repository, one, remote)), None)
    if known is None:
        return Base()
    there = {entry.path: entry.oid for entry in objects.listing(repository, known)}
    kept = {path: there[path] for path in old.files if path in there}
    return Base(commit=known, remote=known, files=kept, left=old.left)


def tidy(membership: Membership, repository: Repository) -> None:
    """Pack what has piled up. It may fail: there is another time."""
    with suppress(GitError, OSError):
        if _is_untidy(repository.path):
            shutil.rmtree(membership.directory / f"{membership.repository.name}.{_ASIDE}", ignore_errors=True)
            git.local(repository, "-c", "gc.packRefs=false", "gc", "--quiet", f"--prune={_LONGEST}")


def _is_untidy(path: Path) -> bool:
    packs = [size for name, size in _sizes(path / "objects" / "pack") if name.endswith(".pack")]
    return len(packs) > _PACKS or sum(packs) > _LARGE or len(_names(path / "objects" / "17")) * 256 > _LOOSE


def _sizes(directory: Path) -> list[tuple[str, int]]:
    try:
        return [(entry.name, entry.stat().st_size) for entry in directory.iterdir()]
    except FileNotFoundError:
        return []


def _names(directory: Path) -> list[str]:
    try:
        return [entry.name for entry in directory.iterdir()]
    except FileNotFoundError:
        return []

"""A remote on loopback, and machines that sync with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.git_remote import Server, bare, serving
from tests.fakes.team_home import Machine, long_text, memory

Machines = Callable[[str], Machine]
Pairs = Callable[..., tuple[Machine, Machine]]


@pytest.fixture(scope="module")
def daemon(homes: Iterator[Path]) -> Iterator[Server]:
    """One `git daemon` for a module's tests, and another where the rest of them run after those of other modules."""
    root = next(homes) / "remotes"
    root.mkdir(parents=True)
    with serving(root) as server:
        yield server


@pytest.fixture
def remote(daemon: Server, home: Path) -> Path:
    """An empty repository of the test's own, below the server's root."""
    return bare(daemon.root / f"{home.name}.git")


@pytest.fixture
def machine(daemon: Server, remote: Path, home: Path) -> Machines:
    """Machines by their name."""

    def make(name: str) -> Machine:
        place = home / name
        place.mkdir(exist_ok=True)
        return Machine(home=place, remote=daemon.url(remote.name))

    return make


@pytest.fixture(scope="module")
def made(daemon: Server) -> Callable[[tuple[str, ...]], Path]:
    """Directories with two machines and a remote that all have the same files; made once a module."""
    known: dict[tuple[str, ...], Path] = {}

    def make(paths: tuple[str, ...]) -> Path:
        if paths not in known:
            place = daemon.root.parent / f"pair{len(known)}"
            place.mkdir()
            known[paths] = place
            remote = bare(daemon.root / f"{place.name}.git")
            for name in ("ana", "bo"):
                (place / name).mkdir()
                mate = Machine(home=place / name, remote=daemon.url(remote.name))
                for path in paths if name == "ana" else ():
                    mate.write(path, memory(path[:-3], long_text()))
                assert mate.sync().in_order
            remote.rename(place / "remote.git")
        return known[paths]

    return make


@pytest.fixture
def pair(made: Callable[[tuple[str, ...]], Path], machine: Machines, remote: Path, home: Path) -> Pairs:
    """Two machines, ana and bo, that both have these files by way of `remote`."""

    def make(*paths: str) -> tuple[Machine, Machine]:
        place = made(paths)
        for source, target in (("remote.git", remote), ("ana", home / "ana"), ("bo", home / "bo")):
            shutil.copytree(place / source, target, dirs_exist_ok=True, copy_function=shutil.copy2)
        return machine("ana"), machine("bo")

    return make

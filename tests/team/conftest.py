"""A remote on loopback, and machines that sync with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.git_remote import Server, bare, serving
from tests.fakes.team_home import Machine


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One `git daemon` for a module's tests."""
    with serving(tmp_path_factory.mktemp("remotes")) as server:
        yield server


@pytest.fixture
def remote(daemon: Server, home: Path) -> Path:
    """An empty repository of the test's own, below the server's root."""
    return bare(daemon.root / f"{home.name}.git")


@pytest.fixture
def machine(daemon: Server, remote: Path, home: Path) -> Callable[[str], Machine]:
    """Machines by their name."""

    def make(name: str) -> Machine:
        place = home / name
        place.mkdir(exist_ok=True)
        return Machine(home=place, remote=daemon.url(remote.name))

    return make

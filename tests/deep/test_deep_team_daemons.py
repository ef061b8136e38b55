"""Three machines with real daemons that edit at random, are killed and cut off: in the end all have the same."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fakes.git_remote import Server, bare, git, serving
from tests.fakes.team_mate import Daemon, mate, until

pytestmark = [pytest.mark.deep, pytest.mark.timeout(900)]

NAMES = ("ana", "bo", "chi")
ROUNDS = 60
OFTEN = {"MEMD_TEAM_PULL": "1s"}
SHARED = ("project_freeze.md", "reference_board.md")
WELL = ("team_synced", "team_sync_failed", "team_sync_restored", "team_sync_ended")


class World:
    """The machines, their daemons, and the server."""

    def __init__(self, home: Path, server: Server, stack: ExitStack) -> None:
        self.server, self.stack = server, stack
        self.remote = bare(server.root / "team.git")
        self.mates = {name: mate(home.resolve() / name) for name in NAMES}
        for one in self.mates.values():
            one.join(server.url())
        self.daemons = {name: self.start(name) for name in NAMES}
        self.own: dict[str, str | None] = {}  # what its one author last wrote into a file, None: deleted it

    def start(self, name: str) -> Daemon:
        """Run one's daemon."""
        return self.stack.enter_context(self.mates[name].daemon(**OFTEN))

    def edit(self, name: str, number: int) -> None:
        """A file that nobody else touches."""
        path = f"project_{name}_{number % 7}.md"
        self.own[path] = f"Edit {number} by {name}"
        self.mates[name].write(path, f"Edit {number} by {name}")

    def delete(self, name: str, number: int) -> None:
        """Delete such a file, where it is there."""
        path = f"project_{name}_{number % 7}.md"
        if (file := self.mates[name].team / path).exists():
            file.unlink()
            self.own[path] = None

    def clash(self, name: str, number: int) -> None:
        """A file that all of them write."""
        self.mates[name].write(SHARED[number % 2], f"{name} says {number}")

    def kill(self, name: str, _number: int) -> None:
        """One's daemon dies, and another is started."""
        self.daemons[name].stop(signal.SIGKILL)
        self.daemons[name] = self.start(name)

    def cut(self, _name: str, _number: int) -> None:
        """Nobody reaches the remote any more."""
        self.server.stop()

    def mend(self, _name: str, _number: int) -> None:
        """Everybody does again."""
        self.server.start()

    def files(self, name: str) -> dict[str, str]:
        """What one has, but for the index. What goes while one looks is not there."""
        mate = self.mates[name]
        texts = {path.name: mate.text(path.name) for path in mate.team.glob("*.md") if path.name != "MEMORY.md"}
        return {path: text for path, text in texts.items() if text}

    def agree(self) -> bool:
        """Whether all have the same, every author's last word in it."""
        first, *others = (self.files(name) for name in NAMES)
        kept = {path: words for path, words in self.own.items() if words is not None}
        return (
            all(other == first for other in others)
            and set(first) - set(SHARED) == set(kept)
            and all(words in first[path] for path, words in kept.items())
        )


@pytest.fixture
def world(home: Path, tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(home, stack.enter_context(serving(tmp_path)), stack)


@pytest.mark.parametrize("seed", [1, 2])
def test_in_the_end_all_have_the_same(world: World, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test that can be repeated
    steps: list[Callable[[str, int], None]] = [
        *[world.edit] * 8, *[world.delete] * 2, *[world.clash] * 3, world.kill, world.cut, *[world.mend] * 2,
    ]  # fmt: skip
    for number in range(ROUNDS):
        chance.choice(steps)(chance.choice(NAMES), number)
        if number % 6 == 5:
            known = _done(world)
            until(lambda before=known: not world.server.process or _done(world) > before or world.agree())  # type: ignore[misc]
    world.server.start()
    until(world.agree)
    names = git(world.remote, "ls-tree", "-r", "--name-only", "memd").split()
    assert set(names) == set(world.files("ana"))


def _done(world: World) -> int:
    return sum(len(one.logged(event)) for one in world.daemons.values() for event in WELL)

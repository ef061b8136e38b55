"""Three machines, one remote, and everything that can happen to them at once: they come to the same, and lose nothing.

Every edit carries a mark of its own. An edit is acknowledged once a sync that came after it ended, well or not, unless
it was killed or found another at work. In the end each such mark stands live, or in the history of a machine, or was
overwritten or deleted by somebody who had it; what lost a conflict is flagged in the log. What was planted as a secret
stands in no object of the remote.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memd.team.nouns import Outcome
from tests.fakes.git_remote import Server, bare, git, serving
from tests.fakes.team_home import BRANCH, Machine, memory, told

NAMES = [f"{name}.md" for name in ("api", "ui", "db", "ops", "billing/invoices", "billing/tax", "docs", "ci")]
LINES = 12
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
MARK = re.compile(rb"mark-[a-z]+-\d+")


@dataclass(slots=True)
class Story:
    """What was done so far, by a generator of random numbers whose seed is told."""

    rng: random.Random
    mates: list[Machine]
    server: Server
    also: str = ""  # what happens beside the usual: "blocked", "damaged", "rewritten"
    edits: int = 0
    safe: set[bytes] = field(default_factory=set)  # marks that were acknowledged
    dropped: set[bytes] = field(default_factory=set)  # marks that a person overwrote or deleted
    secrets: list[str] = field(default_factory=list)
    running: list[tuple[Machine, subprocess.Popen[str], set[bytes]]] = field(default_factory=list)

    def mark(self, mate: Machine) -> bytes:
        """A word that stands nowhere else."""
        self.edits += 1
        return f"mark-{mate.home.name}-{self.edits}".encode()

    def edit(self, mate: Machine) -> None:
        """Change a line, or write a file that is not there."""
        path = self.free(mate)
        before = mate.files().get(path)
        if before is None:
            text = "\n".join(f"Line {number} of {path} as it was." for number in range(LINES))
            self.put(mate, path, memory(Path(path).stem, text) + b"\n" + self.mark(mate) + b"\n")
            return
        lines = before.split(b"\n")
        places = [number for number, line in enumerate(lines) if line.startswith((b"Line", b"mark-"))] or [-1]
        lines[self.rng.choice(places)] = self.mark(mate)
        self.put(mate, path, b"\n".join(lines))

    def free(self, mate: Machine) -> str:
        """A file's place in which no directory stands."""
        return self.rng.choice([path for path in NAMES if not (mate.team / path).is_dir()])

    def put(self, mate: Machine, path: str, data: bytes) -> None:
        """Save a file; what it no longer says was taken out on purpose."""
        before = set(MARK.findall(mate.files().get(path, b"")))
        self.dropped |= before - set(MARK.findall(data))
        mate.write(path, data)

    def delete(self, mate: Machine) -> None:
        """Delete a file."""
        if found := sorted(mate.files()):
            path = self.rng.choice(found)
            self.dropped |= set(MARK.findall(mate.files()[path]))
            mate.remove(path)

    def rename(self, mate: Machine) -> None:
        """Give a file another name, unless one has it."""
        if found := sorted(mate.files()):
            path, target = self.rng.choice(found), self.free(mate)
            if target not in found:
                (mate.team / target).parent.mkdir(exist_ok=True)
                (mate.team / path).rename(mate.team / target)

    def leak(self, mate: Machine) -> None:
        """Put a secret into a file, until somebody takes it out."""
        token = "ghp_" + "".join(self.rng.choice(ALPHABET) for _ in range(36))
        self.secrets.append(token)
        path = self.free(mate)
        before = mate.files().get(path) or memory(Path(path).stem, "New.")
        mate.write(path, before + f"\nThe token is {token}.\n".encode())

    def mend(self, mate: Machine) -> None:
        """Take the secrets out again."""
        for path, data in mate.files().items():
            clean = re.sub(rb"\n?The token is [^\n]*\n?", b"", data)
            if clean != data:
                mate.write(path, clean)

    def sync(self, mate: Machine) -> None:
        """Sync to the end."""
        self.end(mate)
        before = seen(mate)
        report = mate.sync()
        assert report.outcome is not Outcome.FAILED
        self.safe |= set() if report.elsewhere else before

    def start(self, mate: Machine) -> None:
        """Begin a sync that goes on beside what comes next."""
        self.end(mate)
        self.running.append((mate, mate.start(), seen(mate)))

    def end(self, mate: Machine) -> None:
        """Wait for a machine's syncs."""
        for one in [one for one in self.running if one[0] is mate]:
            report = told(one[1])
            if report and report["outcome"] != Outcome.FAILED and not report["elsewhere"]:
                self.safe |= one[2]
            self.running.remove(one)

    def kill(self, mate: Machine) -> None:
        """Sync, and be killed at a random moment."""
        self.end(mate)
        process = mate.start()
        with suppress(subprocess.TimeoutExpired):
            process.wait(self.rng.uniform(0.2, 1.5))
        process.kill()
        process.communicate()

    def cut(self, mate: Machine) -> None:
        """Lose the remote in the middle, and find it again."""
        self.start(mate)
        with suppress(subprocess.TimeoutExpired):
            self.running[-1][1].wait(self.rng.uniform(0.1, 0.8))
        self.server.stop()
        self.end(mate)
        if self.rng.random() < 0.5:
            other = self.rng.choice(self.mates)
            self.edit(other)
            self.sync(other)
        self.server.start()

    def block(self, mate: Machine) -> None:
        """A directory where a file may come; or it goes again."""
        there = [path for path in NAMES if (mate.team / path).is_dir()]
        free = [path for path in NAMES if not (mate.team / path).exists()]
        if there:
            (mate.team / self.rng.choice(there)).rmdir()
        elif free:
            (mate.team / self.rng.choice(free)).mkdir(parents=True)

    def damage(self, mate: Machine) -> None:
        """Lose memd's own repository."""
        self.end(mate)
        shutil.rmtree(mate.membership.repository, ignore_errors=True)

    def rewrite(self, _: Machine) -> None:
        """Somebody sets the branch back, or deletes it."""
        remote = self.server.root / "team.git"
        known = git(remote, "rev-list", "--all", "--max-count=6").split()
        if len(known) > 1 and self.rng.random() < 0.7:
            git(remote, "update-ref", f"refs/heads/{BRANCH}", self.rng.choice(known[1:]))
        elif known:
            git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")

    def step(self) -> None:
        """Do something."""
        mate = self.rng.choice(self.mates)
        kinds = [self.edit] * 8 + [self.sync] * 6 + [self.start] * 3 + [self.delete, self.rename, self.kill, self.kill]
        kinds += [self.leak, self.leak, self.mend, self.mend, self.cut]
        also = {"blocked": self.block, "damaged": self.damage, "rewritten": self.rewrite}.get(self.also)
        self.rng.choice(kinds if also is None else [*kinds, self.block, also])(mate)

    def settle(self) -> None:
        """Let all of them come to rest."""
        for mate in self.mates:
            self.end(mate)
            self.mend(mate)
            for path in NAMES:
                if (mate.team / path).is_dir():
                    (mate.team / path).rmdir()
        for _ in range(4):
            for mate in self.mates:
                self.sync(mate)
        for mate in self.mates:
            assert mate.sync().outcome is Outcome.NOTHING


def seen(mate: Machine) -> set[bytes]:
    """The marks that stand in files without a secret."""
    return {mark for data in mate.files().values() if b"ghp_" not in data for mark in MARK.findall(data)}


def kept(mates: list[Machine]) -> set[bytes]:
    """The marks that stand in a history, in a version of a file of which that machine's log says that it lost."""
    return {mark for mate in mates for mark in _flagged(mate)}


def _flagged(mate: Machine) -> Iterator[bytes]:
    log = "".join(one.read_text() for one in mate.memory_dir.glob("logs/*/*/*.md"))
    for one in mate.paths.history.glob("*/before/team/**/*.md"):
        if f"so said {str(one).partition('/before/')[2]} here" in log:
            yield from MARK.findall(one.read_bytes())


def everything(remote: Path) -> Iterator[bytes]:
    """Every object of a repository, whatever its kind, and every name."""
    listed = git(remote, "rev-list", "--objects", "--all", "--reflog")
    yield listed.encode()
    loose = git(remote, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    known = {line.split(" ")[0] for line in listed.splitlines()} | set(loose)
    for oid in sorted(known):
        kind = git(remote, "cat-file", "-t", oid)
        yield git(remote, "cat-file", kind, oid).encode("utf-8", "surrogateescape")


def play(place: Path, seed: int, steps: int, also: str = "") -> None:
    print(f"seed {seed}, {steps} operations, {also or 'the usual'}")  # noqa: T201 - to find out what went wrong
    (place / "remotes").mkdir()
    with serving(place / "remotes") as server:
        remote = bare(server.root / "team.git")
        mates = []
        for name in ("ana", "bo", "cy"):
            (place / name).mkdir()
            mates.append(Machine(home=place / name, remote=server.url(), patience=60))
        story = Story(rng=random.Random(seed), mates=mates, server=server, also=also)  # noqa: S311 - nothing is guarded by it
        for _ in range(steps):
            story.step()
        story.settle()
        require_all(story, remote)


def require_all(story: Story, remote: Path) -> None:
    ana, bo, cy = (mate.files() for mate in story.mates)
    assert ana == bo == cy
    listed = git(remote, "ls-tree", "-r", "--name-only", BRANCH).split() if story.edits else []
    assert sorted(ana) == sorted(listed)
    live = {mark for data in ana.values() for mark in MARK.findall(data)}
    lost = story.safe - live - story.dropped - kept(story.mates)
    assert not lost, lost
    assert len(story.safe) > story.edits / 4, "hardly anything was ever acknowledged: this shows nothing"
    found = [secret for secret in story.secrets for data in everything(remote) if secret.encode() in data]
    assert not found
    git(remote, "fsck", "--strict")


@pytest.mark.parametrize("seed", [1])
def test_three_machines_for_a_while(home: Path, seed: int) -> None:
    play(home, seed, 40)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_three_machines_for_long(home: Path, seed: int) -> None:
    play(home, seed, 300)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("seed", "also"), [(21, "blocked"), (31, "damaged"), (41, "rewritten")])
def test_three_machines_in_bad_times(home: Path, seed: int, also: str) -> None:
    play(home, seed, 120, also)

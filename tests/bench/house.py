"""A home full of conversations, and the daemon in it, for measuring."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from uuid import UUID

from memd import config
from tests.bench import measure, transcript

MEMD = (sys.executable, "-c", "import sys; from memd.cli.main import main; sys.exit(main())")
NEVER = {"MEMD_EXTRACT_QUIET": "24h", "MEMD_EXTRACT_STALLED": "24h"}  # no conversation is over while one measures
_IN_A_PROJECT = 100  # transcripts
_DAY = 86400.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A temporary home and the places in it."""

    home: Path

    @property
    def projects(self) -> Path:
        """Where the transcripts are."""
        return self.home / ".claude" / "projects"

    @property
    def ledger(self) -> Path:
        """Where memd keeps its ledger for this home."""
        return config.load(self.environ()).paths.ledger

    def environ(self, **variables: str) -> dict[str, str]:
        """What a daemon of this home is told."""
        return measure.environ_of(self.home, **variables)

    def path(self, number: int) -> Path:
        """The transcript with that number."""
        return self.projects / f"-p-{number // _IN_A_PROJECT}" / f"{UUID(int=number)}.jsonl"

    def fill(self, count: int) -> None:
        """Write so many conversations, all of them from yesterday and before."""
        words = b"".join(islice(transcript.turns(), 1))[:4096]
        whole = words[: words.rfind(b"\n") + 1]
        for number in range(count):
            path = self.path(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(whole)
            os.utime(path, (time.time() - 2 * _DAY,) * 2)


@contextmanager
def furnished(count: int) -> Iterator[House]:
    """A home with so many conversations, gone afterwards."""
    with measure.temporary_home() as home:
        house = House(home=home)
        house.projects.mkdir(parents=True)
        house.fill(count)
        yield house


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A daemon that is ready."""

    pid: int
    ready_after: float  # seconds
    log: Path

    def logged(self, event: str) -> int:
        """How often it has logged this."""
        return self.log.read_bytes().count(json.dumps(event).encode())


@contextmanager
def daemon(house: House, variables: Mapping[str, str]) -> Iterator[Daemon]:
    """The real one, once it has said that it is ready; ended afterwards."""
    told, log = house.home / "notify", house.home / "log"
    told.unlink(missing_ok=True)
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as ears:
        ears.bind(str(told))
        ears.settimeout(300)
        environ = house.environ(NOTIFY_SOCKET=str(told), **variables)
        began = time.perf_counter()
        with measure.process((*MEMD, "run"), environ, log) as running:
            while ears.recv(100) != b"READY=1":
                pass
            yield Daemon(pid=running.pid, ready_after=time.perf_counter() - began, log=log)


@contextmanager
def sizes(house: House) -> Iterator[sqlite3.Connection]:
    """The ledger, for looking only."""
    with closing(sqlite3.connect(f"file:{house.ledger}?mode=ro", uri=True, isolation_level=None)) as db:
        yield db


def seen(db: sqlite3.Connection, path: Path) -> int:
    """The size at which the daemon has last seen a transcript; 0: never."""
    row = db.execute("SELECT size FROM sessions WHERE path = ?", (str(path),)).fetchone()
    return 0 if row is None else int(row[0])

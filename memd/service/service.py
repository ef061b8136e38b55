"""The nouns: what is to run, how it stands, and what any service manager can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What is to run, and what it may touch. All paths are absolute."""

    command: tuple[str, ...]  # without the verb
    home: Path
    environment_file: Path
    temporary: Path  # for files that live for moments
    writable: tuple[Path, ...]
    hidden: tuple[Path, ...]
    sockets: tuple[str, ...] | None = None  # hidden, too, in the runtime directory; None: those of the shipped unit


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a service stands."""

    installed: bool  # its files are there
    enabled: bool = False  # it starts by itself
    running: bool = False
    pid: int | None = None
    detail: str = ""  # the manager's own words for it
    restarts: int = 0  # since it was started by hand


class Manager(Protocol):
    """Who starts and stops services on this system."""

    name: str  # for people
    environ: Mapping[str, str]  # in which its tools are run

    def trouble(self) -> str | None:
        """Why no service can be installed here, with what to do; None: it can."""

    def files(self, service: Service) -> dict[Path, bytes]:
        """What has to stand where."""

    def own(self) -> tuple[Path, ...]:
        """Those of them that stand there now."""

    def steps(self) -> tuple[str, ...]:
        """What `start` does, as a person would type it."""

    def start(self) -> None:
        """Take the files in, and start it anew, now and at every login. Raises MemdError with what it said."""

    def stop(self) -> None:
        """End it and start it no more; nothing happens where it is not known. Raises MemdError."""

    def taken_out(self) -> None:
        """Forget about files that have been deleted."""

    def state(self) -> State:
        """How it stands now."""

    def credentials(self) -> dict[str, str]:
        """The variables that it gives the daemon besides those of the file."""

    def log(self, lines: int, *, follow: bool) -> tuple[str, ...] | None:
        """A command that prints the last lines of its log, and with `follow` those to come; None: there is none."""

    def advice(self) -> tuple[str, ...]:
        """What a person should know about when it runs."""

"""The hook that agents start at each event, beside the bare interpreter: `bench_hook.py [--smoke]`."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

from memd import hook
from memd.memory import topic
from memd.memory.topic import TopicType
from tests.bench import measure
from tests.bench.measure import Pair, Row, say, side_by_side

_BARE = (sys.executable, "-I", "-S", "-E", "-c", "pass")
_HOOK = (sys.executable, "-I", "-S", "-E", str(Path(hook.__file__)))
_COMMAND = (sys.executable, "-m", "memd.cli.main", "hook")
_MEMORIES = 200
_WORST = 2.0  # bare interpreters, in 99 cases of 100


def rows(smoke: bool) -> Iterator[Row]:  # noqa: FBT001 - the one switch of every script
    """The hook with a daemon, without one, and with one that hangs."""
    rounds = 5 if smoke else 200
    with measure.temporary_home() as home:
        environ = measure.environ_of(home, MEMD_BACKEND="offline")
        project = _prepare(home, 20 if smoke else _MEMORIES)
        yield from _rows("without a daemon", environ, project, rounds)
        with measure.process((sys.executable, "-m", "memd.cli.main", "run"), environ, home / "log"):
            measure.until(_control(home).exists)
            measure.until(lambda: _run(_HOOK, "UserPromptSubmit", environ, project, session="ready"))
            yield from _rows("with a daemon", environ, project, rounds)
            answers = [_run(_HOOK, "UserPromptSubmit", environ, project, session=f"n{n}") for n in range(rounds)]
            say(f"  {sum(map(bool, answers))} of {rounds} sessions were told of a memory in time")
        with _hanging(home):
            pair = side_by_side(lambda: _timed(_HOOK, environ, project), lambda: _timed(_BARE, environ, project), 5)
            yield pair.row("hook, with a daemon that hangs | bare interpreter", (hook.SECONDS + 0.1) / pair.limit)
        pair = side_by_side(lambda: _timed(_COMMAND, environ, project), lambda: _timed(_BARE, environ, project), 3)
        yield pair.row("the same as a command by name | bare interpreter", 30.0)


def _rows(how: str, environ: Mapping[str, str], project: Path, rounds: int) -> Iterator[Row]:
    own: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        own.append(_timed(_HOOK, environ, project, session=f"{how}{number}"))
        bare.append(_timed(_BARE, environ, project))
    half = Pair(measured=_at(own, 50), limit=_at(bare, 50), ratio=_at(own, 50) / _at(bare, 50))
    yield half.row(f"hook, {how} | bare interpreter, median", 1.2)
    say(f"  {how}, of 20 the fastest: {_at(own, 5) * 1e3:.1f} ms against {_at(bare, 5) * 1e3:.1f} ms")
    worst = Pair(measured=_at(own, 99), limit=_at(bare, 99), ratio=_at(own, 99) / _at(bare, 99))
    yield worst.row(f"hook, {how} | bare interpreter, of 100 the slowest", _WORST)


def _at(times: list[float], percent: int) -> float:
    return quantiles(times, n=100, method="inclusive")[percent - 1]


def _timed(command: tuple[str, ...], environ: Mapping[str, str], project: Path, session: str = "s") -> float:
    return measure.timed(_asking(command, "UserPromptSubmit", environ, project, session=session))


def _run(command: tuple[str, ...], event: str, environ: Mapping[str, str], project: Path, *, session: str) -> bytes:
    return _asking(command, event, environ, project, session=session)()


def _asking(
    command: tuple[str, ...], event: str, environ: Mapping[str, str], project: Path, *, session: str
) -> Callable[[], bytes]:
    said = {"session_id": session, "cwd": str(project), "prompt": "what about rule 7 and the linter on Fridays?"}
    payload = json.dumps(said).encode()

    def run() -> bytes:
        arguments = command if command is _BARE else (*command, event)
        return subprocess.run(arguments, input=payload, env=dict(environ), stdout=subprocess.PIPE, check=True).stdout

    return run


def _prepare(home: Path, count: int) -> Path:
    """A project with so many memories."""
    project = home.resolve() / "project"
    project.mkdir()
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(project))
    memory = home / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    for number in range(count):
        said = f"rule {number}: words{number % 17} of rule words{number % 29}"
        (memory / f"feedback_rule_{number}.md").write_bytes(topic.render(f"r-{number}", said, TopicType.FEEDBACK, said))
    return project


def _control(home: Path) -> Path:
    return home / ".local" / "state" / "memd" / "control.sock"


@contextmanager
def _hanging(home: Path) -> Iterator[None]:
    """Something at the daemon's place that takes connections and never says a word."""
    path = _control(home)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen(64)
        yield


if __name__ == "__main__":
    measure.main("The hook", rows)

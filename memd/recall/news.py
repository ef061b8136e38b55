"""The line a session begins with where something was learned since the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memd.errors import MemdError
from memd.ledger import Ledger, Run
from memd.memory.layout import INDEX

_BY_ITSELF = frozenset({"extract", "dream"})  # kinds of run that nobody asked for
_UNDO = "undo"
_LOOKED_AT = 200  # runs
_NAMED = 3  # files
_AGE = 7 * 86_400.0  # seconds: what is news in a project whose sessions were never told any


@dataclass(frozen=True, slots=True)
class _Place:
    memory_dir: Path
    history: Path
    now: datetime  # aware, local


def tell(ledger: Ledger, memory_dir: Path, runs: Path, now: datetime) -> str | None:
    """The line, None where there is no news; from now on it is told. `runs` is the directory of the history."""
    mark = f"told:{memory_dir}"
    told = ledger.meta(mark)
    since = float(told) if told else now.timestamp() - _AGE
    line = _line(ledger.runs(_LOOKED_AT), _Place(memory_dir, runs, now), since, known=told is not None)
    ledger.set_meta(mark, str(now.timestamp()))
    return line


def _line(runs: Sequence[Run], place: _Place, since: float, *, known: bool) -> str | None:
    recent = [run for run in runs if (run.ended or 0.0) > since and run.memory_dir == str(place.memory_dir)]
    undone = {_undoes(run, place.history) for run in recent if run.kind == _UNDO}
    good = [run for run in recent if run.kind in _BY_ITSELF and run.id not in undone]
    files = dict.fromkeys(path for run in good for path in run.files if path != INDEX and _is_there(path, place))
    if not files:
        return None
    latest = next(run for run in good if any(path in files for path in run.files))
    names = ", ".join(list(files)[:_NAMED]) + (", …" if len(files) > _NAMED else "")
    when = f" since {_at(since, place.now)}" if known else ""
    things = "1 thing" if len(files) == 1 else f"{len(files)} things"
    more = " (the latest run; memd history shows the others)" if len(good) > 1 else ""
    return f"memd learned {things}{when}: {names} · memd undo {latest.id}{more}"


def _is_there(path: str, place: _Place) -> bool:
    return path.endswith(".md") and not path.startswith("logs/") and (place.memory_dir / path).is_file()


def _undoes(run: Run, runs: Path) -> int | None:
    from memd.memory import history  # noqa: PLC0415 - hardly ever needed, and the daemon stays small

    try:
        return history.load(run.id, history=runs).run.undoes
    except (MemdError, OSError):
        return None


def _at(seconds: float, now: datetime) -> str:
    """A moment in the local time of `now`, without the day where that is today."""
    then = datetime.fromtimestamp(seconds, now.tzinfo)
    return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"

"""What is kept for so long and no longer: rows of the ledger, runs of the history."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memd.ledger import Ledger


def clear(ledger: Ledger, history: Path, keep: float) -> None:
    """Drop what is older than so many seconds, by the ledger's date."""
    today = ledger.today()
    oldest = today - keep
    ledger.forget_before(oldest)
    ledger.drop_gone(_gone(ledger), today=today, before=oldest)
    ledger.drop_spend(oldest)
    ledger.drop_dreams((one.memory_dir for one in ledger.all_dreamt() if _is_no_more(Path(one.memory_dir))), oldest)
    if _has_older(history, oldest):
        from memd.memory import retention  # noqa: PLC0415 - a daemon at rest stays small

        retention.prune(history, today=datetime.fromtimestamp(today, UTC), keep=timedelta(seconds=keep))


def _gone(ledger: Ledger) -> Iterator[str]:
    """The conversations whose transcripts are not there, by key: each directory is read once, as there may be many.

    Only where others of the same root are there: a disk that is away looks as if all of it were deleted, and what comes
    back with it must be known, lest it be read anew and what a person deleted be back.
    """
    keys: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for key, path in ledger.transcripts():
        directory, _, name = path.rpartition("/")
        keys[directory].append((key, name))
    seen = {directory: _names(directory) for directory in keys}
    told = {_root(directory) for directory, there in seen.items() if there and _holds_any(there)}
    for directory, expected in keys.items():
        there = seen[directory] if _root(directory) in told else None
        yield from (key for key, name in expected if there is not None and name not in there)


def _root(directory: str) -> str:
    return directory.rpartition("/")[0]


def _holds_any(names: frozenset[str]) -> bool:
    return any(name.endswith(".jsonl") for name in names)


def _is_no_more(memory_dir: Path) -> bool:
    """Whether a memory directory was removed, and not the disk with all of its project's root."""
    if _names(str(memory_dir)) != frozenset():
        return False
    nearest = next((one for one in memory_dir.parents if one.exists()), None)
    return all(_names(str(one)) for one in (nearest, memory_dir.parent.parent))


def _names(directory: str) -> frozenset[str] | None:
    """What stands in a directory; None: nobody can tell now."""
    try:
        with os.scandir(directory) as entries:
            return frozenset(one.name for one in entries)
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()
    except OSError:
        return None


def _has_older(directory: Path, when: float) -> bool:
    """Whether anything in a directory has not been changed since `when`."""
    try:
        return any(one.lstat().st_mtime < when for one in directory.iterdir())
    except OSError:  # there is no such directory, or somebody deletes in it right now
        return False

"""What is kept for so long and no longer: rows of the ledger, runs of the history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from memd.ledger import Ledger


def clear(ledger: Ledger, history: Path, keep: float) -> None:
    """Drop what is older than so many seconds, by the ledger's date."""
    today = ledger.today()
    oldest = today - keep
    ledger.forget_before(oldest)
    if _has_older(history, oldest):
        from memd.memory import retention  # noqa: PLC0415 - a daemon at rest stays small

        retention.prune(history, today=datetime.fromtimestamp(today, UTC), keep=timedelta(seconds=keep))


def _has_older(directory: Path, when: float) -> bool:
    """Whether anything in a directory has not been changed since `when`."""
    try:
        return any(one.lstat().st_mtime < when for one in directory.iterdir())
    except OSError:  # there is no such directory, or somebody deletes in it right now
        return False

"""What the journal of a pass says about the ledger, so that recovery can move the cursor too."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from memd.extract.window import Window
from memd.ledger import Ledger, Run
from memd.memory.store import RunNote
from memd.transcripts import cursor as cursors


def write(new: Window, run: Run) -> dict[str, Any]:
    """Name the cursor, the messages dealt with, and the run, as JSON."""
    return {"cursor": cursors.dumps(new.cursor), "uuids": list(new.uuids), "run": asdict(run)}


def recover(ledger: Ledger, note: RunNote) -> None:
    """Commit what a process that died after writing memory did not come to commit."""
    if not isinstance(note.cursor, dict):
        return  # a change by hand: no conversation's cursor hangs on it
    if "dream" in note.cursor:
        ledger.recover_dream(note.cursor)
        return
    run = Run(**(note.cursor["run"] | {"files": tuple(note.cursor["run"]["files"])}))
    ended = note.ended.timestamp() if note.ended else ledger.now()
    ledger.recover_pass(cursor=note.cursor["cursor"], uuids=note.cursor["uuids"], run=replace(run, ended=ended))

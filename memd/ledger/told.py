"""The ledger's part about running sessions: what their hooks forwarded, and what they were shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from memd.ledger.part import Part

_PUT = """
INSERT INTO told VALUES(:key, :variables, :surfaced, :size, :tools, :at)
ON CONFLICT(key) DO UPDATE SET variables = excluded.variables, surfaced = excluded.surfaced, size = excluded.size,
  tools = excluded.tools, at = excluded.at
"""
_KEPT = 2000  # sessions: the last ones that were heard of


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One session, as its hooks know it."""

    key: str  # the conversation's, as in Session
    variables: Mapping[str, str] | None = None  # of the session's environment; None: no hook forwarded them
    surfaced: tuple[str, ...] = ()  # absolute paths of the memories that it was shown
    size: int = 0  # bytes of them together
    tools: tuple[str, ...] = field(default=())  # that it used, the last one last


class ToldSessions(Part):
    """What hooks said and were told; losing it costs a repetition."""

    def told(self, key: str) -> Told:
        """What is known of a session, perhaps nothing."""
        row = self._db.execute("SELECT * FROM told WHERE key = ?", (key,)).fetchone()
        return Told(key=key) if row is None else _told(row)

    def told_lately(self, since: float, most: int) -> tuple[tuple[Told, str], ...]:
        """The sessions heard of since then whose directory is known, with that, the latest first."""
        rows = self._db.execute(
            "SELECT told.*, sessions.cwd FROM told JOIN sessions USING(key) WHERE at >= ? AND cwd IS NOT NULL "
            "ORDER BY at DESC LIMIT ?",
            (since, most),
        )
        return tuple((_told(row), row["cwd"]) for row in rows)

    def tell(self, told: Told) -> None:
        """Keep what a session has been told by now."""
        with self._write() as db:
            db.execute(_PUT, _fields(told) | {"at": self.now()})
            db.execute("DELETE FROM told WHERE at < (SELECT at FROM told ORDER BY at DESC LIMIT 1 OFFSET ?)", (_KEPT,))


def _fields(told: Told) -> dict[str, object]:
    return {
        "key": told.key,
        "variables": None if told.variables is None else json.dumps(dict(told.variables)),
        "surfaced": json.dumps(told.surfaced),
        "size": told.size,
        "tools": json.dumps(told.tools),
    }


def _told(row: sqlite3.Row) -> Told:
    return Told(
        key=row["key"],
        variables=None if row["variables"] is None else json.loads(row["variables"]),
        surfaced=tuple(json.loads(row["surfaced"])),
        size=row["size"],
        tools=tuple(json.loads(row["tools"])),
    )

"""The ledger's part about workers: a few slots for all that run on this host."""

from __future__ import annotations

from memd.ledger import process
from memd.ledger.part import Part

HOST_LIMIT = 6  # workers at once on this host, whoever started them, so that no bug can spawn without end
_SLOT = 3600.0  # seconds after which a slot is free even where its process cannot be judged


class Slots(Part):
    """A slot belongs to a process; a dead one's does not count."""

    def acquire_worker(self, pid: int, *, limit: int) -> bool:
        """Take one of `limit` slots of this host for a process, once. False: others that live have them all."""
        name = process.name(pid)
        if name is None:
            return False
        with self._write() as db:
            rows = db.execute("SELECT id, holder, until FROM workers WHERE holder <> ?", (name,)).fetchall()
            dead = [(row["id"],) for row in rows if row["until"] <= self.now() or process.gone(row["holder"])]
            db.executemany("DELETE FROM workers WHERE id = ?", dead)
            if len(rows) - len(dead) >= limit:
                return False
            db.execute("INSERT OR REPLACE INTO workers(holder, until) VALUES(?, ?)", (name, self.now() + _SLOT))
        return True

    def living_workers(self) -> tuple[int, ...]:
        """The process ids of those that hold a slot and run, on this host."""
        holders = (str(row[0]) for row in self._db.execute("SELECT holder FROM workers"))
        return tuple(pid for holder in holders if (pid := process.living(holder)) is not None)

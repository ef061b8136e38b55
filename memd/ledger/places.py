"""The ledger's part about who owns what: slugs, watched roots, worker slots, and a few single values."""

from __future__ import annotations

from memd.ledger import process
from memd.ledger.part import Part

_SET = "INSERT INTO meta VALUES(:name, :value) ON CONFLICT(name) DO UPDATE SET value = excluded.value"
_SLOT = 3600.0  # seconds after which a slot is free even where its process cannot be judged


class Places(Part):
    """First come, first served."""

    def owner(self, slug: str, root: str) -> bool:
        """Whether `root` owns `slug`: whoever asks first owns it for ever, so that no two projects share memory."""
        holder = self._owner(slug)
        if holder is None:
            with self._write() as db:
                db.execute("INSERT OR IGNORE INTO owners VALUES(?, ?, ?)", (slug, root, self.now()))
            holder = self._owner(slug)
        return holder == root

    def _owner(self, slug: str) -> str | None:
        row = self._db.execute("SELECT root FROM owners WHERE slug = ?", (slug,)).fetchone()
        return None if row is None else str(row[0])

    def known_root(self, path: str) -> bool:
        """Whether this watched directory was seen before; if not, its conversations are older than memd."""
        return self._db.execute("SELECT 1 FROM roots WHERE path = ?", (path,)).fetchone() is not None

    def note_root(self, path: str) -> None:
        """From now on this watched directory is known."""
        with self._write() as db:
            db.execute("INSERT OR IGNORE INTO roots VALUES(?, ?)", (path, self.now()))

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

    def release_worker(self, pid: int) -> None:
        """Give the slot of a process back; a dead one's does not count anyway."""
        with self._write() as db:
            db.execute("DELETE FROM workers WHERE holder = ?", (process.name(pid),))

    def meta(self, name: str) -> str | None:
        """A single value by its name."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, name: str, value: str) -> None:
        """Keep a single value under a name."""
        self._put(_SET, {"name": name, "value": value})

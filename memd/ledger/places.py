"""The ledger's part about who owns what: slugs and watched roots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memd.errors import LockedError, RefusedError
from memd.ledger.part import Part
from memd.ledger.sessions import remember_former

_ADOPTED = "owners_adopted"
_MOVES = (
    "UPDATE runs SET memory_dir = :to WHERE memory_dir = :at",
    "UPDATE runs SET root = :new WHERE root = :old",
    "UPDATE OR IGNORE jobs SET subject = :to WHERE state = 'queued' AND subject = :at",
    "UPDATE jobs SET memory_dir = :to, place = :to WHERE state = 'queued' AND place = :at",
    "UPDATE OR REPLACE dreams SET memory_dir = :to WHERE memory_dir = :at",
)
# A conversation without a root is of the project that its directory lies in.
_IS_OF_OLD = "(root = :old OR (root IS NULL AND (cwd = :old OR substr(cwd, 1, length(:old) + 1) = :old || '/')))"
_MOVE_SESSIONS = f"UPDATE sessions SET root = :new WHERE {_IS_OF_OLD}"  # noqa: S608 - our own words
_AT_WORK = f"""
SELECT 1 FROM jobs LEFT JOIN sessions ON key = session_key
WHERE jobs.state = 'leased' AND lease_until > :now AND (place = :at OR {_IS_OF_OLD})
"""  # noqa: S608 - our own words


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project's root and where its memory is."""

    root: str
    slug: str
    memory_dir: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Projects:
    """The roots with their last pass (seconds since the epoch), and directories whose root no pass has found yet."""

    last_pass: Mapping[str, float | None]
    directories: tuple[str, ...]


class Places(Part):
    """First come, first served."""

    def owner(self, slug: str, root: str) -> bool:
        """Whether `root` owns `slug`: whoever asks first owns it for ever, so that no two projects share memory."""
        holder = self.owner_of(slug)
        if holder is None:
            with self._write() as db:
                db.execute("INSERT OR IGNORE INTO owners VALUES(?, ?, ?)", (slug, root, self.now()))
            holder = self.owner_of(slug)
        return holder == root

    def owner_of(self, slug: str) -> str | None:
        """The root that owns `slug`; None while nobody does. Asking claims nothing."""
        row = self._db.execute("SELECT root FROM owners WHERE slug = ?", (slug,)).fetchone()
        return None if row is None else str(row[0])

    def knows_owners(self) -> bool:
        """Whether this ledger was ever told who owned what before it was made."""
        return self.meta(_ADOPTED) is not None

    def adopt(self, owners: Mapping[str, str]) -> None:
        """Take over who owned which slug, where nobody does by now."""
        with self._write() as db:
            rows = [(slug, root, self.now()) for slug, root in owners.items()]
            db.executemany("INSERT OR IGNORE INTO owners VALUES(?, ?, ?)", rows)
            db.execute("INSERT OR IGNORE INTO meta VALUES(?, '1')", (_ADOPTED,))

    def projects(self) -> Projects:
        """Every project that memd has come across."""
        passes = self._db.execute("SELECT root, max(ended) FROM runs WHERE root IS NOT NULL GROUP BY root")
        last = {str(root): ended for root, ended in passes}
        others = self._db.execute("SELECT root FROM owners UNION SELECT root FROM sessions WHERE root IS NOT NULL")
        unresolved = self._db.execute("SELECT DISTINCT cwd FROM sessions WHERE root IS NULL AND cwd IS NOT NULL")
        return Projects(
            last_pass={str(root): None for (root,) in others} | last,
            directories=tuple(str(cwd) for (cwd,) in unresolved),
        )

    def move_project(self, old: Place, new: Place, carry: Callable[[], object]) -> int:
        """Whatever is known of a project is from now on of its new root; how many conversations that are.

        `carry` moves the files, while nobody can begin a pass; what it raises undoes all of it. Raises LockedError
        while a pass works on the project, RefusedError where another one owns the new slug.
        """
        with self._write() as db:
            if self.owner_of(new.slug) not in {None, old.root, new.root}:
                raise RefusedError(f"another project owns the slug {new.slug}")
            said = {"old": old.root, "new": new.root, "at": old.memory_dir, "to": new.memory_dir}
            if db.execute(_AT_WORK, said | {"now": self.now()}).fetchone():
                raise LockedError(f"a pass is at work on {old.root}", hint="try again when it has ended")
            carry()
            db.execute("DELETE FROM owners WHERE root IN (?, ?)", (old.root, new.root))
            db.execute("INSERT INTO owners VALUES(?, ?, ?)", (new.slug, new.root, self.now()))
            for statement in _MOVES:
                db.execute(statement, said)
            remember_former(db, old.root, new.root)
            return db.execute(_MOVE_SESSIONS, said).rowcount

    def known_root(self, path: str) -> bool:
        """Whether this watched directory was seen before; if not, its conversations are older than memd."""
        return self._db.execute("SELECT 1 FROM roots WHERE path = ?", (path,)).fetchone() is not None

    def note_root(self, path: str) -> None:
        """From now on this watched directory is known."""
        with self._write() as db:
            db.execute("INSERT OR IGNORE INTO roots VALUES(?, ?)", (path, self.now()))

"""Reading and writing what a repository is made of: trees, blobs, commits, refs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memd.team import git, incoming
from memd.team.git import Repository
from memd.team.incoming import Entry
from memd.team.nouns import DamagedError, Outcome, RemoteError

LIVE, REMOTE, ARRIVED, COMING = (f"refs/memd/{name}" for name in ("live", "remote", "arrived", "coming"))

_SCRATCH = "refs/memd/new"  # keeps what was just written from being swept away
_NOBODY = ("memd", "memd@localhost")
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git knows it everywhere
_OID = re.compile(r"[0-9a-f]{40}")
_FILE = 0o100644


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A commit to be written: a tree, with some of its files replaced (by bytes, or what is known) or taken out."""

    parents: tuple[str, ...]
    tree: str | None  # None: an empty one
    edits: Mapping[str, bytes | Entry | None] = field(default_factory=dict)
    message: str
    author: tuple[str, str] | None = None  # name and address
    at: datetime


def blob_name(data: bytes) -> str:
    """The name that git gives to these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def ref(repository: Repository, name: str) -> str | None:
    """The commit of a ref of memd's own; None where there is no such ref."""
    try:
        found = _OID.fullmatch((repository.path / name).read_text("ascii").strip())  # as git wrote it a moment ago
    except (OSError, UnicodeDecodeError):
        found = None
    if found is not None:
        return found[0]
    said = git.local(repository, "for-each-ref", "--format=%(objectname)", name).strip()
    return _oid(said) if said else None


def hold(repository: Repository, commits: Mapping[str, str]) -> None:
    """Let each ref point at its commit, which is then never swept away."""
    lines = "".join(f"update {ref} {commit}\n" for ref, commit in commits.items())
    git.local(repository, "update-ref", "--stdin", stdin=lines.encode())


def file(path: str, blob: str) -> Entry:
    """A plain file, to be put into a tree."""
    return Entry(path=path, mode=_FILE, type="blob", oid=blob, size=None)


def listing(repository: Repository, tree: str) -> tuple[Entry, ...]:
    """Every file of a tree (or commit), with its size. RemoteError where there are more than may be."""
    done = git.attempt(repository, "ls-tree", "-r", "-z", "-l", tree, most=incoming.LONGEST_LISTING)
    if done.stopped == "output":
        raise RemoteError("the branch holds more files than a team's memory has", outcome=Outcome.REFUSED)
    if done.code != 0 or done.stopped:
        raise git.failure(("ls-tree",), done)
    return incoming.parse(done.out)


def blobs(repository: Repository, wanted: Sequence[Entry]) -> dict[str, bytes]:
    """The bytes of these files, by their blob's name."""
    names = tuple(dict.fromkeys(entry.oid for entry in wanted))
    if not names:
        return {}
    most = sum((entry.size or 0) + 128 for entry in wanted)
    said = git.local(repository, "cat-file", "--batch", stdin="\n".join((*names, "")).encode(), most=most)
    return dict(_split(said, names, frozenset({b"blob"})))


def contents(repository: Repository, names: Sequence[str]) -> tuple[bytes, ...]:
    """The bytes of these files and commits, in this order."""
    said = git.local(repository, "cat-file", "--batch", "--buffer", stdin="\n".join((*names, "")).encode())
    return tuple(data for _, data in _split(said, names, frozenset({b"blob", b"commit"})))


def _split(said: bytes, names: Sequence[str], kinds: Collection[bytes]) -> Iterator[tuple[str, bytes]]:
    """Read what `git cat-file --batch` says: name, kind and size in a line, the bytes, and the end of a line."""
    place = 0
    for name in names:
        end = said.find(b"\n", place)
        words = said[place : end if end >= 0 else place].split()
        if len(words) != 3 or words[1] not in kinds:  # noqa: PLR2004 - name, kind, size
            raise DamagedError(f"object {name} cannot be read")
        size = int(words[2])
        yield name, said[end + 1 : end + 1 + size]
        place = end + 1 + size + 1


def tree_of(repository: Repository, commit: str) -> str:
    """The tree of a commit."""
    return _oid(git.local(repository, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}"))


def is_known(repository: Repository, commit: str) -> bool:
    """Whether such a commit is there at all."""
    return git.attempt(repository, "cat-file", "-e", f"{commit}^{{commit}}").code == 0


def is_ancestor(repository: Repository, older: str, newer: str) -> bool:
    """Whether one commit is among those that another stands on."""
    done = git.attempt(repository, "merge-base", "--is-ancestor", older, newer)
    if done.code not in {0, 1} or done.stopped:
        raise git.failure(("merge-base",), done)
    return done.code == 0


def is_other(repository: Repository, before: str | None, now: str) -> bool:
    """Whether a branch's history is another one than it was `before` (None: it had none)."""
    return before is not None and before != now and not is_ancestor(repository, before, now)


def apart(repository: Repository, one: str, other: str) -> tuple[int, int]:
    """How many commits each of two has that the other has not."""
    said = git.local(repository, "rev-list", "--left-right", "--count", f"{one}...{other}").split()
    return int(said[0]), int(said[1])


def in_common(repository: Repository, one: str, other: str) -> str | None:
    """The commit that two others stand on; None where there is none."""
    done = git.attempt(repository, "merge-base", one, other)
    if done.code not in {0, 1} or done.stopped:
        raise git.failure(("merge-base",), done)
    return _oid(done.out.partition(b"\n")[0]) if done.code == 0 else None


def changed(repository: Repository, old: str | None, new: str) -> tuple[str, ...]:
    """The paths that differ between two commits (None: one without files)."""
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", old or _EMPTY_TREE, new)
    return tuple(os.fsdecode(path) for path in git.local(repository, *words).split(b"\0") if path)


def write(repository: Repository, draft: Draft) -> str:
    """Write a commit; its name."""
    said = git.local(repository, "fast-import", "--quiet", "--force", "--done", stdin=_stream(draft))
    return _oid(said)


def _stream(draft: Draft) -> bytes:
    """What git's importer reads: one process for blobs, trees and commit."""
    name, address = draft.author or _NOBODY
    who = f"{_plain(name)} <{_plain(address)}> {int(draft.at.timestamp())} {draft.at:%z}".encode()
    message = draft.message.encode()
    head = [f"commit {_SCRATCH}".encode(), b"mark :1", b"author " + who, b"committer " + who]
    head.append(b"data %d\n%s" % (len(message), message))
    head += [f"{'merge' if n else 'from'} {parent}".encode() for n, parent in enumerate(draft.parents)]
    head.append(b'D ""' if draft.tree is None else f'M 040000 {draft.tree} ""'.encode())
    gone = [b"D " + _quoted(path) for path, content in draft.edits.items() if content is None]
    there = [_put(path, content) for path, content in draft.edits.items() if content is not None]
    return b"\n".join((*head, *gone, *there, b"", b"get-mark :1", b"done", b""))


def _put(path: str, content: bytes | Entry) -> bytes:
    if isinstance(content, Entry):
        return b"M %06o %s %s" % (content.mode, content.oid.encode(), _quoted(path))
    return b"M %06o inline %s\ndata %d\n%s" % (_FILE, _quoted(path), len(content), content)


def _quoted(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _plain(text: str) -> str:
    return re.sub(r"[<>\x00-\x1f\x7f]", " ", text).strip() or _NOBODY[0]


def _oid(said: bytes) -> str:
    found = _OID.fullmatch(said.decode(errors="replace").strip())
    if found is None:
        raise DamagedError("git names no object")
    return found[0]

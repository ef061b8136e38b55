"""What does not go out: files that may not be the team's, and secrets anywhere in the commits that would be pushed.

A secret that was taken out again still stands in the history: what is pushed is looked through commit by commit, with
names, messages and authors.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memd import files
from memd.memory import secrets, sharing, validate
from memd.memory.decision import Reason
from memd.memory.layout import TEAM_LIMIT
from memd.team import git, objects
from memd.team.git import Repository
from memd.team.nouns import DamagedError, HeldBack

MOST_COMMITS = 1_000  # that are looked through; more become one
MOST_OBJECTS = 20_000
TOO_MANY, TOO_LARGE = "too-many", "too-large"

_AT_ONCE = 16 * files.MEGABYTE  # of objects that are read in one go
_OID = re.compile(rb"[0-9a-f]{40,64}")
_SIZED = re.compile(rb"(?P<oid>[0-9a-f]{40,64}) (?P<kind>commit|tree|blob|tag) (?P<size>\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    oid: str
    kind: str
    size: int


def finding(path: str, data: bytes) -> HeldBack | None:
    """Whether a file of this machine has to stay here; `path` is below team/."""
    found = sharing.broken(path, data)
    if found is None:
        return None
    rule = re.sub(r" in line \d+", "", found.detail) if found.reason is Reason.SECRET else found.reason.value
    return HeldBack(path=_shown(path), rule=rule, reason=str(found))


def outgoing(repository: Repository, tip: str, excluding: str | None) -> tuple[HeldBack, ...]:
    """What in the commits of `tip`, without those of `excluding` (which the remote has), may not be pushed."""
    commits = _new(repository, tip, excluding, MOST_COMMITS)
    oids = _new(repository, tip, excluding, MOST_OBJECTS, "--objects", "--no-object-names") if commits else ()
    if commits is None or oids is None:
        return (HeldBack(path="", rule=TOO_MANY, reason="more commits than are looked through"),)
    names = _names(repository, commits)
    taken = frozenset(entry.path for entry in objects.listing(repository, excluding)) if excluding else frozenset()
    found = (*_in_objects(repository, oids, names), *_in_names(names, taken))
    return tuple(dict.fromkeys(found))


def is_all_memory(repository: Repository, tip: str) -> bool:
    """Whether all that ever stood in the commits of `tip` may be the team's, so that they may be sent as they are."""
    commits = _new(repository, tip, None, MOST_COMMITS)
    if not commits or outgoing(repository, tip, None):
        return False
    entries = frozenset(one for one in _raw(repository, commits) if one[0])
    if not all(stat.S_ISREG(mode) and sharing.is_plain(path) for mode, _, path in entries):
        return False
    paths: dict[str, list[str]] = {}
    for _, oid, path in entries:
        paths.setdefault(oid, []).append(path)
    for group in _groups(_sized(repository, sorted(paths))):
        for one, data in zip(group, objects.contents(repository, [one.oid for one in group]), strict=True):
            if any(sharing.broken(path, data) for path in paths[one.oid]):
                return False
    return True


def _new(repository: Repository, tip: str, excluding: str | None, most: int, *options: str) -> tuple[str, ...] | None:
    """What `tip` has that `excluding` has not; None where that is more than `most`."""
    limit = () if options else (f"--max-count={most + 1}",)
    without = (f"^{excluding}",) if excluding else ()
    out = git.local(repository, "rev-list", *limit, *options, "--end-of-options", tip, *without)
    found = tuple(line.decode() for line in out.split())
    return None if len(found) > most else found


def _names(repository: Repository, commits: Sequence[str]) -> dict[str, list[str]]:
    """What each object is called in what these commits change, by object."""
    names: dict[str, list[str]] = {}
    for _, oid, path in _raw(repository, commits):
        names.setdefault(oid, []).append(path)
    return names


def _raw(repository: Repository, commits: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Mode, object and path of each file as these commits leave it; mode 0 where it goes."""
    words = ("diff-tree", "--stdin", "-r", "-z", "-m", "--root", "--raw", "--no-abbrev", "--no-renames")
    out = git.local(repository, *words, "--no-ext-diff", "--no-textconv", stdin=_lines(commits))
    fields = iter(out.split(b"\0"))
    for field in fields:
        if field.startswith(b":"):
            _, mode, _, oid, _status = field.split(b" ")
            yield int(mode, 8), oid.decode(), os.fsdecode(next(fields, b""))
        elif field and not _OID.fullmatch(field.strip()):
            raise DamagedError("git lists a commit in a way that memd does not know")


def _in_names(names: Mapping[str, Sequence[str]], taken: Collection[str]) -> Iterator[HeldBack]:
    for path in dict.fromkeys(path for paths in names.values() for path in paths):
        if path not in taken:
            yield from (_secret(path, one.rule, "its name is a secret") for one in secrets.find(path))


def _in_objects(repository: Repository, oids: Sequence[str], names: Mapping[str, Sequence[str]]) -> Iterator[HeldBack]:
    """Findings in commits and in files."""
    wanted = [one for one in _sized(repository, oids) if one.kind in {"commit", "blob"}]
    for one in wanted:
        if one.size > TEAM_LIMIT:
            yield HeldBack(path=_called(one, names), rule=TOO_LARGE, reason="larger than a memory may be")
    for group in _groups([one for one in wanted if one.size <= TEAM_LIMIT]):
        for one, data in zip(group, objects.contents(repository, [one.oid for one in group]), strict=True):
            why = "a message or an author holds a secret" if one.kind == "commit" else "it held a secret once"
            yield from (_secret(_called(one, names), rule, why) for rule in _rules(data))


def _secret(path: str, rule: str, why: str) -> HeldBack:
    return HeldBack(path=_shown(path), rule=rule, reason=f"{why} ({rule})")


def _called(one: _Object, names: Mapping[str, Sequence[str]]) -> str:
    """A file's name, one of several; empty for a commit."""
    return "" if one.kind == "commit" else _shown(next(iter(names.get(one.oid, ())), ""))


def _rules(data: bytes) -> tuple[str, ...]:
    """Which rules find a secret; of two-byte text, too."""
    text = data.decode("utf-8", "replace").replace("\0", "")
    return tuple(dict.fromkeys(rule for rule, _ in validate.secrets_in("", text)))


def _sized(repository: Repository, oids: Sequence[str]) -> tuple[_Object, ...]:
    out = git.local(repository, "cat-file", "--batch-check", "--buffer", stdin=_lines(oids))
    return tuple(_object(line) for line in out.splitlines())


def _object(line: bytes) -> _Object:
    found = _SIZED.fullmatch(line)
    if found is None:
        raise DamagedError("an object of memd's own repository is missing")
    return _Object(oid=found["oid"].decode(), kind=found["kind"].decode(), size=int(found["size"]))


def _groups(found: Sequence[_Object]) -> Iterator[list[_Object]]:
    group: list[_Object] = []
    room = _AT_ONCE
    for one in found:
        if group and one.size > room:
            yield group
            group, room = [], _AT_ONCE
        group.append(one)
        room -= one.size
    if group:
        yield group


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()


def _shown(path: str) -> str:
    """A path as it may be told: a name can be a secret, too."""
    return secrets.redact(files.printable(path))

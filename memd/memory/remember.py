"""A memory in somebody's own words, typed at a prompt: a new topic, or what it makes of one that is there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import layout, sameness, scan, topic, topic_name
from memd.memory.grounding import first_paragraph
from memd.memory.index_lines import shortened
from memd.memory.layout import TEAM
from memd.memory.log import Bullet
from memd.memory.sameness import Sameness
from memd.memory.topic import Topic, TopicType
from memd.memory.workspace import Change

_TITLE = 60  # characters
_HOOK = 110  # characters of a description
_WITH_REASON = frozenset({TopicType.FEEDBACK, TopicType.PROJECT})
_WHY = re.compile(r"(?m)^\*\*Why:\*\*.*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A topic that is there already."""

    path: str
    data: bytes
    topic: Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What somebody wants remembered. `kind` None: that of the topic it belongs to, else `usual`. `team`: by all."""

    text: str
    kind: TopicType | None
    usual: TopicType
    title: str | None = None
    team: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a statement makes of a memory directory; no changes: it says so already."""

    path: str  # the topic that holds it
    kind: TopicType
    sameness: Sameness
    changes: tuple[Change, ...] = ()
    replaces: str | None = None  # the topic that is superseded


def known(memory_dir: Path, *, team: bool = False) -> tuple[Known, ...]:
    """The topics that may take up a statement: valid ones that nobody pinned, newest first; private ones, or shared."""
    there = (one for one in scan.scan(memory_dir, team=team) if layout.is_shared(one.path) == team)
    headers = [one for one in there if not one.pinned and one.type is not None]
    if not headers:
        return ()
    with files.open_directory(memory_dir) as memory:
        found = [(one.path, _read(memory, one.path)) for one in headers]
    parsed = [Known(path=path, data=data, topic=topic.parse(data)) for path, data in found if data]
    return tuple(one for one in parsed if not one.topic.problems and not one.topic.pinned)


def _read(memory: int, path: str) -> bytes | None:
    try:
        return files.read_regular(memory, path)
    except (OSError, UnsafePathError):
        return None


def remember(said: Statement, there: Sequence[Known], taken: Collection[str], foreign: Collection[str]) -> Remembered:
    """Find out what to write. `taken` are the names in use, `foreign` the files in which something is a person's.

    A fact that is there already is updated in its place; one that no longer holds gives way to a new file, or, where a
    person wrote it, is corrected in its place.
    """
    text = said.text.strip()
    judged = [(one, sameness.compare(first_paragraph(one.topic.body), text)) for one in there]
    near = next(((one, how) for one, how in judged if how is not Sameness.OTHER), None)
    if near is None:
        return _new(said, taken)
    one, how = near
    if said.kind not in {None, one.topic.type}:
        how = Sameness.DIFFERENT
    if how is Sameness.SAID:
        return Remembered(path=one.path, kind=one.topic.type or said.usual, sameness=how)
    if how is Sameness.FULLER or one.path in foreign:
        return _rewritten(said, one, how) or _new(said, taken)
    return _superseded(said, one, taken)


def _new(said: Statement, taken: Collection[str]) -> Remembered:
    kind = said.kind or said.usual
    change = _file(said, kind, taken)
    return Remembered(path=change.path, kind=kind, sameness=Sameness.OTHER, changes=(change,))


def _superseded(said: Statement, one: Known, taken: Collection[str]) -> Remembered:
    kind = said.kind or one.topic.type or said.usual
    new = _file(said, kind, taken)
    changes = (new, Change(path=one.path, before=one.data, after=None))
    return Remembered(path=new.path, kind=kind, sameness=Sameness.DIFFERENT, changes=changes, replaces=one.path)


def _rewritten(said: Statement, one: Known, how: Sameness) -> Remembered | None:
    """The topic with its first paragraph said anew; a reason for what no longer holds goes. None: cannot be done."""
    text = said.text.strip()
    body = one.topic.body.replace(first_paragraph(one.topic.body), text, 1)
    if how is Sameness.DIFFERENT:
        body = _WHY.sub(f"**Why:** {topic.NOT_STATED}", body, count=1)
    data = topic.updated(one.data, description=_one_line(text, _HOOK), body=body)
    if data is None or said.kind not in {None, one.topic.type}:
        return None
    change = Change(path=one.path, before=one.data, after=data)
    return Remembered(path=one.path, kind=one.topic.type or said.usual, sameness=how, changes=(change,))


def _file(said: Statement, kind: TopicType, taken: Collection[str]) -> Change:
    text = said.text.strip()
    title = _one_line(said.title or text, _TITLE)
    body = topic.body(text) if kind in _WITH_REASON and "**Why:**" not in text else text
    data = topic.render(title, _one_line(text, _HOOK), kind, body)
    name = topic_name.filename(kind, title, taken)
    return Change(path=f"{TEAM}/{name}" if said.team else name, before=None, after=data)


def _one_line(text: str, limit: int) -> str:
    return shortened(" ".join(text.split()), limit)


def bullet(done: Remembered, said: str, speaker: str) -> Bullet:
    """The log's line about it; the arrow says that a topic holds it."""
    return Bullet(
        type=done.kind.value, text=f"{_one_line(said, _HOOK)} → {done.path}", source=f"memd remember, {speaker}"
    )

"""The topics of a workspace while a dream works on them: read at the start, written at the end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from memd.agent.backend import Dream
from memd.memory import topic
from memd.memory.grounding import first_paragraph
from memd.memory.layout import INDEX
from memd.memory.quotes import EvidenceClass
from memd.memory.topic import Topic, TopicType

_statement = lru_cache(maxsize=8192)(first_paragraph)  # asked for anew with each other topic


@dataclass(slots=True, kw_only=True)
class Page:
    """One topic. `data` None: it is new. What is changed here is written by `write`."""

    path: str
    data: bytes | None
    kind: TopicType
    name: str
    description: str
    body: str
    at: float  # seconds since the epoch: how old what it says is
    evidence_class: EvidenceClass = EvidenceClass.HUMAN
    pinned: bool = False
    protected: bool = False
    session: str = ""
    quotes: list[str] = field(default_factory=list)
    gone: bool = False
    wanted: Page | None = None  # where it may not change: how a person's words want it, which they are asked about

    @property
    def statement(self) -> str:
        """What it says before it gives reasons."""
        return _statement(self.body)

    @property
    def may_go(self) -> bool:
        """Whether it can be deleted or rewritten."""
        return not (self.pinned or self.protected)

    def say(self, statement: str, description: str) -> None:
        """Put another statement in the old one's place."""
        old = self.statement
        self.body = self.body.replace(old, statement, 1) if old else f"{statement}\n\n{self.body}".strip()
        self.description = description

    def otherwise(self, statement: str, description: str, quote: str, *, keeps_reason: bool) -> None:
        """Note what a person said of one that may not change; it stays what it is for all other purposes."""
        wanted = self.wanted or replace(self, quotes=[])
        wanted.body = wanted.body if keeps_reason else without_reason(wanted.body)
        wanted.say(statement, description)
        wanted.quotes.append(quote)
        self.wanted = wanted


def without_reason(body: str) -> str:
    """A reason for what no longer holds goes."""
    return re.sub(r"(?m)^\*\*Why:\*\*.*$", f"**Why:** {topic.NOT_STATED}", body, count=1)


def read(memory: Path, dream: Dream, protected: Collection[str]) -> list[Page]:
    """The topics that can be worked on, by path: valid files at the top of the directory."""
    found = []
    for path in sorted(memory.glob("*.md")):
        if path.name != INDEX and not path.is_symlink() and path.is_file():
            data = path.read_bytes()
            known = topic.parse(data)
            if known.type is not None and not known.problems:
                found.append(_page(path, data, known, known.type, dream, protected=path.name in protected))
    return found


def _page(path: Path, data: bytes, known: Topic, kind: TopicType, dream: Dream, *, protected: bool) -> Page:
    return Page(
        path=path.name,
        data=data,
        kind=kind,
        name=known.name,
        description=known.description,
        body=known.body,
        at=_modified(known) or path.stat().st_mtime,
        evidence_class=dream.classes.get(path.name, EvidenceClass.AGENT),
        pinned=known.pinned,
        protected=protected,
    )


def _modified(known: Topic) -> float | None:
    try:
        at = datetime.fromisoformat(known.modified or "")
    except ValueError:
        return None
    return at.timestamp() if at.tzinfo else None


def write(memory: Path, pages: Iterable[Page]) -> None:
    """Bring the workspace in line with the pages; one that cannot be rewritten safely stays as it is."""
    for one in pages:
        page = one.wanted or one
        if page.gone:
            (memory / page.path).unlink(missing_ok=True)
        elif page.quotes and (data := _rendered(page)) is not None:
            (memory / page.path).write_bytes(data)


def _rendered(page: Page) -> bytes | None:
    modified = datetime.fromtimestamp(page.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    quotes = tuple(dict.fromkeys(page.quotes))
    if page.data is not None:
        data = topic.updated(page.data, description=page.description, body=page.body, modified=modified)
        return None if data in {None, page.data} else topic.with_evidence(data or b"", quotes)
    metadata = {"originSessionId": page.session or None, "modified": modified}
    return topic.render(page.name, page.description, page.kind, page.body, metadata=metadata, evidence=quotes)

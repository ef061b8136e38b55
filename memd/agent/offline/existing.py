"""What the memory directory says already."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from memd.agent.offline import compose, fold, words
from memd.agent.offline.model import Candidate
from memd.memory import topic
from memd.memory.topic import Topic

_SUBJECT = 0.5  # share of content words from which on a topic is about the same thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A topic file that is about the same thing as a candidate."""

    path: Path
    topic: Topic
    data: bytes


def find(memory: Path, candidate: Candidate) -> Known | None:
    """The closest existing topic of the same type, if it is close enough."""
    wanted = words.content(compose.rule(candidate))
    best: tuple[float, Known] | None = None
    for path in sorted(memory.glob("*.md")):
        if path.name == "MEMORY.md":
            continue
        data = path.read_bytes()
        known = topic.parse(data)
        share = words.overlap(wanted, words.content(_first(known)))
        if known.type is candidate.kind and share >= _SUBJECT and (best is None or share > best[0]):
            best = (share, Known(path=path, topic=known, data=data))
    return best[1] if best else None


def update(known: Known, candidate: Candidate) -> None:
    """Rewrite the topic where the candidate says something new; leave its bytes alone otherwise, and when pinned."""
    if known.topic.pinned:
        return
    new = compose.rule(candidate)
    old = _first(known.topic)
    if fold.signs(old) == fold.signs(new) and fuzz.token_set_ratio(old, new) >= fold.ALIKE:
        return
    data = topic.updated(known.data, description=compose.description(candidate), body=compose.body(candidate))
    if data is not None:
        known.path.write_bytes(_with_evidence(data, candidate))


def _with_evidence(data: bytes, candidate: Candidate) -> bytes:
    """The quotes at the end of the header; `updated` has dropped older ones."""
    head, mark, rest = data.partition(b"\n---")
    quotes = topic.render("x", "x", candidate.kind, "x", evidence=candidate.quotes)
    start = quotes.index(b"evidence:")
    return head + b"\n" + quotes[start : quotes.index(b"\n---", start)] + mark + rest if mark else data


def _first(known: Topic) -> str:
    return known.body.split("\n\n", 1)[0]

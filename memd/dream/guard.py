"""Whether a dream loses too much: topics that go, or shrink, without another that holds what they said. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memd.memory import topic, words
from memd.memory.topic import NOT_STATED, Topic

SHARE = 0.25  # of the topics or of their bytes may be lost in one dream
FEWEST = 3  # topics: with fewer a share means nothing
_KEPT = 0.7  # of a line's content words stand in one topic that stays
_LABELS = ("**Why:**", "**How to apply:**")

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What is lost, of how much; `bytes` are those of lines that say something."""

    topics: int
    of_topics: int
    bytes: int
    of_bytes: int

    @property
    def is_too_much(self) -> bool:
        """Whether a person has to want it."""
        if self.of_topics < FEWEST:
            return False
        return self.topics > SHARE * self.of_topics or self.bytes > SHARE * self.of_bytes

    def __str__(self) -> str:
        """In words."""
        return f"{self.topics} of {self.of_topics} topics, {self.bytes:,} of {self.of_bytes:,} bytes"


def loss(before: Files, after: Files) -> Loss:
    """What the topics `after` no longer say of those `before`."""
    staying = [(one.type, words.content_words(_all(one))) for one in map(topic.parse, after.values())]
    gone = {path: _lost(path, data, after, staying) for path, data in before.items() if after.get(path) != data}
    return Loss(
        topics=sum(path not in after and 2 * lost > _size(before[path]) for path, lost in gone.items()),
        of_topics=len(before),
        bytes=sum(gone.values()),
        of_bytes=sum(map(_size, before.values())),
    )


def survivor(path: str, data: bytes, after: Files) -> str | None:
    """The topic of the same type that holds most of what a removed one said; None: there is none."""
    old = topic.parse(data)
    lines = list(_lines(old))
    best: tuple[float, str] | None = None
    for other, text in after.items():
        new = topic.parse(text)
        if other == path or new.type != old.type:
            continue
        share = _share(lines, words.content_words(_all(new)))
        if 2 * share > 1 and (best is None or (-share, other) < (-best[0], best[1])):
            best = (share, other)
    return None if best is None else best[1]


def _share(lines: Sequence[str], there: frozenset[str]) -> float:
    whole = sum(len(line.encode()) for line in lines)
    return sum(len(line.encode()) for line in lines if _is_kept(line, there)) / max(whole, 1)


def _lost(path: str, data: bytes, after: Files, staying: Sequence[tuple[object, frozenset[str]]]) -> int:
    old = topic.parse(data)
    own = words.content_words(_all(topic.parse(after[path]))) if path in after else frozenset()
    places = [own, *(there for kind, there in staying if kind == old.type)]
    return sum(len(line.encode()) for line in _lines(old) if not any(_is_kept(line, there) for there in places))


def _is_kept(line: str, there: frozenset[str]) -> bool:
    content = words.content_words(line)
    return len(content & there) >= _KEPT * len(content)


def _lines(memory: Topic) -> Iterator[str]:
    """The lines that say something, without their labels."""
    for line in (memory.description, *memory.body.splitlines()):
        said = line.strip()
        for label in _LABELS:
            said = said.removeprefix(label).strip()
        if said and said != NOT_STATED:
            yield said


def _size(data: bytes) -> int:
    return sum(len(line.encode()) for line in _lines(topic.parse(data)))


def _all(memory: Topic) -> str:
    return f"{memory.name.replace('-', ' ')}\n{memory.description}\n{memory.body}"

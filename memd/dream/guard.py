"""Whether a dream loses too much: topics that go, or shrink, without another that holds what they said. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

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
    staying = _staying(frozenset(after.items()))
    gone = {path: _lost(path, data, after, staying) for path, data in before.items() if after.get(path) != data}
    return Loss(
        topics=sum(path not in after and 2 * lost > _size(before[path]) for path, lost in gone.items()),
        of_topics=len(before),
        bytes=sum(gone.values()),
        of_bytes=sum(map(_size, before.values())),
    )


def survivor(path: str, data: bytes, after: Files) -> str | None:
    """The topic of the same type that holds most of what a removed one said; None: there is none."""
    return _staying(frozenset(after.items())).survivor(path, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line that says something, of a topic that may be gone."""

    size: int  # bytes
    words: int  # of content
    bits: int  # those of them that stand in any topic, a bit a word

    def is_kept(self, there: int) -> bool:
        """Whether a topic with these words says the same."""
        return (self.bits & there).bit_count() >= _KEPT * self.words


class _Staying:
    """The topics that stay, with the words that stand in them: asked about one line after another."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._number: dict[str, int] = {}
        self._of_type: dict[object, list[tuple[str, int]]] = {}
        self._found: dict[tuple[str, bytes], str | None] = {}
        for path, data in sorted(files):
            memory = topic.parse(data)
            self._of_type.setdefault(memory.type, []).append((path, self._bits(words.content_words(_all(memory)))))

    def _bits(self, content: Iterable[str]) -> int:
        return sum(1 << self._number.setdefault(word, len(self._number)) for word in content)

    def lines(self, memory: Topic) -> list[_Line]:
        """What a topic says."""
        found = []
        for line in _lines(memory):
            content = words.content_words(line)
            known = (self._number[word] for word in content if word in self._number)
            found.append(_Line(size=len(line.encode()), words=len(content), bits=sum(1 << one for one in known)))
        return found

    def holds(self, line: _Line, kind: object) -> bool:
        """Whether a topic of that type says the same."""
        return any(line.is_kept(there) for _, there in self._of_type.get(kind, ()))

    def survivor(self, path: str, data: bytes) -> str | None:
        """The topic that holds more than half of what a removed one said, and most of all."""
        if (path, data) not in self._found:
            self._found[path, data] = self._best(path, topic.parse(data))
        return self._found[path, data]

    def _best(self, path: str, memory: Topic) -> str | None:
        lines = self.lines(memory)
        best, most = None, sum(line.size for line in lines) / 2
        for other, there in self._of_type.get(memory.type, ()):
            held = sum(line.size for line in lines if line.is_kept(there))
            if held > most and other != path:
                best, most = other, held
        return best


@lru_cache(maxsize=4)
def _staying(files: frozenset[tuple[str, bytes]]) -> _Staying:
    """Made once for the few states that a dream asks about, over and over."""
    return _Staying(files)


def _lost(path: str, data: bytes, after: Files, staying: _Staying) -> int:
    old = topic.parse(data)
    own = words.content_words(_all(topic.parse(after[path]))) if path in after else frozenset()
    said = zip(_lines(old), staying.lines(old), strict=True)
    return sum(line.size for text, line in said if not staying.holds(line, old.type) and not _is_kept(text, own))


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

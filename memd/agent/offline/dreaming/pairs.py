"""Which of many statements are worth a comparison: all that can be one fact, found without comparing each with each.

What `alike.judge` calls one fact is equal in all that matters; or one holds the other's words, signs aside, and is not
much longer; or, where the signs are the same, one holds the other's words as they are, or both have as many of which
some are spelled otherwise. Of sets that share six words of ten, one of the few rarest is shared (the prefix filter of
set similarity joins); of a set that another one holds, the rarest is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from memd.agent.offline.dreaming import alike
from memd.memory import sameness

_NONE = -1  # what statements have in common that have no words at all

Words = frozenset[str]
Places = dict[tuple[Hashable, int], list[int]]  # by a mark and a word


def neighbours(texts: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The pairs of statements, by place, that may be one fact; each once, the earlier place first."""
    said = list(texts)
    whole, signs = _Sets([sameness.content(text) for text in said]), [alike.signs(text) for text in said]
    unquoted = [text.replace("`", "") for text in said]  # a name may be quoted in one of two alone
    near = (
        _Equal([sameness.key(text) for text in unquoted]),
        _Held(_Sets([sameness.bare(text) for text in unquoted]), [None] * len(said)),
        _Held(_Sets([sameness.bare(text) for text in said]), [None] * len(said)),
        _Held(whole, signs),
        _AsLong(whole, signs),
    )
    for place in range(len(said)):
        found: set[int] = set()
        for one in near:
            found.update(one.before(place))
        for other in sorted(found):
            yield other, place


class _Sets:
    """Sets of words as bits, a bit a word, and their rarest words as numbers, the rarest first."""

    def __init__(self, sets: Sequence[Words]) -> None:
        count = Counter(word for words in sets for word in words)
        rarest = sorted(count.items(), key=lambda one: (one[1], one[0]))
        number = {word: place for place, (word, _) in enumerate(rarest)}
        self.words = sets
        self.sizes = [len(words) for words in sets]
        self.bits = [sum(1 << number[word] for word in words) for words in sets]
        self.rare = [sorted(number[word] for word in words)[: _prefix(len(words))] or [_NONE] for words in sets]

    def share_enough(self, one: int, other: int) -> bool:
        """Whether six words of ten of the longer one stand in both."""
        shared = (self.bits[one] & self.bits[other]).bit_count()
        return 10 * shared >= 6 * max(self.sizes[one], self.sizes[other])


def _prefix(size: int) -> int:
    """So many of the rarest words hold one that is shared, wherever six of ten are."""
    return size - -(-6 * size // 10) + 1 if size else 0


class _Equal:
    """What has the same key."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._places: dict[str, list[int]] = defaultdict(list)

    def before(self, place: int) -> Iterable[int]:
        """The earlier places. As with those below, each place is asked about once, in order."""
        there = self._places[self._keys[place]]
        found = tuple(there)
        there.append(place)
        return found


class _Held:
    """Sets with the same mark of which one holds the other."""

    def __init__(self, sets: _Sets, marks: Sequence[Hashable]) -> None:
        self._sets = sets
        self._marks = marks
        self._rarest: Places = defaultdict(list)
        self._rare: Places = defaultdict(list)

    def before(self, place: int) -> Iterable[int]:
        """The earlier places that hold this one, or that this one holds."""
        mark, rare, bits = self._marks[place], self._sets.rare[place], self._sets.bits
        mine = bits[place]
        found = {other for other in self._rare[mark, rare[0]] if bits[other] & mine == mine}
        for word in rare:
            found.update(other for other in self._rarest[mark, word] if bits[other] & mine == bits[other])
            self._rare[mark, word].append(place)
        self._rarest[mark, rare[0]].append(place)
        return [other for other in found if self._sets.share_enough(other, place)]


class _AsLong:
    """Sets with the same mark and of the same size, in which some words are spelled otherwise."""

    def __init__(self, sets: _Sets, marks: Sequence[Hashable]) -> None:
        self._sets = sets
        self._marks = [(mark, size) for mark, size in zip(marks, sets.sizes, strict=True)]
        self._rare: Places = defaultdict(list)

    def before(self, place: int) -> Iterable[int]:
        """The earlier places."""
        words, candidates = self._sets.words, set[int]()
        for word in self._sets.rare[place]:
            there = self._rare[self._marks[place], word]
            candidates.update(there)
            there.append(place)
        near = (other for other in candidates if self._sets.share_enough(other, place))
        return [other for other in near if alike.are_spelled_otherwise(words[other], words[place])]

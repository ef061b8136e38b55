"""What was said in a project's conversations: to be searched for a few messages, never to be read as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memd.agent import encoding
from memd.memory.quotes import Utterance

MOST = 20  # messages that one search shows,
MOST_IN_ALL = 100  # and all searches of a night together
CHARACTERS = 600  # of each
_BEFORE = 200  # of them before what was found

Said = Sequence[Utterance]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search shows; `rest` says in words why there may be more, if there may."""

    lines: tuple[str, ...]
    rest: str = ""


class Conversations:
    """Cleaned conversations, the newest first, each read when a search comes to it; knows what it has shown."""

    def __init__(self, read: Callable[[], Iterator[Said]]) -> None:
        """`read` gives what was said in each conversation, a conversation at a time."""
        self._left = read()
        self._read: list[Said] = []
        self._shown: dict[tuple[str, str], Utterance] = {}
        self._room = MOST_IN_ALL

    @property
    def shown(self) -> tuple[Utterance, ...]:
        """The messages that were shown, whole: what may be quoted from there."""
        return tuple(self._shown.values())

    def search(self, pattern: Any, *, most: int, is_over: Callable[[], bool]) -> Found:  # noqa: ANN401 - re2 has no types
        """Show messages in which a pattern of bytes is found, the newest conversation's first; a part of a long one."""
        lines: list[str] = []
        for said in self._each():
            for one in said:
                data = one.text.encode(errors="replace")
                if (match := pattern.search(data)) is None:
                    continue
                if len(lines) >= min(most, MOST) or self._room <= 0:
                    return Found(lines=tuple(lines), rest=self._more())
                self._room -= 1
                self._shown[one.uuid, one.text] = one
                lines.append(_line(one, data, match.start()))
            if is_over():
                return Found(lines=tuple(lines), rest="the time for one call is over; search again to go on")
        return Found(lines=tuple(lines))

    def _more(self) -> str:
        return "no more is shown in this pass" if self._room <= 0 else "there are more; narrow the search"

    def _each(self) -> Iterator[Said]:
        yield from tuple(self._read)
        for said in self._left:
            self._read.append(said)
            yield said


def _line(said: Utterance, data: bytes, at: int) -> str:
    first = max(at - _BEFORE, 0) if len(data) > CHARACTERS else 0
    part = data[first : first + CHARACTERS].decode(errors="ignore")
    text = f"{'[…] ' if first else ''}{part}{' […]' if first + CHARACTERS < len(data) else ''}"
    day = encoding.day_of(said)
    return encoding.quoted({**({"date": day} if day else {}), said.speaker.value: text})

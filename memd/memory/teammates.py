"""What team mates wrote down, as words that a proposal is judged by: whoever repeats them has not said them.

A note of the team's is shown to the agent, which speaks of it; nothing of that may become a rule of the person's here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import layout, scan, topic, weighing, words
from memd.memory.layout import TEAM
from memd.memory.quotes import Speaker, Utterance
from memd.memory.workspace import Change

_MOST = 20  # notes that a proposal is held against
_LONGEST = 16_000  # characters of a note; recall shows a quarter of that, and what a tool reads is a tool's words
_FEWEST = 3  # content words that a note and a proposal have in common


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """One note of the team's."""

    path: str
    text: str
    content: frozenset[str]  # its content words


def words_for(memory_dir: Path, changes: Sequence[Change]) -> tuple[Utterance, ...]:
    """The team's notes that have words in common with what is proposed, most first; to stand at a window's beginning.

    OSError as from opening the directory.
    """
    return near(read(memory_dir), changes) if len(_content(changes)) >= _FEWEST else ()


def read(memory_dir: Path) -> tuple[Shared, ...]:
    """What the team shares. OSError as from opening the directory."""
    if not (memory_dir / TEAM).is_dir():
        return ()
    paths = [one.path for one in scan.scan(memory_dir, team=True) if layout.is_shared(one.path)]
    with files.open_directory(memory_dir) as memory:
        return tuple(_notes(memory, paths))


def near(notes: Sequence[Shared], changes: Sequence[Change]) -> tuple[Utterance, ...]:
    """Those of the notes that have most words in common with what is proposed."""
    wanted = _content(changes)
    counted = ((len(wanted & one.content), one) for one in notes)
    best = sorted(((-count, one.path, one.text) for count, one in counted if count >= _FEWEST))[:_MOST]
    return tuple(Utterance(speaker=Speaker.TEAM, text=text, uuid=f"{TEAM}:{path}") for _, path, text in best)


def _content(changes: Sequence[Change]) -> frozenset[str]:
    texts = (weighing.whole(topic.parse(change.after)) for change in changes if change.after is not None)
    return frozenset(word for text in texts for word in words.content_words(text))


def _notes(memory: int, paths: Sequence[str]) -> Iterator[Shared]:
    for path in paths:
        with suppress(OSError, UnsafePathError):
            said = topic.parse(files.read_regular(memory, path, limit=layout.limit(path)) or b"")
            text = f"{said.name.replace('-', ' ')}\n\n{weighing.whole(said)}"[:_LONGEST]
            yield Shared(path=path, text=text, content=words.content_words(text))

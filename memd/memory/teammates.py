"""What team mates wrote down, as words that a proposal is judged by: whoever repeats them has not said them.

A note of the team's is shown to the agent, which speaks of it; nothing of that may become a rule of the person's here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from memd import files
from memd.errors import UnsafePathError
from memd.memory import layout, scan, topic, weighing, words
from memd.memory.layout import TEAM
from memd.memory.quotes import Speaker, Utterance
from memd.memory.workspace import Change

_MOST = 20  # notes that a proposal is held against
_FEWEST = 3  # content words that a note and a proposal have in common


def words_for(memory_dir: Path, changes: Sequence[Change]) -> tuple[Utterance, ...]:
    """The team's notes that have words in common with what is proposed, most first; to stand at a window's beginning.

    OSError as from opening the directory.
    """
    wanted = _content(changes)
    if len(wanted) < _FEWEST or not (memory_dir / TEAM).is_dir():
        return ()
    shared = [(len(wanted & words.content_words(text)), path, text) for path, text in _notes(memory_dir)]
    near = sorted((-count, path, text) for count, path, text in shared if count >= _FEWEST)
    return tuple(Utterance(speaker=Speaker.TEAM, text=text, uuid=f"{TEAM}:{path}") for _, path, text in near[:_MOST])


def _content(changes: Sequence[Change]) -> frozenset[str]:
    texts = (weighing.whole(topic.parse(change.after)) for change in changes if change.after is not None)
    return frozenset(word for text in texts for word in words.content_words(text))


def _notes(memory_dir: Path) -> Iterator[tuple[str, str]]:
    """What each of the team's notes says, by path."""
    paths = [one.path for one in scan.scan(memory_dir, team=True) if layout.is_shared(one.path)]
    with files.open_directory(memory_dir) as memory:
        for path in paths:
            with suppress(OSError, UnsafePathError):
                data = files.read_regular(memory, path, limit=layout.limit(path))
                said = topic.parse(data or b"")
                yield path, f"{said.name.replace('-', ' ')}\n\n{weighing.whole(said)}"

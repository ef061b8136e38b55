"""Whose words the memories stand on, and what a dream gets to see of all that was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memd.agent.backend import Note
from memd.memory import topic
from memd.memory.journal import Record, What
from memd.memory.quotes import EvidenceClass, Quote, Speaker, Utterance
from memd.memory.topic import Topic, TopicType

_OF_MEMORY = "memory:"
_SPEAKERS = {
    EvidenceClass.HUMAN: Speaker.HUMAN,
    EvidenceClass.AGENT: Speaker.ASSISTANT,
    EvidenceClass.OUTSIDE: Speaker.TOOL,
}
_A_PERSONS = frozenset({TopicType.USER, TopicType.FEEDBACK})  # nobody else's words become those
_LOWEST_FIRST = (EvidenceClass.OUTSIDE, EvidenceClass.AGENT, EvidenceClass.HUMAN)


def words_of(records: Iterable[Record], memory_dir: str) -> dict[str, tuple[Quote, ...]]:
    """The quotes that each file was made from since it is there. `records`, newest first."""
    found: dict[str, tuple[Quote, ...]] = {}
    closed: set[str] = set()
    for record in records:
        if record.memory_dir != memory_dir:
            continue
        for path, quotes in record.run.quotes.items():
            if path not in closed:
                found[path] = (*found.get(path, ()), *quotes)
        closed |= {file.path for file in record.files if file.what in {What.CREATED, What.DELETED, What.PURGED}}
    return found


def classes(topics: Mapping[str, bytes], known: Mapping[str, Sequence[Quote]]) -> dict[str, EvidenceClass]:
    """Whose words each topic stands on. One of unknown origin keeps what it is, and can lend no more than that."""
    return {path: _class(topic.parse(data), known.get(path, ())) for path, data in topics.items()}


def _class(said: Topic, quotes: Sequence[Quote]) -> EvidenceClass:
    if said.type in _A_PERSONS:
        return EvidenceClass.HUMAN
    found = {quote.evidence for quote in quotes} or {EvidenceClass.AGENT}
    return min(found, key=_LOWEST_FIRST.index)


def window(
    topics: Mapping[str, bytes], of: Mapping[str, EvidenceClass], notes: Mapping[str, Note]
) -> tuple[Utterance, ...]:
    """The memories as they are and the notes by their ids: all that may be quoted, each in the class that it has."""
    memories = [
        Utterance(speaker=_SPEAKERS[of[path]], text=_text(topic.parse(data)), uuid=f"{_OF_MEMORY}{path}")
        for path, data in sorted(topics.items())
    ]
    noted = [
        Utterance(speaker=_SPEAKERS[note.evidence], text=note.text, uuid=name, at=note.at)
        for name, note in notes.items()
    ]
    return (*memories, *noted)


def _text(said: Topic) -> str:
    return f"{said.description}\n\n{said.body}"


def inherited(quotes: Sequence[Quote], known: Mapping[str, Sequence[Quote]]) -> tuple[Quote, ...]:
    """Quotes for a run's record: in the place of a memory's words those that it was made from, where they are known."""
    found: list[Quote] = []
    for quote in quotes:
        source = quote.uuid.removeprefix(_OF_MEMORY) if quote.uuid.startswith(_OF_MEMORY) else None
        found += known.get(source or "") or (quote,)
    return tuple(dict.fromkeys(found))

"""What a pass gets to see of who wrote which memory, noted before it is needed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memd.extract import turns
from memd.extract.house import House
from memd.extract.proposal import Proposal
from memd.extract.window import Window
from memd.memory import history, journal, whose, witnessed
from memd.memory.witnessed import Witnessed
from memd.transcripts.model import Wrote


def of_agents(new: Window, house: House) -> None:
    """Note the versions that the conversation shows the main agent wrote, where they still stand.

    And the files of which it shows that a person had a part in them: the agent changed what neither it nor memd had
    written, or a person changed what it was about to write. What is not shown counts as a person's.
    """
    messages = [message for turn in new.turns for message in turn.messages]
    writes = turns.memory_writes(
        messages,
        memory_dir=new.place.path,
        written_path=lambda call: house.transcripts.written_path(call, new.reading.cwd),
    )
    if not writes:
        return
    place, runs = new.place.path, house.paths.history
    known = witnessed.load(runs, place)
    ours = _versions(writes, known, new, house)
    theirs = {path for path, calls in writes.items() if _has_persons_part(calls, ours[path])}
    agents = {path: calls for path, calls in writes.items() if path not in theirs}
    last = {path: calls[-1].after for path, calls in agents.items()}
    shown = whose.shown(place, {path: after for path, after in last.items() if after is not None})
    texts = {path: [_digest(call.after) for call in calls if call.after is not None] for path, calls in agents.items()}
    witnessed.note(runs, place, persons={*known.persons, *theirs}, agents=shown, texts=texts)


def of_persons(found: Proposal, new: Window, house: House) -> None:
    """Note the files in which something is a person's, also where the pass had no need to find that out."""
    place, runs = new.place.path, house.paths.history
    foreign = found.foreign
    if foreign is None:
        foreign = whose.foreign(place, history=runs, past=history.runs(runs, house.known))
    witnessed.note(runs, place, persons=foreign, agents=whose.dated(place, but=foreign))


def _versions(paths: Collection[str], known: Witnessed, new: Window, house: House) -> dict[str, frozenset[str | None]]:
    """The digests of all versions of these files that memd wrote, and of those that agents were seen to write."""
    found = {path: {known.agents.get(path), *known.texts.get(path, ())} for path in paths}
    for record in history.runs(house.paths.history, house.known):
        if record.memory_dir == str(new.place.path):
            for file in record.files:
                if file.path in found:
                    found[file.path].add(file.after)
    return {path: frozenset(digests - {None}) for path, digests in found.items()}


def _has_persons_part(calls: Sequence[Wrote], ours: Collection[str | None]) -> bool:
    """Whether some call went by what a person had written; `ours`: the digests of versions that no person wrote."""
    written = set(ours)
    for call in calls:
        before = () if call.before is None else (journal.digest(_bytes(call.before)), _digest(call.before))
        if call.by_person or (call.is_new is False and written.isdisjoint(before)):
            return True
        if call.after is not None:
            written.add(_digest(call.after))
    return False


def _digest(text: str) -> str:
    """Of a file's text but for what Claude Code puts into it by itself."""
    return journal.digest(whose.plain(_bytes(text))) or ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

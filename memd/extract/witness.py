"""What a pass gets to see of who wrote which memory, noted before it is needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memd.extract import turns
from memd.extract.house import House
from memd.extract.proposal import Proposal
from memd.extract.window import Window
from memd.memory import history, journal, whose, witnessed
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
    ours = _versions(writes, known.agents, new, house)
    theirs = {path for path, calls in writes.items() if _has_persons_part(calls, ours[path])}
    last = {path: calls[-1].after for path, calls in writes.items() if path not in theirs}
    shown = whose.shown(place, {path: after for path, after in last.items() if after is not None})
    witnessed.note(runs, place, persons={*known.persons, *theirs}, agents=shown)


def of_persons(found: Proposal, new: Window, house: House) -> None:
    """Note the files in which something is a person's, also where the pass had no need to find that out."""
    place, runs = new.place.path, house.paths.history
    foreign = found.foreign
    if foreign is None:
        foreign = whose.foreign(place, history=runs, past=history.runs(runs, house.known))
    witnessed.note(runs, place, persons=foreign, agents=whose.dated(place, but=foreign))


def _versions(
    paths: Collection[str], agents: Mapping[str, str], new: Window, house: House
) -> dict[str, frozenset[str | None]]:
    """The digests of all versions of these files that memd wrote, and of the last that an agent was seen to write."""
    found = {path: {agents.get(path)} for path in paths}
    for record in history.runs(house.paths.history, house.known):
        if record.memory_dir == str(new.place.path):
            for file in record.files:
                if file.path in found:
                    found[file.path].add(file.after)
    return {path: frozenset(digests - {None}) for path, digests in found.items()}


def _has_persons_part(calls: Sequence[Wrote], ours: Collection[str | None]) -> bool:
    """Whether some call went by what a person had written; `ours`: the digests of versions that no person wrote."""
    previous: bytes | None = None
    for call in calls:
        before = _bytes(call.before)
        is_ours = before is not None and (
            journal.digest(before) in ours or (previous is not None and whose.plain(before) == whose.plain(previous))
        )
        if call.by_person or (call.is_new is False and not is_ours):
            return True
        previous = _bytes(call.after)
    return False


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")

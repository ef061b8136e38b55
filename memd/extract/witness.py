"""What a pass gets to see of who wrote which memory, noted before it is needed."""

from __future__ import annotations

from memd.extract import turns
from memd.extract.house import House
from memd.extract.proposal import Proposal
from memd.extract.window import Window
from memd.memory import whose, witnessed


def of_agents(new: Window, house: House) -> None:
    """Note the versions that the conversation shows the main agent wrote, where they still stand."""
    messages = [message for turn in new.turns for message in turn.messages]
    writes = turns.memory_writes(
        messages,
        memory_dir=new.place.path,
        written_path=lambda call: house.transcripts.written_path(call, new.reading.cwd),
    )
    if shown := whose.shown(new.place.path, writes):
        witnessed.note(house.paths.history, new.place.path, agents=shown)


def of_persons(found: Proposal, new: Window, house: House) -> None:
    """Note the files in which something is a person's, where the pass found that out."""
    if found.foreign is not None:
        witnessed.note(house.paths.history, new.place.path, persons=found.foreign)

"""The conversations that a model's dream may search: this project's that passes have read, cleaned as for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memd.agent import evidence
from memd.agent.conversations import Conversations, Said
from memd.dream.gates import Place
from memd.dream.house import House
from memd.errors import MemdError
from memd.ledger.nouns import Mark
from memd.memory import forget
from memd.memory.forget import Bars
from memd.transcripts import agents
from memd.transcripts.model import Cursor

MOST = 40  # conversations, the newest ones
_BYTES, _BYTES_IN_ALL = 4 << 20, 32 << 20  # of a transcript, of all of them


def of(place: Place, house: House, barred: Bars) -> Conversations | None:
    """What may be searched; None where nobody asks, as the offline backend does not."""
    if house.account is None:
        return None
    return Conversations(lambda: _each(place, house, barred))


def _each(place: Place, house: House, barred: Bars) -> Iterator[Said]:
    """What passes looked at, and nothing else: neither what nobody was to learn from nor what came since."""
    transcripts = agents.watched(house.settings.watch.roots, house.environ, house.paths.home)
    room = _BYTES_IN_ALL
    for path in house.ledger.learnt_from(str(place.root), limit=MOST):
        if room <= 0:
            return
        try:
            reading = transcripts.read(Path(path), Cursor(), most=min(_BYTES, room))
        except (OSError, MemdError):  # gone, or nothing to be read by now
            continue
        room -= reading.end.offset
        marks = house.ledger.marks(str(place.root), [message.uuid for message in reading.messages])
        messages = [message for message in reading.messages if marks.get(message.uuid) is Mark.LOOKED_AT]
        if messages and not reading.own:
            yield forget.without(evidence.clean(messages, house.clock.now().tzinfo), barred)

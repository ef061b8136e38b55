"""How much of a conversation one pass shows a model, and where the next one goes on.

A model is shown what one look holds. Of a longer conversation that is its first part: the cursor then stays where it
is, and remembers how far behind it passes have come. It moves once the last part was looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from memd.agent import dividing, money, packing
from memd.agent.dividing import START, Place
from memd.agent.packing import Part, Piece
from memd.extract.house import House
from memd.extract.window import Window
from memd.memory.quotes import Speaker, Utterance
from memd.transcripts.model import Inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one pass deals with."""

    said: tuple[Utterance, ...]  # what may be learnt from
    part: Part | None = None  # what a model is shown of that; None: all of it
    first: int = 1  # the number of the first of `said` in the part
    rest: Inside | None = None  # where the next pass goes on; None: this is the last part

    @property
    def resumes(self) -> bool:
        """Whether an earlier pass saw what lies before it."""
        return self.part is not None and self.part.number > 1


def choose(said: Sequence[Utterance], new: Window, house: House) -> Shown | None:
    """The part whose turn it is; everything where nothing is spent. None: what was left to look at is no more."""
    if house.account is None or not said:
        return Shown(said=tuple(said))
    since = _since(said, new)
    if since is None:
        return None
    done = 0 if new.inside is None or since == START else new.inside.part
    part, ends = packing.first(said, budget=money.room(house.settings, spent=_spent(house)), since=since)
    part = replace(part, number=done + 1, of=done + part.of)
    if ends is None and not done:
        return Shown(said=tuple(said), part=part)
    first = min((one.number for one in part.lines if isinstance(one, Piece)), default=1)
    rest = _rest(said, ends, part, again=new.again) if ends else None
    heard = [_piece(number, one, since, ends) for number, one in enumerate(said, 1)][first - 1 : _end(ends, said)]
    return Shown(said=tuple(heard), part=part, first=first, rest=rest)


def _spent(house: House) -> float:
    return house.ledger.spent_on(house.clock.now().date().isoformat()).dollars


def _piece(number: int, one: Utterance, since: Place, ends: Place | None) -> Utterance:
    """What one part holds of an utterance that goes on in another."""
    start = since.characters if number == since.number else 0
    end = ends.characters if ends and number == ends.number else 0
    if not start and not end:
        return one
    return replace(one, text=dividing.piece_of_a_person(one.text, start, end or len(one.text)))


def _end(ends: Place | None, said: Sequence[Utterance]) -> int:
    """How many utterances a part reaches up to, the one included of which it holds only the beginning."""
    if ends is None:
        return len(said)
    return ends.number if ends.characters else ends.number - 1


def _rest(said: Sequence[Utterance], begins: Place, part: Part, *, again: bool) -> Inside:
    next_one = said[begins.number - 1]
    return Inside(
        uuid=next_one.uuid,
        characters=begins.characters,
        before=_hash_before(next_one, begins.characters),
        part=part.number,
        parts=part.of,
        again=again,
    )


def _since(said: Sequence[Utterance], new: Window) -> Place | None:
    """The place that the passes before came to; an earlier one where the words are no longer those they saw.

    None: no words of a person are left there or behind it.
    """
    if new.inside is None:
        return START
    messages = (message for turn in new.turns for message in turn.messages)
    order = {message.uuid: place for place, message in enumerate(messages)}
    at = order.get(new.inside.uuid)
    if at is None:
        return START
    for number, one in enumerate(said, 1):
        if one.speaker is Speaker.HUMAN and order.get(one.uuid, -1) >= at:
            return Place(number=number, characters=_seen_of(one, new.inside))
    return None


def _seen_of(one: Utterance, inside: Inside) -> int:
    same = one.uuid == inside.uuid and inside.before == _hash_before(one, inside.characters)
    return inside.characters if same else 0


def _hash_before(one: Utterance, characters: int) -> str:
    told = dividing.least_of_a_person(one.text)[:characters] if characters else ""
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

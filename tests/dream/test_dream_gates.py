"""What brings a night's dream about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memd.dream import backlog, gates
from memd.dream import run as dreams
from memd.dream.gates import Gate

if TYPE_CHECKING:
    from tests.dream.conftest import Bed


@pytest.mark.parametrize(("names", "said"), [("all", None), ("none", Gate.QUIET), ("gone", Gate.QUIET)])
def test_a_note_that_the_last_dream_left_open_does_while_it_is_there(bed: Bed, names: str, said: Gate | None) -> None:
    bed.note("Always run make lint before you push")
    known = bed.ledger.dreamt(str(bed.memory))
    chunk = dreams.parts_of(bed.place, bed.house, known)[0]
    carried = {"all": [one.id for one in chunk.notes], "none": [], "gone": ["deleted by hand"]}[names]
    after = backlog.advanced(backlog.loads(known.cursor), chunk, carried=carried, aside=())
    then = replace(known, cursor=backlog.dumps(after))
    assert gates.check(bed.place, then, bed.house, by_hand=False) == said

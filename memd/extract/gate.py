"""Whether a conversation is worth a pass, cheapest question first; every no has a reason a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from memd.extract.turns import Turn, WrittenPath, has_memory_writes_since


class Skip(StrEnum):
    """Why there was no pass. The cursor moves on in every case: what was skipped is dealt with."""

    MEMORY_OFF = "memory_off"  # switched off for this session or project
    OFF_THE_RECORD = "off_the_record"  # `memd off` named this conversation
    EXCLUDED = "project_excluded"  # [projects] exclude names it
    OWN_SESSION = "own_session"  # memd itself started this conversation
    NOTHING_NEW = "nothing_new"  # every message was dealt with before, here or in a conversation it was forked from
    NO_HUMAN_MESSAGE = "no_human_message"  # nobody said anything since the last pass
    FORGOTTEN = "forgotten"  # all that was said is to stay forgotten
    AGENT_WROTE_MEMORY = "agent_wrote_memory"  # the main agent saved memory itself in every turn


MORE = "rest_follows"  # not a skip: why a run that saw a part of a long conversation is not the last about it
KEPT = "already_kept"  # likewise: why a pass over what was dealt with before finds nothing
LEFT_OUT = "left_out:"  # likewise: begins the reason where words look like secrets; the rules' ids follow


def check(
    turns: Sequence[Turn], *, memory_dir: Path, written_path: WrittenPath, by_hand: bool = False
) -> tuple[Turn, ...] | Skip:
    """Return the turns that a pass may learn from, or why there are none.

    Asked turn by turn, as an agent that extracts after every turn would: where the main agent saved memory itself,
    the pass stays out of that turn, unless a person asked for it (`by_hand`).
    """
    if not turns:
        return Skip.NOTHING_NEW
    with_human = [turn for turn in turns if turn.has_human]
    if not with_human:
        return Skip.NO_HUMAN_MESSAGE
    left = tuple(
        turn
        for turn in with_human
        if by_hand or not has_memory_writes_since(turn.messages, None, memory_dir=memory_dir, written_path=written_path)
    )
    return left or Skip.AGENT_WROTE_MEMORY

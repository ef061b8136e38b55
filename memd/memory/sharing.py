"""What may be the team's: one rule for what goes out, for what comes in, and for what a person writes there. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from memd.memory import validate
from memd.memory.decision import Reason
from memd.memory.layout import INDEX, TEAM
from memd.memory.validate import Policy
from memd.memory.workspace import Change

_SHARED = Policy(team=True, needs_quotes=False, by_person=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The rule that a file breaks. `detail` holds rule ids and figures, never a word of the file."""

    reason: Reason
    detail: str = ""


def broken(path: str, data: bytes) -> Broken | None:
    """What keeps a file out of the team's memory, on its way there or back; None: nothing does.

    `path` is relative to `team/`. A plain name at most two levels deep, 250 KB of UTF-8, a whole header with a type
    that is not `user`, something below it, no secret, nothing that reads like an attack.
    """
    if path == INDEX:
        return Broken(reason=Reason.BAD_NAME, detail="every machine makes its own")
    change = Change(path=f"{TEAM}/{path}", before=None, after=data)
    decision = validate.check((change,), window=(), policy=_SHARED)
    found = [(one.reason, one.detail) for one in decision.dropped] + [(one.reason, one.detail) for one in decision.held]
    return Broken(reason=found[0][0], detail=found[0][1]) if found else None

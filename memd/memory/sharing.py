"""What may be the team's: one rule for what goes out, for what comes in, and for what a person writes there. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from memd.memory import layout, validate
from memd.memory.decision import Reason
from memd.memory.layout import INDEX, LEVELS, NOT_TOPICS, TEAM
from memd.memory.validate import Policy
from memd.memory.workspace import Change

_SHARED = Policy(team=True, needs_quotes=False, by_person=True)
_IN_WORDS = {
    Reason.BAD_NAME: "no name that a memory may have",
    Reason.NOT_UTF8: "not UTF-8 text",
    Reason.TOO_LARGE: f"more than {layout.TEAM_LIMIT // 1024} KB",
    Reason.BAD_FRONTMATTER: "its header is not valid: name, description and type are required",
    Reason.BAD_TYPE: "its type is none of feedback, project, reference",
    Reason.EMPTY_BODY: "there is no text below its header",
    Reason.NOT_REWRITABLE: "its header cannot be rewritten safely",
    Reason.PRIVATE: "who somebody is stays in their own memory",
    Reason.SECRET: "it holds a secret",
    Reason.SUSPICIOUS: "it reads like an attack",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The rule that a file breaks. `detail` holds rule ids and figures, never a word of the file."""

    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        """For people."""
        said = _IN_WORDS.get(self.reason, self.reason.replace("_", " "))
        return f"{said} ({self.detail})" if self.detail else said


def is_plain(path: str) -> bool:
    """Whether a file of the team's may be called so: ASCII, lower case, at most one directory; `path` is below team/.

    Such a name is the same on every disk, whatever that does to case and to accents.
    """
    parts = path.split("/")
    return len(parts) <= LEVELS and parts[0] not in NOT_TOPICS and layout.is_new_name(parts)


def broken(path: str, data: bytes) -> Broken | None:
    """What keeps a file out of the team's memory, on its way there or back; None: nothing does.

    `path` is relative to `team/`. A plain name, 250 KB of UTF-8, a whole header with a type that is not `user`,
    something below it, no secret, nothing that reads like an attack.
    """
    if path == INDEX:
        return Broken(reason=Reason.BAD_NAME, detail="every machine makes its own index")
    if not is_plain(path):
        return Broken(reason=Reason.BAD_NAME)
    change = Change(path=f"{TEAM}/{path}", before=None, after=data)
    decision = validate.check((change,), window=(), policy=_SHARED)
    found = [(one.reason, one.detail) for one in decision.dropped] + [(one.reason, one.detail) for one in decision.held]
    return Broken(reason=found[0][0], detail=found[0][1]) if found else None

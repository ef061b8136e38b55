"""What was decided about a proposal: the nouns that validation, store and history share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memd.memory.marks import Mark
from memd.memory.quotes import Quote
from memd.memory.workspace import Change

_IN_LINE = re.compile(r" in line \d+")


class Reason(StrEnum):
    """Why a change did not go live. The first group drops it, the second holds it for a person."""

    BAD_NAME = "bad_name"  # not a name that a new file may have, or not where a topic may stand
    NOT_UTF8 = "not_utf8"
    TOO_LARGE = "too_large"
    BAD_FRONTMATTER = "bad_frontmatter"
    BAD_TYPE = "bad_type"
    EMPTY_BODY = "empty_body"
    SECRET = "secret"  # noqa: S105 - the reason's name, not a secret
    PINNED = "pinned"
    PROTECTED = "protected"  # a person's file: lines may be added, none may go
    DELETION = "deletion"  # this pass may not delete
    NOT_REWRITABLE = "not_rewritable"  # the quotes cannot be taken out without touching other bytes
    PRIVATE = "private"  # who somebody is stands in nobody else's memory

    NO_QUOTES = "no_quotes"
    QUOTE_NOT_FOUND = "quote_not_found"
    UNGROUNDED = "ungrounded"  # a URL, command, host, path or package that stands in no quote
    FEW_QUOTED_WORDS = "few_quoted_words"
    LOW_CLASS = "low_class"  # the assistant's or an outsider's words only
    NOT_FOR_TEAM = "not_for_team"  # one person's way of working, proposed as everybody's
    CONFLICT = "conflict"  # an edit of this machine that gave way to a team mate's
    CONTRADICTS = "contradicts"  # a person said otherwise of what a person wrote or pinned: only they can tell
    UNDECIDED = "undecided"  # a person wanted it to be a memory, and no dream made it one
    SUSPICIOUS = "suspicious"  # reads like: hide, exfiltrate, touch credentials, switch safety off


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A change that is thrown away; its text is not kept anywhere."""

    path: str
    reason: Reason
    detail: str = ""  # a rule id or a limit, never text of the conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A change that waits for a person: never live, never lost."""

    path: str
    reason: Reason
    change: Change
    quotes: tuple[Quote, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A proposal, sorted."""

    accepted: tuple[Change, ...] = ()  # `evidence` already taken out of the bytes
    held: tuple[Held, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    quotes: Mapping[str, tuple[Quote, ...]] = field(default_factory=dict)  # of the accepted, by path


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What keeps a forgotten memory from coming back: its sources, and its words without telling them."""

    path: str
    uuids: tuple[str, ...] = ()  # of the messages it was made from
    marks: tuple[Mark, ...] = ()


def secret_rules(dropped: Iterable[Dropped]) -> frozenset[str]:
    """The rules by which changes were thrown away because of a secret."""
    details = (one.detail for one in dropped if one.reason is Reason.SECRET)
    return frozenset(rule for detail in details for rule in _IN_LINE.sub("", detail).split(", ") if rule)


class Verdict(StrEnum):
    """What a person decided about a held proposal."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A person's decision about one held proposal. `marks` keep a rejected one from being held again."""

    run: int  # the run that held it
    number: int  # which of that run's, from 1
    verdict: Verdict
    marks: tuple[Mark, ...] = ()

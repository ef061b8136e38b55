"""The shape of a language's cue tables; `english` and `chinese` fill it in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """What a language says for each act of speech, as patterns over a sentence's or clause's `cue` form."""

    # how to work
    request: Pattern[str]  # asks to keep something in mind
    durable: Pattern[str]  # outlives the task, whatever else is said
    lasting: Pattern[str]  # outlives the task when it is part of a directive
    universal: Pattern[str]  # speaks of all of a kind
    sweep: Pattern[str]  # does something once to all of a kind; matched at a sentence's start
    directive: Pattern[str]  # tells the agent what to do; matched at a clause's start
    forbids: Pattern[str]  # such a directive, as a prohibition or a substitution; matched at a clause's start
    habit: Pattern[str]  # a complaint about what the agent keeps doing
    craft: Pattern[str]  # things the agent makes in every task: commits, replies, tests
    preference: Pattern[str]  # a standing taste
    wants: Pattern[str]  # a wish, which may be for this once
    repeated: Pattern[str]  # said before
    aside: Pattern[str]  # marks a remark that is not about the work at hand
    anaphora: Pattern[str]  # the rule is what was just said or done
    next_point: Pattern[str]  # opens another subject; matched at a sentence's start
    task: Pattern[str]  # orders a piece of work, whose requirements follow
    # confirmed choices
    agrees: Pattern[str]  # matched at a message's start
    praises: Pattern[str]  # the choice itself, not the result
    likewise: Pattern[str]  # the same again in other cases
    # who the person is
    role: Pattern[str]
    not_role: Pattern[str]
    speaker: Pattern[str]  # goes on about the speaker
    # what is going on
    asserts: Pattern[str]  # says that something is or happens
    obligation: Pattern[str]  # a date is a deadline
    event: Pattern[str]  # a date belongs to something that others plan
    freeze: Pattern[str]
    decided: Pattern[str]
    settled_by: Pattern[str]  # where, when or by whom; alternatives turned down
    owner: Pattern[str]
    owns_work: Pattern[str]  # a person looks after an undertaking: news by itself
    past: Pattern[str]
    incident: Pattern[str]
    ongoing: Pattern[str]
    debugging: Pattern[str]  # a breakage that is being worked on right here
    code_date: Pattern[str]  # a date that belongs to data or code
    changed: Pattern[str]  # a plan that moved
    own_plan: Pattern[str]  # what the speaker or the agent does next: no news
    # where things are
    place: Pattern[str]  # a tool, site or channel outside the repository
    resource: Pattern[str]
    pointer: Pattern[str]
    kept_at: Pattern[str]  # something is kept at such a place, whatever it is
    hands_over: Pattern[str]  # a link given for this turn's work
    orders: Pattern[str]  # opens with something to do about the place, rather than saying where it is
    # reasons and reach
    reason: Pattern[str]  # opens a stated reason
    standing: Pattern[str]  # a circumstance that lasts, or an experience
    experience: Pattern[str]  # something that went wrong before
    scope: Pattern[str]  # says when or where the rule holds
    # what is not learnt from
    question: Pattern[str]
    polite: Pattern[str]  # a request in the form of a question
    one_off: Pattern[str]
    hypothetical: Pattern[str]
    sarcasm: Pattern[str]
    cheers: Pattern[str]  # praise; after a mishap it is sarcasm
    objects: Pattern[str]  # a serious objection
    mishap: Pattern[str]  # something broke
    harm: Pattern[str]  # asks for damage, which nobody means
    for_others: Pattern[str]
    reported: Pattern[str]
    requirement: Pattern[str]  # of the code at hand
    mood: Pattern[str]
    retracts: Pattern[str]
    jests: Pattern[str]
    overrides: Pattern[str]  # takes the place of what was said last; matched at a sentence's start
    corrects: Pattern[str]


def words(*alternatives: str) -> Pattern[str]:
    """Any of these as whole words; each is a regular expression."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!(?<=\w)\w)")


def anywhere(*alternatives: str) -> Pattern[str]:
    """Any of these, word boundaries or not, as Chinese needs it."""
    return re.compile("|".join(f"(?:{a})" for a in alternatives))


HOST = re.compile(
    r"\\\\[a-z0-9][\w.-]*\\[^\s，。；、）)>\"']+|smb://\S+|https?://[^\s，。；、）)>\"']+"
    r"|(?<![\w./@-])(?:[a-z0-9][a-z0-9-]*\.)+(?!(?:rs|ts|tsx|js|jsx|py|go|json|md|ya?ml|toml|sh|sql|css|html?|txt|java|c|h|cpp"
    r"|rb|csv|xlsx?|lock|log|png|svg|pdf|env|ini|conf|cfg|kt|swift|vue|proto|tf|xml)\b)[a-z]{2,12}(?::\d+)?/[^\s，。；、）)>\"']+"
    r"|(?<![\w./@-])(?:[a-z0-9][a-z0-9-]*\.)+(?:com|org|net|io|internal|corp|intra|local|lan|cn|example|dev|app|cloud|ai)\b"
)
CHANNEL = re.compile(r"(?<![\w/&])#(?![0-9a-f]{6}\b)[a-z][\w-]{2,}")
NEVER_A_PLACE = re.compile(
    r"localhost|127\.0\.0\.1|//\d+\.\d+\.\d+\.\d+|/(?:pull|commit|merge_requests|runs|actions|blob|tree)/|/issues/\d|/-/"
)

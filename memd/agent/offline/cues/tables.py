"""The shape of a language's cue tables: what it says for each act of speech.

All patterns are looked for in a sentence's or a clause's `cue` form. Those that say "matched at the start" carry their
own anchor; all are searched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How people tell an agent how to work."""

    request: Pattern[str]  # asks to keep something in mind
    durable: Pattern[str]  # outlives the task, whatever else is said
    onwards: Pattern[str]  # of these, what only speaks of time: a program may behave so from now on, too
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
    norm: Pattern[str]  # says how things of a kind are to be, without an order; matched at a clause's start
    protests: Pattern[str]  # objects to what was just done; matched at a message's start
    between_us: Pattern[str]  # speaks of people who work together, or of what they make, and not of a program alone
    anaphora: Pattern[str]  # the rule is what was just said or done
    next_point: Pattern[str]  # opens another subject; matched at a sentence's start
    task: Pattern[str]  # orders a piece of work, whose requirements follow
    bound: Pattern[str] = re.compile(r"(?!)")  # a norm that cannot be read as a description; at a clause's start


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How people confirm a choice, and give reasons."""

    agrees: Pattern[str]  # matched at a message's start
    praises: Pattern[str]  # the choice itself, not the result
    likewise: Pattern[str]  # the same again in other cases
    carries_over: Pattern[str]  # says plainly that what was done holds for others of its kind
    reason: Pattern[str]  # opens a stated reason
    standing: Pattern[str]  # a circumstance that lasts, or an experience
    experience: Pattern[str]  # something that went wrong before
    scope: Pattern[str]  # says when or where the rule holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """How people say who they are."""

    role: Pattern[str]
    can: Pattern[str]  # names something they know; beside something that they do not, it tells who they are
    cannot: Pattern[str]
    not_role: Pattern[str]
    speaker: Pattern[str]  # goes on about the speaker
    talking: Pattern[str]  # says how to explain things to them


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """How people say what is going on."""

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
    until: Pattern[str]  # an end that others will bring about
    rests: Pattern[str]  # what must not be done before
    outsiders: Pattern[str]  # who will
    debugging: Pattern[str]  # a breakage that is being worked on right here
    code_date: Pattern[str]  # a date that belongs to data or code
    changed: Pattern[str]  # a plan that moved
    own_plan: Pattern[str]  # what the speaker or the agent does next: no news


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How people say where things are."""

    place: Pattern[str]  # a tool, site or channel outside the repository
    resource: Pattern[str]
    pointer: Pattern[str]
    kept_at: Pattern[str]  # something is kept at such a place, whatever it is
    people: Pattern[str]  # what people do at an address, up to the address
    proper: Pattern[str]  # something is kept at what has a proper name; matched in the text as typed
    led_to: Pattern[str]  # what stands before the name of a tool that is a place, and not the work at hand
    hands_over: Pattern[str]  # a link given for this turn's work
    orders: Pattern[str]  # opens with something to do about the place, rather than saying where it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Vetoes:
    """How people say what is nothing to learn from."""

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
    hearsay: Pattern[str]  # a document or a program, not a person, says so
    requirement: Pattern[str]  # of the code at hand
    mood: Pattern[str]
    specifies: Pattern[str]  # opens the description of a thing to be made; matched at a sentence's start


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """How people take back or correct what they said."""

    retracts: Pattern[str]
    jests: Pattern[str]
    overrides: Pattern[str]  # takes the place of what was said last; matched at a sentence's start
    corrects: Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """A language's tables."""

    work: Work
    choices: Choices
    person: Person
    plans: Plans
    places: Places
    vetoes: Vetoes
    turns: Turns


def words(*alternatives: str) -> Pattern[str]:
    """Any of these as whole words; each is a regular expression."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!(?<=\w)\w)")


def anywhere(*alternatives: str) -> Pattern[str]:
    """Any of these, word boundaries or not, as Chinese needs it."""
    return re.compile("|".join(f"(?:{a})" for a in alternatives))

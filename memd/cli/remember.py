"""`memd remember`: a memory in somebody's own words."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from datetime import datetime

import click

from memd.agent.backend import Task
from memd.cli import by_hand, held
from memd.cli.group import Spoken
from memd.cli.here import Here, here
from memd.cli.output import project_option
from memd.cli.words import shown, valid
from memd.clock import SystemClock
from memd.errors import MemdError, RefusedError, UsageError
from memd.memory import kinds, membership, remember, store, teammates, topic, validate, whose, workspace
from memd.memory.decision import Decision
from memd.memory.journal import RunNote
from memd.memory.layout import TEAM
from memd.memory.location import MemoryDir
from memd.memory.quotes import EvidenceClass, Quote, Speaker, Utterance
from memd.memory.remember import Remembered, Statement
from memd.memory.sameness import Sameness
from memd.memory.topic import TopicType
from memd.memory.validate import Policy
from memd.memory.workspace import Change

_LONGEST = 8000  # characters: more is a document
KIND = "remember"  # of run
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposal:
    """What is to be written, and what was decided about it."""

    said: Utterance
    done: Remembered
    decision: Decision


@click.command("remember", cls=Spoken)
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "kind", type=click.Choice([one.value for one in TopicType]), help="What kind of memory it is.")
@click.option("--title", help="A short heading.")
@click.option("--team", is_flag=True, help="Share it with everybody who works on the project.")
@project_option
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.option("--yes", is_flag=True, help="Accepted as everywhere; there is no question here.")
def remember_text(  # noqa: PLR0913 - one parameter an option
    text: tuple[str, ...],
    kind: str | None,
    title: str | None,
    *,
    team: bool,
    directory: str,
    dry_run: bool,
    yes: bool,  # noqa: ARG001 - as its help says
) -> None:
    """Remember TEXT, in a project. `-` reads it from standard input.

    What is remembered already is updated, not written twice. An agent's words go live only for project and reference.
    """
    surroundings = here()
    said = _words(" ".join(text), title)
    place = by_hand.place_of(surroundings, directory)
    if team:
        _require_team(surroundings, place)
    now = SystemClock().now()
    usual = TopicType.PROJECT if kind else _usual_kind(said, surroundings, now)
    statement = Statement(text=said, kind=TopicType(kind) if kind else None, usual=usual, title=title, team=team)
    speaker = by_hand.speaker(surroundings.environ)
    proposal = _proposed(statement, Utterance(speaker=speaker, text=said, uuid="", at=now), surroundings, place)
    if dry_run:
        _show(proposal)
    elif proposal.done.changes:
        by_hand.require_owner(place, surroundings.paths.ledger)
        _save(proposal, surroundings, place)
    else:
        click.echo(f"{shown(proposal.done.path)} says so already; nothing was changed.")


def _require_team(surroundings: Here, place: MemoryDir) -> None:
    """Raise UsageError where there is nobody to share with."""
    if not membership.is_on(surroundings.paths, surroundings.settings, root=place.root, memory_dir=place.path):
        raise UsageError(
            f"{shown(str(place.root))} shares its memory with nobody", hint="`memd team init --remote URL` begins it"
        )


def _words(text: str, title: str | None) -> str:
    """Read and check what is to be remembered. Raises UsageError, and RefusedError for a secret."""
    said = sys.stdin.buffer.read().decode("utf-8", errors="replace") if text == "-" else valid(text)
    if not any(char.isprintable() and not char.isspace() for char in said):
        raise UsageError(
            "there is nothing to remember", hint='say it: memd remember "the staging database is read-only"'
        )
    if len(said) > _LONGEST:
        raise UsageError(
            f"{len(said):,} characters are too many for a memory (limit {_LONGEST:,})",
            hint="say what it comes to, and where the rest is to be found",
        )
    by_hand.refuse_secrets(said if title is None else f"{title}\n\n{said}")
    return said.strip()


def _usual_kind(said: str, surroundings: Here, now: datetime) -> TopicType:
    """Let the rules for conversations tell what kind of statement it is, or its form; `project` where neither does."""
    request = "记住：" if _CHINESE.search(said) else "Remember: "
    asked = _proposed_kind(said, surroundings, now) or kinds.by_form(said)
    return asked or _proposed_kind(request + said, surroundings, now) or TopicType.PROJECT


def _proposed_kind(text: str, surroundings: Here, now: datetime) -> TopicType | None:
    from memd.agent.offline.backend import Offline  # noqa: PLC0415 - a second of patterns; --type needs none

    with workspace.make(surroundings.paths.scratch / "none", surroundings.paths.scratch) as work:
        spoken = Utterance(speaker=Speaker.HUMAN, text=text, uuid="", at=now)
        Offline().propose(Task(workspace=work, new=(spoken,), now=now))
        proposed = (topic.parse(change.after or b"").type for change in workspace.difference(work))
        return next((kind for kind in proposed if kind is not None), None)


def _proposed(statement: Statement, said: Utterance, surroundings: Here, place: MemoryDir) -> _Proposal:
    """Work out the change and have it judged: a person's by the rules of form, an agent's by all of them."""
    there = remember.known(place.path, team=statement.team)
    foreign = whose.foreign(place.path, history=surroundings.paths.history)
    is_person = said.speaker is Speaker.HUMAN
    usable = there if is_person else tuple(one for one in there if one.path not in foreign and not statement.team)
    done = remember.remember(statement, usable, _names(place, statement), foreign)
    changes = done.changes if is_person else tuple(_quoted(change, said.text) for change in done.changes)
    policy = Policy(
        needs_quotes=not is_person, by_person=is_person, may_delete=is_person, foreign=foreign, team=statement.team
    )
    window = (*teammates.words_for(place.path, () if is_person else changes), said)
    decision = validate.check(changes, window=window, policy=policy)
    refused = [one for one in decision.dropped if one.path == done.path]
    if refused:
        raise RefusedError(f"this cannot be saved: {held.in_words(refused[0].reason, refused[0].detail)}")
    if is_person:
        quote = Quote(text=said.text, evidence=EvidenceClass.HUMAN, uuid="", at=said.at)
        decision = replace(decision, quotes={change.path: (quote,) for change in decision.accepted if change.after})
    return _Proposal(said=said, done=done, decision=decision)


def _names(place: MemoryDir, statement: Statement) -> frozenset[str]:
    try:
        return frozenset(path.name for path in (place.path / TEAM if statement.team else place.path).iterdir())
    except FileNotFoundError:
        return frozenset()


def _quoted(change: Change, said: str) -> Change:
    """A change with the words it stands on, as the rules for agents want it."""
    return change if change.after is None else replace(change, after=topic.with_evidence(change.after, (said,)))


def _show(proposal: _Proposal) -> None:
    click.echo(_sentence(proposal, would=True))
    for change in (*proposal.decision.accepted, *(one.change for one in proposal.decision.held)):
        if change.after is not None:
            click.echo(f"\n{change.path}\n\n{valid(change.after.decode())}", nl=False)


def _save(proposal: _Proposal, surroundings: Here, place: MemoryDir) -> None:
    decision, said = proposal.decision, proposal.said
    bullets = [remember.bullet(proposal.done, said.text, said.speaker.value)] if decision.accepted else []
    note = RunNote(
        kind=KIND,
        started=said.at or SystemClock().now(),
        project=str(place.root),
        quotes=decision.quotes,
        held=decision.held,
    )
    applied = by_hand.carry_out(
        surroundings.paths, place.path, lambda memory: store.plan(memory, decision.accepted, bullets), note
    )
    if applied.conflicts:
        raise MemdError(
            f"{shown(proposal.done.path)} was changed at the same moment; the words are in today's log",
            hint="say it again to have it in a memory",
        )
    click.echo(f"{_sentence(proposal, would=False)} (run {applied.run_id})")
    if decision.held:
        click.echo(f"`memd review accept {applied.run_id}.1` makes it live; that is for a person to do.")


def _sentence(proposal: _Proposal, *, would: bool) -> str:
    """Say what comes of it."""
    done, path = proposal.done, shown(proposal.done.path)
    will = "would be " if would else ""
    if proposal.decision.held:
        return f"{will}held for review: {path}, because {held.in_words(proposal.decision.held[0].reason)}"
    match done.sameness:
        case Sameness.SAID:
            return f"{path} says so already"
        case Sameness.FULLER:
            return f"{will}updated: {path}"
        case Sameness.DIFFERENT:
            return f"{will}saved: {path}" + (f", in place of {shown(done.replaces)}" if done.replaces else "")
        case Sameness.OTHER:
            return f"{will}saved: {path}"

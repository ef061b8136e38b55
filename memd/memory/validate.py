"""What of a proposal may go live. Pure: nothing here touches a file.

Rules come in order, and the first that a change breaks decides: what breaks a rule of form is dropped, what does not
stand on a person's words or reads like an attack is held for review.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from memd.memory import asked, layout, scope, secrets, suspicion, topic, weighing, words
from memd.memory.decision import Decision, Dropped, Held, Reason
from memd.memory.layout import INDEX, LEVELS, NOT_TOPICS, TEAM
from memd.memory.quotes import Heard, Quote, Utterance, listen
from memd.memory.topic import Topic, TopicType
from memd.memory.weighing import Case
from memd.memory.workspace import Change

__all__ = ["Decision", "Dropped", "Held", "Policy", "Reason", "check", "safe_bullets"]

_GENERATED = frozenset({INDEX, f"{TEAM}/{INDEX}"})
_SAME_SUBJECT = 0.5  # of a deleted topic's content words must stand in what replaces it


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What this kind of run may do."""

    foreign: Collection[str] = ()  # files in which something is a person's: they may grow, nothing of them may go
    may_delete: bool = False  # else a topic goes only where another takes its place
    team: bool = False  # whether `team/` may be written
    needs_quotes: bool = True  # not for what a person does by hand
    by_person: bool = False  # who may change a pinned file, and take lines out of any
    heeds_attacks: bool = True  # not for what a person has read and wants


_EXTRACTION = Policy()


def check(changes: Sequence[Change], *, window: Sequence[Utterance], policy: Policy = _EXTRACTION) -> Decision:
    """Sort a proposal. `window` is what the run saw; quotes are looked for there alone.

    Changes that change nothing vanish, and so does what a proposal does to an index: code rebuilds that.
    """
    decision = Decision(quotes={})
    heard = listen(window) if changes else ()
    deletions = []
    for change in changes:
        if change.path in _GENERATED or change.before == change.after:
            continue
        if change.after is None:
            deletions.append(change)
        else:
            decision = _with(decision, _judged(change, heard, policy))
    for change in deletions:
        decision = _with(decision, _judged_deletion(change, decision.accepted, heard, policy))
    return decision


def safe_bullets(bullets: Sequence[tuple[str | None, str]]) -> tuple[tuple[tuple[str | None, str], ...], int]:
    """The bullets that may stand in a log, and how many may not (secrets; what reads like an attack)."""
    with_secret = _places_with_secrets([text for _, text in bullets])
    safe = (b for place, b in enumerate(bullets) if place not in with_secret and not secrets.find(b[1]))
    good = tuple(b for b in safe if not suspicion.suspicions(b[1]))
    return good, len(bullets) - len(good)


def _places_with_secrets(texts: Sequence[str]) -> frozenset[int]:
    """Which of several one-line texts hold a part of a secret when they are read as one."""
    return frozenset(line - 1 for line in secrets.lines("\n".join(texts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Accepted:
    change: Change
    quotes: tuple[Quote, ...] = ()


_Verdict = _Accepted | Held | Dropped | None


def _with(decision: Decision, verdict: _Verdict) -> Decision:
    match verdict:
        case _Accepted(change=change, quotes=quotes):
            kept = {**decision.quotes, change.path: quotes} if quotes else decision.quotes
            return replace(decision, accepted=(*decision.accepted, change), quotes=kept)
        case Held():
            return replace(decision, held=(*decision.held, verdict))
        case Dropped():
            return replace(decision, dropped=(*decision.dropped, verdict))
        case None:
            return decision


def _judged(change: Change, window: Sequence[Heard], policy: Policy) -> _Verdict:
    data = change.after or b""
    broken = _name_rule(change, policy) or _bytes_rule(data, layout.limit(change.path))
    if broken is not None:
        return Dropped(path=change.path, reason=broken)
    before = topic.parse(change.before or b"")
    case = Case(change=change, before=before, after=topic.parse(data), text=data.decode())
    broken = _form_rule(case) or _ownership_rule(case, policy)
    if broken is not None:
        return Dropped(path=change.path, reason=broken)
    if secret := secrets_in(change.path, case.text):
        said = ", ".join(f"{rule} in line {line}" if line else rule for rule, line in secret)
        return Dropped(path=change.path, reason=Reason.SECRET, detail=said)
    # A date of memd's in a person's file would look like an agent's.
    bare = topic.updated(data, modified=before.modified if _is_others(change, policy) else None)
    if bare is None:
        return Dropped(path=change.path, reason=Reason.NOT_REWRITABLE)
    final = replace(change, after=bare)
    return None if _says_the_same(case) else _weighed(replace(case, change=final), window, policy)


def secrets_in(path: str, text: str) -> tuple[tuple[str, int], ...]:
    """The rules that find a secret in a file or in its name, each with the file's line; 0: not in the lines as such."""
    lines = {found.rule: found.line for found in reversed(secrets.find(text))}
    rules = {found.rule for said in (_as_read(topic.parse(text.encode())), path) for found in secrets.find(said)}
    return tuple((rule, lines.get(rule, 0)) for rule in sorted(rules | lines.keys()))


def _as_read(memory: Topic) -> str:
    """What a reader of the file gets, without YAML's quoting, behind which a secret may not look like one.

    The description a second time with a word a line: YAML folds line breaks, also those inside a broken-up token.
    """
    broken_up = "\n".join(memory.description.split())
    return "\n".join((memory.name, memory.description, memory.body, *memory.evidence, "", broken_up))


def _name_rule(change: Change, policy: Policy) -> Reason | None:
    """A new file's name is plain, and the team's always is; a private one that is there already may have any name."""
    parts = PurePosixPath(change.path).parts
    inner = parts[1:] if policy.team and parts[:1] == (TEAM,) else parts
    if not 1 <= len(inner) <= LEVELS or inner[0] in NOT_TOPICS or not change.path.endswith(".md"):
        return Reason.BAD_NAME
    if any(part.startswith(".") for part in inner) or str(PurePosixPath(*parts)) != change.path or inner[0] == "/":
        return Reason.BAD_NAME
    is_known = change.before is not None and inner == parts
    return None if is_known or layout.is_new_name(inner) else Reason.BAD_NAME


def _bytes_rule(data: bytes, limit: int) -> Reason | None:
    if len(data) > limit:
        return Reason.TOO_LARGE
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Reason.NOT_UTF8
    return Reason.NOT_UTF8 if "\0" in text else None


def _form_rule(case: Case) -> Reason | None:
    problems = set(case.after.problems)
    if problems & {"no-type", "unknown-type"}:
        return Reason.BAD_TYPE
    if "no-body" in problems:
        return Reason.EMPTY_BODY
    if problems:
        return Reason.BAD_FRONTMATTER
    is_private = layout.is_shared(case.change.path) and case.after.type is TopicType.USER
    return Reason.PRIVATE if is_private else None


def _ownership_rule(case: Case, policy: Policy) -> Reason | None:
    if policy.by_person:
        return None
    if case.before.pinned or case.after.pinned:  # only a person pins, too
        return Reason.PINNED
    if _is_others(case.change, policy) and _loses_lines(case.before.body, case.after.body):
        return Reason.PROTECTED
    return None


def _is_others(change: Change, policy: Policy) -> bool:
    """Whether a file holds words of somebody else than memd: what the team shares always does."""
    return change.path in policy.foreign or (layout.is_shared(change.path) and not policy.by_person)


def _loses_lines(before: str, after: str) -> bool:
    """Whether a line of `before` is missing, or stands elsewhere in the order, in `after`."""
    rest = iter([line.rstrip() for line in after.splitlines()])
    return not all(any(line.rstrip() == other for other in rest) for line in before.splitlines() if line.strip())


def _says_the_same(case: Case) -> bool:
    """Whether nothing but the time of change and the evidence differ."""
    plain = [
        replace(side, evidence=(), modified=None, stamp=None, origin_session=None) for side in (case.before, case.after)
    ]
    return case.change.before is not None and plain[0] == plain[1]


def _weighed(case: Case, window: Sequence[Heard], policy: Policy) -> _Verdict:
    """Whether a well-formed change stands on words that were said, by somebody whose words may go live."""
    if not policy.needs_quotes:
        return _unquoted(case, policy)
    found = weighing.weigh(case, window)
    failure = found.failure or scope.failure(case, found.quotes)
    if failure is None:
        return _Accepted(change=found.change, quotes=found.quotes)
    reason, detail = failure
    return Held(path=case.change.path, reason=reason, change=case.change, quotes=found.quotes, detail=detail)


def _unquoted(case: Case, policy: Policy) -> _Verdict:
    failure = weighing.attack(case.after) if policy.heeds_attacks else None
    if failure is None:
        return _Accepted(change=case.change)
    return Held(path=case.change.path, reason=failure[0], change=case.change, detail=failure[1])


def _judged_deletion(change: Change, accepted: Sequence[Change], heard: Sequence[Heard], policy: Policy) -> _Verdict:
    """A topic goes only where this run may delete, where a change takes its place, or a person asks for it."""
    gone = topic.parse(change.before or b"")
    broken = _name_rule(change, policy)
    if broken is None and gone.pinned:
        broken = Reason.PINNED
    if broken is None and _is_others(change, policy):
        broken = Reason.PROTECTED
    may_go = policy.may_delete or any(_replaces(other, gone) for other in accepted)
    if broken is None and not may_go and not asked.to_forget(gone, heard):
        broken = Reason.DELETION
    return _Accepted(change=change) if broken is None else Dropped(path=change.path, reason=broken)


def _replaces(change: Change, gone: Topic) -> bool:
    if change.after is None:
        return False
    new = topic.parse(change.after)
    wanted = words.content_words(weighing.rule_of(gone))
    kept = wanted & words.content_words(weighing.whole(new) + " " + new.name.replace("-", " "))
    return new.type == gone.type and len(kept) >= _SAME_SUBJECT * len(wanted)

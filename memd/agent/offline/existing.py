"""What the memory directory says already: the same again changes nothing, what is new takes the old one's place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memd.agent.offline import absolute, compose, dates, fold, wording, words
from memd.agent.offline.compose import Note
from memd.agent.offline.model import Candidate
from memd.memory import asked, sameness, topic
from memd.memory.grounding import first_paragraph
from memd.memory.layout import INDEX
from memd.memory.quotes import Heard
from memd.memory.sameness import Sameness
from memd.memory.topic import Topic, TopicType

_SUBJECT = 0.7  # share of content words from which on a topic is about the same thing
_CHANGED = 0.5  # the same for what says that something has changed
_TAKEN_BACK = 0.9  # how close what no longer holds is to what says so
_COMMON = 2  # content words that both have, at least
_GROWING = frozenset({TopicType.USER, TopicType.PROJECT})  # what stands there is kept beside what is new
_WHY = re.compile(r"(?m)^\*\*Why:\*\*.*(?:\n(?!\n|\*\*).*)*")
_HOW = re.compile(r"(?m)^\*\*How to apply:\*\*.*(?:\n(?!\n|\*\*).*)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n")
_TOKEN = re.compile(r"[\u4e00-\u9fff]{2}|[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A topic file that is about the same thing as a candidate."""

    path: Path
    topic: Topic
    data: bytes


def find(memory: Path, candidate: Candidate, note: Note) -> Known | None:
    """The closest existing topic of the same type, if it is close enough; one of another type if it is taken back."""
    best: tuple[float, Known] | None = None
    for path in sorted(memory.glob("*.md")):
        if path.name == INDEX:
            continue
        data = path.read_bytes()
        known = topic.parse(data)
        closeness = _closeness(known, candidate, note) if known.type is note.kind else _overturned(known, candidate)
        if closeness and (best is None or closeness > best[0]) and _takes_in(known, data, candidate, note):
            best = (closeness, Known(path=path, topic=known, data=data))
    return best[1] if best else None


def _takes_in(known: Topic, data: bytes, candidate: Candidate, note: Note) -> bool:
    """Whether it can be updated, or need not be: what its file cannot take in is a memory of its own."""
    return _says_so(known, candidate, note) or topic.updated(data) is not None


def overturns(memory: Path, candidate: Candidate) -> bool:
    """Whether something that is there no longer holds by what the candidate says, however little speaks for that."""
    known = find(memory, candidate, compose.note(candidate))
    return known is not None and _overturned(known.topic, candidate) > 0


def forget(memory: Path, heard: Sequence[Heard]) -> str | None:
    """Take out what a person asked to forget, where one topic alone is meant; gives its name."""
    there = [(path, topic.parse(path.read_bytes())) for path in sorted(memory.glob("*.md")) if path.name != INDEX]
    meant = [path for path, known in there if not known.pinned and asked.to_forget(known, heard)]
    if len(meant) != 1:
        return None
    meant[0].unlink()
    return meant[0].name


def _overturned(known: Topic, candidate: Candidate) -> float:
    return _TAKEN_BACK if _overturned_text(first_paragraph(known.body), candidate) else 0.0


def _overturned_text(old: str, candidate: Candidate) -> bool:
    return sameness.takes_back(old, "\n".join((*candidate.context, *candidate.rule)))


def _closeness(known: Topic, candidate: Candidate, note: Note) -> float:
    """How much two have in common, 0 to 1; 0 where they are about different things."""
    old = first_paragraph(known.body)
    left, right = _content(f"{known.description}\n{old}"), _content(note.statement)
    share = words.overlap(left, right)
    says_so = candidate.corrects or candidate.repeats or candidate.overrides
    if not says_so and note.kind is TopicType.FEEDBACK and sameness.is_beside(old, note.statement):
        return 0.0
    corrects = says_so or note.kind in _GROWING
    if len(left & right) >= _COMMON and share >= (_CHANGED if corrects else _SUBJECT):
        return share
    same = sameness.compare(old, note.statement) is not Sameness.OTHER
    return 1.0 if same else _overturned(known, candidate)


def _content(text: str) -> frozenset[str]:
    """Content words; a number or a date is what may change."""
    return words.content(_DIGITS.sub(" ", absolute.without_asides(text)))


def update(known: Known, candidate: Candidate, note: Note, *, modified: str | None) -> bool:
    """Rewrite the topic where the candidate says something new; leave its bytes alone otherwise.

    A pinned one too: that is refused later, and what was said is not lost. False: there is something new, and it
    cannot go in.
    """
    if _says_so(known.topic, candidate, note):
        return True
    body = _renewed(known.topic, candidate, note)
    description = _description(body, note)
    name = note.name if _is_over(known.topic, candidate, note) or not _still_named(known.topic, body) else None
    data = topic.updated(known.data, name=name, description=description, body=body, modified=modified)
    quoted = topic.with_evidence(data, candidate.quotes) if data is not None else None
    if quoted is not None:
        known.path.write_bytes(quoted)
    return quoted is not None


def _says_so(known: Topic, candidate: Candidate, note: Note) -> bool:
    """Whether the topic says the same already, perhaps in other words: same numbers, same polarity, nothing new."""
    old, new = absolute.without_asides(first_paragraph(known.body)), absolute.without_asides(note.statement)
    if fold.signs(old) != fold.signs(new):
        return False
    if note.why and topic.NOT_STATED in "".join(_WHY.findall(known.body)):
        return False
    said, there = _in_order(new), _in_order(old)
    if candidate.corrects or not set(said) <= set(there):
        return False
    # "A, not B" and "B, not A" have the same words.
    rest = iter(there)
    return not fold.signs(new) or all(word in rest for word in said)


def _in_order(text: str) -> list[str]:
    """The content words of a text in the order in which they come."""
    return [word for token in _TOKEN.findall(text) for word in sorted(words.content(token))]


def _still_named(known: Topic, body: str) -> bool:
    """Whether all that the topic's name took from what it said still stands in it."""
    named = words.content(known.name.replace("-", " ").replace("_", " "))
    said = words.content(f"{known.description}\n{first_paragraph(known.body)}")
    return named & said <= words.content(body)


def _renewed(known: Topic, candidate: Candidate, note: Note) -> str:
    """The body with the new statement; a reason and a scope stay where the new one gives none, and so does the rest.

    Not so those of what no longer holds.
    """
    body, old = known.body, first_paragraph(known.body)
    is_over = note.kind is TopicType.FEEDBACK and _is_over(known, candidate, note)
    why = note.why or (topic.NOT_STATED if is_over else _refuted(body, note))
    how = note.how or (topic.NOT_STATED if is_over else None)
    new = body.replace(old, _statement(old, candidate, note), 1) if old else f"{note.statement}\n\n{body}".strip()
    for pattern, label, text in ((_WHY, "Why", why), (_HOW, "How to apply", how)):
        if text:
            line = f"**{label}:** {text}"
            new = pattern.sub(lambda _, line=line: line, new, count=1)  # type: ignore[misc]
    return new


def _is_over(known: Topic, candidate: Candidate, note: Note) -> bool:
    """Whether the new statement says something else of the same; another number is still the same rule."""
    old = first_paragraph(known.body)
    if _overturned_text(old, candidate):
        return True
    how = sameness.compare(_DIGITS.sub("0", old), _DIGITS.sub("0", note.statement))
    return note.kind is TopicType.FEEDBACK and how is Sameness.DIFFERENT


def _refuted(body: str, note: Note) -> str | None:
    """NOT_STATED where the reason that stands there speaks against what is now wanted."""
    new = words.content(note.statement) - words.content(first_paragraph(body))
    return topic.NOT_STATED if new & words.content("".join(_WHY.findall(body))) else None


def _statement(old: str, candidate: Candidate, note: Note) -> str:
    """The new statement for the old one's place; what else stood there of a person or a plan stays."""
    if note.kind not in _GROWING or _overturned_text(old, candidate):
        return note.statement
    wanted = _content(note.statement)
    sentences = [text for text in _SENTENCE.split(old) if text.strip()]
    kept = [text for text in (_kept(text, wanted, candidate) for text in sentences) if text]
    return wording.joined([*kept, note.statement])


def _kept(text: str, wanted: frozenset[str], candidate: Candidate) -> str | None:
    """A sentence as it may stay: one about the same thing only if it had a day, which gives way to the new one."""
    own = _content(text)
    if len(own & wanted) < _COMMON and words.overlap(own, wanted) < _CHANGED:
        return text
    today = candidate.at.date() if candidate.at else None
    if today is None or candidate.kind is not TopicType.PROJECT:
        return None if own <= wanted else text
    coming = {span.day for said in candidate.rule for span in dates.find(said, today) if span.day > today}
    plain = absolute.without_asides(text)
    if own <= wanted or len(coming) != 1 or len(dates.find(plain, today)) != 1:
        return None
    return dates.moved(plain, today, coming.pop())


def _description(body: str, note: Note) -> str:
    """The new description; of a person the old one's start stays in it, as the body does."""
    if note.kind is TopicType.USER and not first_paragraph(body).startswith(note.statement):
        return wording.cut(absolute.without_asides(first_paragraph(body)), compose.DESCRIPTION).rstrip(".。")
    return note.description

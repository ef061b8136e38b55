"""A candidate as a note: its name, its description, its body, all in the words that were said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memd.agent.offline import absolute, dates, facts, pointing, reasons, titles, vetoes, wording, words, work
from memd.agent.offline.model import Candidate
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import is_condition
from memd.agent.offline.sentences import sentence as simplified
from memd.memory import sameness, topic
from memd.memory.topic import TopicType

DESCRIPTION = 150  # characters
_WITH_REASON = frozenset({TopicType.FEEDBACK, TopicType.PROJECT})
_SAYS_LITTLE = 3  # content words, at most, of "that's the way."
_OPEN_MARKS = " ,，;；:：(（–—-"
_HOLE = re.compile(r"\s*[,，;；(（]\s*(?=[,，;；)）.。]|$)|\(\s*\)|（\s*）")
_ORDER = re.compile(
    r"帮我|别(?:嫌|笑|见怪|介意)|给我(?:写|看|列|做)|你(?:先|再)?(?:看|写|查|改)|\b(?:can|could|would) you\b",
    re.IGNORECASE,
)
_LIKEWISE = re.compile(r"\b(?:same (?:way|treatment|thing)|like (?:that|this))\b|[照按](?:这|此)|这么(?:来|做|办|干)")
_CLAUSE = re.compile(r"(?<=[,，;；])(?!\d)")
_PRAISE = 10  # characters, at most, of 这个判断很好
_ROOM = 30  # characters: less of a reason or a choice says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A memory as it is to be written."""

    name: str
    description: str
    kind: TopicType
    statement: str  # the first paragraph
    why: str | None = None
    how: str | None = None

    @property
    def body(self) -> str:
        """The whole body; rules and projects with why and how, as far as they were stated."""
        return topic.body(self.statement, self.why, self.how) if self.kind in _WITH_REASON else self.statement


def verbatim(candidate: Candidate) -> str:
    """All that it states, as it was said, dates made absolute."""
    at = absolute.when(candidate)
    proposal = [candidate.proposal] if candidate.proposal else []  # a day named there is part of an example
    own = [absolute.dated(text, at) for text in dict.fromkeys((*candidate.context, *candidate.rule))]
    return "\n".join([*_subject(candidate), *proposal, *own])


def note(candidate: Candidate) -> Note:
    """The candidate as a careful reader would note it down, nothing added."""
    at = absolute.when(candidate)
    why, how, said = _parted(candidate)
    rest = _reach(said) if candidate.kind is TopicType.FEEDBACK else how
    subject = [wording.tidy(text) for text in _subject(candidate)]
    tidied = [reasons.bare_rule(text) for text in map(wording.tidy, said) if text] or said
    because = wording.tidy(reasons.bare(why)) if why else None
    lines = [*subject, *(absolute.dated(text, at) for text in tidied)]
    choice = _unquoted(wording.tidy(candidate.proposal)) if candidate.proposal else None
    return Note(
        name=titles.title(_nameable(candidate, [*subject, *tidied], at)),
        description=_description([*subject, *tidied], choice, because, at),
        kind=candidate.kind,
        statement=_confirming(lines, choice) if choice else wording.joined(lines),
        why=absolute.dated(wording.whole(because), at) if because else None,
        how=absolute.dated(wording.whole(wording.tidy(reasons.bare(rest))), at) if rest else None,
    )


def _parted(candidate: Candidate) -> tuple[str | None, str | None, list[str]]:
    """The reason, what follows, and the sentences without both; where nothing is left, the reason is the statement."""
    why, how = _why(candidate), _how(candidate)
    for left in ((why, how), (None, how)):
        said = _sentences(candidate, [text for text in left if text])
        if said and not all(map(is_condition, said)):
            return *left, said
    return None, None, _sentences(candidate, ())


def _why(candidate: Candidate) -> str | None:
    """The reason, verbatim; of news only one that is not the news itself."""
    if candidate.kind is TopicType.PROJECT and candidate.reason:
        return candidate.reason if reasons.explains_news(candidate.reason, candidate.rule) else None
    return candidate.reason if candidate.kind is TopicType.FEEDBACK else None


def _how(candidate: Candidate) -> str | None:
    """What follows from a piece of news, verbatim."""
    if candidate.kind is not TopicType.PROJECT:
        return None
    found = (reasons.consequence(text, is_first=place == 0) for place, text in enumerate(candidate.rule))
    return next(filter(None, found), None)


def _reach(said: Sequence[str]) -> str | None:
    """When or where a rule holds."""
    found = filter(None, (reasons.scope(wording.tidy(text)) for text in said))
    return ("；" if words.has_chinese("".join(said)) else "; ").join(dict.fromkeys(found)) or None


def _sentences(candidate: Candidate, elsewhere: Sequence[str]) -> list[str]:
    """The sentences to note, without what stands elsewhere in the note; of rules the ruling ones first."""
    texts = list(dict.fromkeys((*candidate.context, *candidate.rule)))
    if candidate.kind is not TopicType.FEEDBACK:
        texts = [_news(text) for text in texts]
    if candidate.kind not in _WITH_REASON:
        return texts
    left = [_without(text, elsewhere) for text in texts]
    kept = [text for text in left if text and not _says_nothing(text)]
    if candidate.kind is TopicType.FEEDBACK and not any(map(_points_back, kept)):
        kept.sort(key=lambda text: not _is_rule(text))
    return kept or [text for text in left if text]


def _without(text: str, elsewhere: Sequence[str]) -> str:
    """A sentence without the pieces that are told elsewhere; empty where that leaves nothing."""
    for piece in elsewhere:
        if piece in text:
            rest = _HOLE.sub("", text.replace(piece, "", 1)).strip(_OPEN_MARKS)
            text = rest if words.content(wording.tidy(rest)) else ""
    return text


def _is_rule(text: str) -> bool:
    own = simplified(text)
    found = work.own(own) - {work.Sign.CRAFT, work.Sign.REPEATED, work.Sign.ASIDE}
    return bool(found) or (work.directs(own) and not own.chinese)


def _points_back(text: str) -> bool:
    """Whether it speaks of what stands before it."""
    own = simplified(text)
    table = cues(own)
    return bool(table.work.anaphora.search(own.cue) or _LIKEWISE.search(own.cue))


def _says_nothing(text: str) -> bool:
    """Whether it is a word of agreement or an announcement alone."""
    own = simplified(text)
    if len(words.content(text)) > _SAYS_LITTLE or _is_rule(text):
        return False
    return cues(own).choices.agrees.search(own.cue) is not None


def _subject(candidate: Candidate) -> tuple[str, ...]:
    """What was said before about the same, with the new date in the old one's place."""
    at = absolute.when(candidate)
    if candidate.subject is None or at is None:
        return ()
    today = at.today
    before = [_news(text) for text in candidate.subject.rule]
    older = {span.day for text in before for span in dates.find(text, today)}
    coming = [span.day for text in candidate.rule for span in dates.find(text, today) if span.day > today]
    coming = [day for day in coming if day not in older] or coming
    return tuple(dates.moved(text, today, coming[-1]) for text in before) if coming else ()


def _news(text: str) -> str:
    """A sentence without its clauses that ask or order something, unless nothing else is left."""
    clauses = _CLAUSE.split(text)
    kept = [clause for clause in clauses if not vetoes.asks(simplified(clause)) and not _ORDER.search(clause)]
    rest = "".join(kept).strip(_OPEN_MARKS)
    if words.has_chinese(rest) and len(words.content(rest)) < _SAYS_LITTLE:
        return text  # "list what to check for the launch of X, it is on Saturday": only the order names it
    return rest or text


def says_enough(candidate: Candidate) -> bool:
    """Whether some clause of what was said stands by itself, without pointing at what was done before."""
    if all(pointing.says_how(simplified(text)) for text in candidate.rule):
        return False
    clauses = [clause for text in candidate.rule for clause in _CLAUSE.split(wording.tidy(text))]
    return any(len(words.content(clause)) >= _SAYS_LITTLE and not _points_back(clause) for clause in clauses)


def _unquoted(text: str) -> str:
    return text[1:-1] if re.fullmatch(r"\"[^\"]*\"|“[^”]*”", text) else text


def _confirming(lines: list[str], choice: str) -> str:
    """The reply, and in quotation marks the choice that it confirms."""
    text = wording.joined(lines).rstrip(".。!！")
    if words.has_chinese(text):
        return f"{text}：“{wording.whole(choice)}”"
    return f'{text}: "{wording.whole(choice)}"'


def _description(said: Sequence[str], choice: str | None, because: str | None, at: absolute.When | None) -> str:
    """As many whole statements as a line holds, the reason last."""
    texts = [
        absolute.absolute(text, at) for text in (*said, *([choice] if choice else []), *([because] if because else []))
    ]
    line = wording.capital(wording.cut(texts[0], DESCRIPTION).rstrip(".。!！"))
    for text in texts[1:]:
        glue = "；" if words.has_chinese(line) else "; "
        room = DESCRIPTION - len(line) - len(glue)
        if len(text) > room and room < _ROOM:
            break
        line = f"{line}{glue}{wording.cut(text, room).rstrip('.。!！')}"
    return line


def _nameable(candidate: Candidate, said: Sequence[str], at: absolute.When | None) -> str:
    """The words that a name is made of: no dates, no praise."""
    texts = [absolute.undated(text, at) for text in said if not sameness.says_what_is_over(text)]
    texts = texts or [absolute.undated(text, at) for text in said]
    if candidate.kind is TopicType.USER:
        texts = [clause for text in texts for clause in _CLAUSE.split(text)]
        texts.sort(key=lambda text: not facts.is_role(simplified(text)))
    if candidate.proposal:
        texts = [_without_praise(text) for text in texts]
        texts = [*([] if len(words.content(texts[0])) < _SAYS_LITTLE else texts), candidate.proposal]
    return wording.joined(texts)


def _without_praise(text: str) -> str:
    """A reply without its praise: in English the words, in Chinese the clauses that do nothing else."""
    praises = cues(simplified(text)).choices.praises
    if not words.has_chinese(text):
        return praises.sub(" ", text.lower())
    clauses = re.split(r"[,，]", text)
    return "，".join(c for c in clauses if len(c) > _PRAISE or not praises.search(c)) or text

"""Notes of the daily log become memories, or part of one, where that is beyond doubt; what is not is left aside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime

from memd.agent import fates
from memd.agent.backend import Note
from memd.agent.fates import Claim, Fate
from memd.agent.offline import dates, titles, wording
from memd.agent.offline.dreaming import alike, over, pages, pairs, reasons
from memd.agent.offline.dreaming.merging import rank
from memd.agent.offline.dreaming.pages import Page
from memd.memory import kinds, sameness, topic, topic_name, words
from memd.memory.quotes import EvidenceClass
from memd.memory.sameness import Sameness
from memd.memory.topic import TopicType

_DESCRIPTION = 150  # characters
_FEWEST = 2  # content words of a note: "Never rainbow" says enough where a reason stands with it
_AGENT_MAY = frozenset({TopicType.PROJECT, TopicType.REFERENCE})
_WITH_REASON = frozenset({TopicType.FEEDBACK, TopicType.PROJECT})
_DURATION = re.compile(r"in (?:a|an|one) (?:day|week|month)", re.IGNORECASE)
_MINUTE = 60  # seconds: a log's times have no more than minutes
_ISO = re.compile(r"\d{4}-\d\d-\d\d")


Said = tuple[str, str | None, str | None]  # statement, reason, occasion


class Shelf:
    """The topics, found again by their words."""

    def __init__(self, pages: list[Page]) -> None:
        self.pages = pages
        self._by_word: dict[str, list[int]] = {}  # places in `pages`
        self._size: list[int] = []  # content words of each page's statement, when it was put there
        for place in range(len(pages)):
            self._list(place)

    def _list(self, place: int) -> None:
        content = sameness.content(self.pages[place].statement)
        self._size.append(len(content))
        for word in content:
            self._by_word.setdefault(word, []).append(place)

    def add(self, page: Page) -> None:
        """Put a new topic there."""
        self.pages.append(page)
        self._list(len(self.pages) - 1)

    def near(self, text: str, kind: TopicType) -> Iterator[Page]:
        """The topics of a kind that share some words with a text, the newest first."""
        content = sameness.content(text)
        shared: Counter[int] = Counter()
        for word in content:
            shared.update(self._by_word.get(word, ()))
        near = (
            page
            for place, count in shared.items()
            if (page := self.pages[place]).kind is kind
            and not page.gone
            and 2 * count >= min(len(content), self._size[place])
        )
        yield from sorted(near, key=lambda page: (-page.at, page.path))


def distil(notes: Sequence[Note], shelf: Shelf, today: date) -> Iterator[Claim]:
    """Go through the notes, oldest first, and say what became of each; one left aside is named only where it counts."""
    ordered = sorted(notes, key=lambda note: (note.at, note.number))
    twice = _said_twice(ordered)
    for note in ordered:
        claim = _dealt_with(note, shelf, today, is_twice=note.number in twice)
        if not (note.again and claim.fate is Fate.DROPPED):
            yield claim


def _said_twice(notes: Sequence[Note]) -> frozenset[int]:
    """The notes that say what another one says too, of another conversation or another day."""
    found: set[int] = set()
    said = [_said(note)[0] for note in notes]
    for first, second in pairs.neighbours(said):
        one, other = notes[first], notes[second]
        apart = one.session != other.session or one.at.date() != other.at.date()
        if apart and alike.judge(said[first], said[second]) in {Sameness.SAID, Sameness.FULLER}:
            found |= {one.number, other.number}
    return frozenset(found)


def _said(note: Note) -> Said:
    """Statement, reason and occasion, with absolute dates."""
    statement, why, how = reasons.parted(note.text)
    return absolute(statement, note.at), why and absolute(why, note.at), how and absolute(how, note.at)


def absolute(text: str, at: datetime) -> str:
    """A text with the dates that it means."""
    for span in reversed(dates.find(text, at.date())):
        said = text[span.start : span.end]
        if not _DURATION.fullmatch(said) and not re.match(r"\.\w", text[span.end :]):
            text = f"{text[: span.start]}{span.day.isoformat()}{text[span.end :]}"
    return text


def _dealt_with(note: Note, shelf: Shelf, today: date, *, is_twice: bool) -> Claim:
    said = _said(note)
    statement = said[0]
    kind = _kind(note)
    if len(words.content_words(note.text)) < _FEWEST and not note.is_explicit:
        return _dropped(note, fates.UNCLEAR)
    if kind is None:
        return _dropped(note, fates.UNCLEAR)
    if note.evidence is EvidenceClass.OUTSIDE or (note.evidence is EvidenceClass.AGENT and kind not in _AGENT_MAY):
        return _dropped(note, fates.NOBODYS)
    if kind is TopicType.PROJECT and over.over(statement, today):
        return _dropped(note, fates.OVER)
    for page in shelf.near(statement, kind):
        if (claim := _into(note, said, page)) is not None:
            return claim
    if not (note.ripe or is_twice):
        return _dropped(note, fates.ONCE)
    return _made(note, said, kind, shelf)


def _kind(note: Note) -> TopicType | None:
    if note.kind in {one.value for one in TopicType}:
        return TopicType(note.kind)
    return kinds.by_form(note.text) if note.evidence is EvidenceClass.HUMAN else None


def _dropped(note: Note, why: str) -> Claim:
    return Claim(fate=Fate.DROPPED, number=note.number, why=why)


def _into(note: Note, said: Said, page: Page) -> Claim | None:
    """What a note makes of a topic; None: it is about something else."""
    statement, why, how = said
    how_same = alike.judge(page.statement, statement)
    is_for_person = note.is_explicit and not page.may_go
    if how_same is Sameness.OTHER and not (is_for_person and sameness.takes_back(page.statement, statement)):
        return None
    body, quotes = reasons.taken_in(page.body, topic.body(statement, why, how)) if page.may_go else (page.body, [])
    if how_same is Sameness.SAID:
        if quotes and _class_rank(note) >= rank(page):
            page.body = body
            _stand_on(page, note)
        return Claim(fate=Fate.MERGED, number=note.number, into=page.path)
    if is_for_person:
        page.otherwise(statement, _description(statement), note.text, keeps_reason=how_same is Sameness.FULLER)
        return Claim(fate=Fate.DISTILLED, number=note.number, into=page.path)
    if how_same is Sameness.DIFFERENT and note.at.timestamp() + _MINUTE <= page.at:
        return _dropped(note, fates.SUPERSEDED)
    if not page.may_go or _class_rank(note) < rank(page):
        return _dropped(note, fates.STANDS)
    page.body = body if how_same is Sameness.FULLER else pages.without_reason(page.body)
    page.say(statement, _description(statement))
    _stand_on(page, note)
    return Claim(fate=Fate.DISTILLED, number=note.number, into=page.path)


def _class_rank(note: Note) -> int:
    return (EvidenceClass.OUTSIDE, EvidenceClass.AGENT, EvidenceClass.HUMAN).index(note.evidence)


def _stand_on(page: Page, note: Note) -> None:
    page.quotes.append(note.text)
    page.at = max(page.at, note.at.timestamp())


def _made(note: Note, said: Said, kind: TopicType, shelf: Shelf) -> Claim:
    statement, why, how = said
    name = titles.title(_ISO.sub(" ", statement))
    path = topic_name.filename(kind, name, _taken(shelf.pages))
    body = topic.body(statement, why, how) if kind in _WITH_REASON else statement
    page = Page(
        path=path,
        data=None,
        kind=kind,
        name=name,
        description=_description(statement),
        body=body,
        at=note.at.timestamp(),
        evidence_class=note.evidence,
        session=note.session,
        quotes=[note.text],
    )
    shelf.add(page)
    return Claim(fate=Fate.DISTILLED, number=note.number, into=path)


def _taken(pages: Collection[Page]) -> list[str]:
    return [page.path for page in pages]


def _description(statement: str) -> str:
    return wording.cut(statement, _DESCRIPTION).rstrip(".。")

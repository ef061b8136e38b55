"""Whether a memory stands on words that were really said, and by whom."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memd.memory import pastes, speech, words


class Speaker(StrEnum):
    """Whose words an utterance holds."""

    HUMAN = "human"
    ASSISTANT = "assistant"
    TOOL = "tool"
    TEAM = "team"  # what a team mate wrote down; a run is judged by it and not told


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One message as a pass may see it: injected text, private blocks and secrets already taken out."""

    speaker: Speaker
    text: str
    uuid: str
    at: datetime | None = None  # aware, in the zone that relative dates count from


class EvidenceClass(StrEnum):
    """Whose words a memory stands on; of several quotes, the lowest counts."""

    HUMAN = "human"  # a person typed it
    AGENT = "agent"  # the assistant said it
    OUTSIDE = "outside"  # a tool, a web page, something pasted, a team mate's file


_DENIED = re.compile(
    r"""(?:\b(?:never|not|cannot|avoid|stop|dont|\w+n['’]t)[ ]
    |(?<!能)不能|(?<!要)不要|不得|不准|不再|别再?|禁止|切勿|不)\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_DENIAL = 12  # characters that are looked at before a quote
_HIGHEST_FIRST = (EvidenceClass.HUMAN, EvidenceClass.AGENT, EvidenceClass.OUTSIDE)
_WORDS = re.compile(r"\S+")
_CLAUSES = re.compile(r"[,;:!?，；：！？。]|\.(?!\w)")
_ECHO = 0.75  # of a quote's content words stand together in what a tool said before
_FEWEST_ECHOED = 3  # content words
_SAID_BEFORE = 80  # characters in which "as you told me" may stand before a quote
_ATTRIBUTES = re.compile(
    r"""\byou(?:'ve|\ have)?\s+(?:told|said|asked|want(?:ed)?|prefer(?:red)?|decided|instructed|agreed|approved)\b
    |\b(?:user|person|human)\s+(?:said|says|wants?|wanted|asked|told|prefers?|preferred|decided|approved)\b
    |\b(?:per|at|by|on)\ your\ (?:request|instructions?|wish|orders?)\b
    |[你您](?:说过?|要求|告诉|希望|让我|决定)|用户(?:说过?|要求|希望|告诉|决定)|按[你您]的""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKS = " \t.,;:!?\"'“”„«»「」『』‘’()，。；：！？（）"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words a memory stands on, as they were said. Kept in the run's record, never in the memory's file."""

    text: str
    evidence: EvidenceClass
    uuid: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An utterance made ready for looking quotes up in it: folded texts by class, each but for the whole of one length.

    In `own` stands what the person typed themselves, with what others say in it; in `said` the same with other people's
    sentences blanked out, in `claimed` with questions blanked out too.
    """

    utterance: Utterance
    whole: str
    own: str = ""
    said: str = ""
    claimed: str = ""


def own_words(text: str) -> str:
    """What a person wrote themselves: the message without code fences, `>` lines and pasted logs, traces and code."""
    return pastes.without_pastes(text)


def listen(window: Sequence[Utterance]) -> tuple[Heard, ...]:
    """Make a window ready for quotes; done once, because every quote is looked for in every utterance."""
    return tuple(_heard(utterance) for utterance in window)


def locate(quote: str, window: Sequence[Heard]) -> Quote | None:
    """Where a quote was said, in its highest class; the latest of several places. None: nowhere in the window.

    Compared after NFKC, white space folded. A quote that begins or ends inside a word does not count, nor does one that
    leaves off the "never" or "不要" right before it: that is not what was said.
    """
    wanted = folded(quote)
    if not wanted:
        return None
    for evidence in _HIGHEST_FIRST:
        for heard in reversed(window):
            if _holds(heard, wanted, evidence):
                return Quote(text=quote, evidence=evidence, uuid=heard.utterance.uuid, at=heard.utterance.at)
    return None


def class_of(quotes: Sequence[Quote], window: Sequence[Heard]) -> EvidenceClass:
    """The lowest class among the quotes; a proposal of the assistant's that a person confirmed counts as theirs.

    Not so what it read in the team's memory, where the person does not say it in their own words: it is there already,
    and a "yes" does not make it a rule of theirs.
    """
    classes = {_class(quote, quotes, window) for quote in quotes}
    return max(classes, key=_HIGHEST_FIRST.index, default=EvidenceClass.OUTSIDE)


def _class(quote: Quote, quotes: Sequence[Quote], window: Sequence[Heard]) -> EvidenceClass:
    reply = _reply_to(quote, quotes, window)
    if reply is None:
        return _own_class(quote, window)
    is_teams = _repeats(quote, [heard.whole for heard in window if heard.utterance.speaker == Speaker.TEAM])
    is_own = not is_teams or words.repeats(reply.text, quote.text)
    return EvidenceClass.HUMAN if is_own else EvidenceClass.OUTSIDE


def telling(quotes: Sequence[Quote], window: Sequence[Heard]) -> tuple[Quote, ...]:
    """The quotes that say something: more than one word of content, a whole clause, or agreement to another."""
    replies = {id(reply) for quote in quotes if (reply := _reply_to(quote, quotes, window)) is not None}
    return tuple(quote for quote in quotes if id(quote) in replies or _says_something(quote, window))


def named_in(quotes: Sequence[Quote], window: Sequence[Heard]) -> str:
    """The words of the quotes, without the sentences of others that a person quotes in them."""
    return "\n".join(_part(quote, window, asserted=False) for quote in quotes)


def asserted_in(quotes: Sequence[Quote], window: Sequence[Heard]) -> str:
    """The same without what a person only asks."""
    return "\n".join(_part(quote, window, asserted=True) for quote in quotes)


def people(window: Sequence[Heard]) -> str:
    """All that people assert."""
    return "\n".join(heard.claimed for heard in window if heard.claimed.strip())


def others(heard: Heard) -> Iterator[str]:
    """What in an utterance is neither a person's assertion nor the assistant's: tools, pastes, citations, questions."""
    match heard.utterance.speaker:
        case Speaker.TOOL | Speaker.TEAM:
            yield heard.whole
        case Speaker.HUMAN:
            lines = zip(heard.utterance.text.splitlines(), pastes.pasted_lines(heard.utterance.text), strict=True)
            yield "\n".join(line for line, pasted in lines if pasted)
            yield "".join(char for char, left in zip(heard.own, heard.claimed, strict=True) if left == " ")
        case Speaker.ASSISTANT:
            return


def folded(text: str) -> str:
    """Text for comparing: NFKC, every run of white space one space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _heard(utterance: Utterance) -> Heard:
    whole = folded(utterance.text)
    if utterance.speaker != Speaker.HUMAN:
        return Heard(utterance=utterance, whole=whole)
    text = unicodedata.normalize("NFKC", own_words(utterance.text))
    others = speech.reported(text)
    blanked = (speech.without(text, others), speech.without(text, (*others, *speech.questions(text))))
    said, claimed = (_folded_like(text, other) for other in blanked)
    return Heard(utterance=utterance, whole=whole, own=" ".join(text.split()), said=said, claimed=claimed)


def _folded_like(text: str, blanked: str) -> str:
    """Fold `blanked` at the places where `text` has white space, so that both folded are of one length."""
    return " ".join(blanked[found.start() : found.end()] for found in _WORDS.finditer(text))


def _holds(heard: Heard, wanted: str, evidence: EvidenceClass) -> bool:
    """Whether an utterance has the quote in words that are of this class."""
    speaker = heard.utterance.speaker
    if evidence == EvidenceClass.HUMAN:
        return any(heard.said[start:end].strip(_MARKS) for start, end in _places(wanted, heard.own))
    if (evidence == EvidenceClass.AGENT) != (speaker == Speaker.ASSISTANT):
        return False
    return any(True for _ in _places(wanted, heard.whole))


def _places(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Where `wanted` stands in a text as whole words, with nothing right before it that denies it."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        inside = _in_a_word(text, start) or _in_a_word(text, end)
        if not inside and not _DENIED.search(text[max(0, start - _LONGEST_DENIAL) : start]):
            yield start, end
        start = text.find(wanted, start + 1)


def _in_a_word(text: str, place: int) -> bool:
    """Whether Latin letters go on across a place."""
    around = text[place - 1 : place + 1] if place else ""
    return len(around) == 2 and all(char.isascii() and (char.isalnum() or char == "_") for char in around)  # noqa: PLR2004 - both sides


def _part(quote: Quote, window: Sequence[Heard], *, asserted: bool) -> str:
    """What of a quote counts; of a person's, the place in their message decides, of others' all of it."""
    if quote.evidence != EvidenceClass.HUMAN:
        return quote.text
    parts = [
        (heard.claimed if asserted else heard.said)[start:end]
        for heard in window
        if heard.utterance.uuid == quote.uuid
        for start, end in _places(folded(quote.text), heard.own)
    ]
    return max(parts, key=lambda part: len(part.replace(" ", "")), default="")


def _says_something(quote: Quote, window: Sequence[Heard]) -> bool:
    content = words.content_words(quote.text)
    if not content or speech.length(quote.text) <= 1:
        return False
    return len(content) > 1 or any(
        words.content_words(clause) == content
        for heard in window
        if heard.utterance.uuid == quote.uuid
        for clause in _CLAUSES.split(heard.own or heard.whole)
        if folded(quote.text).strip(_MARKS) in clause
    )


def _own_class(quote: Quote, window: Sequence[Heard]) -> EvidenceClass:
    """A quote's class by itself: what the assistant repeats from elsewhere or has people say is not its own."""
    if quote.evidence != EvidenceClass.AGENT:
        return quote.evidence
    place = max(place for place, heard in enumerate(window) if heard.utterance.uuid == quote.uuid)
    outside = [text for heard in window[: place + 1] for text in others(heard)]
    if _repeats(quote, outside):
        return EvidenceClass.OUTSIDE
    said = [h for h in window if h.utterance.uuid == quote.uuid and h.utterance.speaker == Speaker.ASSISTANT]
    return EvidenceClass.OUTSIDE if any(_is_reported(quote, heard) for heard in said) else quote.evidence


def _repeats(quote: Quote, outside: Sequence[str]) -> bool:
    """Whether a sentence of the quote stands in what others said."""
    return any(_echoes(sentence, outside) for sentence in speech.sentences(quote.text))


def _echoes(sentence: str, outside: Sequence[str]) -> bool:
    content = words.content_words(sentence)
    return len(content) >= _FEWEST_ECHOED and any(words.together(content, text) >= _ECHO for text in outside)


def _is_reported(quote: Quote, heard: Heard) -> bool:
    """Whether the assistant says this as somebody else's words."""
    reports = speech.reported(heard.whole)
    return any(
        _ATTRIBUTES.search(heard.whole, max(0, start - _SAID_BEFORE), end)
        or any(begin < end and start < stop for begin, stop in reports)
        for start, end in _places(folded(quote.text), heard.whole)
    )


def _reply_to(proposal: Quote, quotes: Sequence[Quote], window: Sequence[Heard]) -> Quote | None:
    """The quote from the next thing the person said after a proposal, where that agrees with it or repeats it."""
    places = [place for place, heard in enumerate(window) if heard.utterance.uuid == proposal.uuid]
    if proposal.evidence != EvidenceClass.AGENT or not places:
        return None
    later = (heard for heard in window[places[-1] + 1 :] if heard.utterance.speaker == Speaker.HUMAN)
    reply = next(later, None)
    if reply is None:
        return None
    quoted = (q for q in quotes if q.uuid == reply.utterance.uuid and q.evidence == EvidenceClass.HUMAN)
    found = next(quoted, None)
    offer = window[places[-1]].utterance.text
    return found if found is not None and _confirms(reply.said, proposal.text, offer) else None


def _confirms(reply: str, choice: str, message: str) -> bool:
    """Whether a reply repeats a choice, or agrees without reserve to a message whose last proposal it is."""
    if words.repeats(reply, choice):
        return True
    return words.agrees(reply) and folded(choice) in folded(words.proposal(message))

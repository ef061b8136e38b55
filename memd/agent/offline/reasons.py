"""Stated reasons, stated reach, stated consequences; nothing is made up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memd.agent.offline import wording, words, work
from memd.agent.offline.model import Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified
from memd.agent.offline.work import Sign

_BREAK = re.compile(
    r",(?!\d)\s*|[，;；(（)）：]\s*|:\s+|(?<=[.!?])\s+|(?<=[。！？])\s*|\s+[-–—]+\s+"
    r"|\s+(?=so (?:the|we|i|it|they|no|don)\b)"
)
_BECAUSE = re.compile(r"\b(?:because|since|so that|cause|cos|cuz)\b|因为|由于", re.IGNORECASE)
_HOW_FOUND = re.compile(r"\b(?:only|just) \w+ $")  # "we only noticed because": no reason for anything
_OBLIGES = re.compile(r"\b(?:must|ha(?:s|ve) to|needs? to)\b|(?:必须|得)(?!到|了)")
_POINTS = re.compile(
    r"\b(?:it|its|them|they|that|thats|this|those|these|then|there|otherwise|one|ones)\b|[这那它]|不然|否则"
)
_FEWEST = 3  # characters
_RULING = frozenset({*work.EXPLICIT, Sign.LASTING, Sign.FORBIDS, Sign.PREFERENCE})
_RULING_CHINESE = frozenset({*work.EXPLICIT, Sign.FORBIDS, Sign.PREFERENCE})
_ABOUT_PEOPLE = re.compile(
    r"(?:i|we|he|she|they|it|nobody|no one|somebody|someone)(?:['’]?(?:m|s|ve|re|d|ll|am|is))?"
    r"\s(?!(?:want|prefer|need|ask|expect) (?:you|it|them))"
    r"|(?:我们|他们|她们|人家|客户|用户|财务|运维|测试)(?!要|得|都要)",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"(?!so\b|and\b|then\b|must\b).{8,}\bthen$|^给[^,，]{1,8}用$", re.IGNORECASE)
_OPENINGS = re.compile(
    r"(?:and\s+|but\s+)?(?:because|since(?!\s+(?:mon|tue|wed|thu|fri|last))|cause|cos|cuz|due to)\s+"
    r"|(?:主要是|主要|因为|由于|毕竟|原因是|所以|因此)\s*",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(
    r"(?:and\s+)?so\s+(?!that\b|far\b|much\b|many\b)|until\s|as long as\s|long as\s|in the meantime|所以|因此"
    r"|(?:没[^,，。]{1,8}|[^,，。]{0,6}[完结好])之?前[^,，。]{0,10}(?:都|得|要|必须|不能|不许)",
    re.IGNORECASE,
)
_SCOPE_ENGLISH = re.compile(
    r"(?:\b(?:when|whenever|while|until|unless|if|even when|even if|any time|every time|each time)\s+(?:\w|`)"
    r"|\b(?:before|after)\s+(?:you|we|i|any|every|each|the|\w+ing)\b"
    r"|\b(?:in|on|under|for|across|within)\s+(?:every|each|any|all|this|our|new|future|prod|production|anything"
    r"|everything)\b"
    r"|\beverywhere\b|(?<![\w-])(?:anything|everything)\s+(?:under|in|on|that|you|we)\b|^(?:any|every|each)\s+\w+"
    r"|^(?:for|in|on)\s+\w+)",
    re.IGNORECASE,
)
_SCOPE_CHINESE = re.compile(
    r"凡是?[^,，。;；:：都]{1,16}|所有[^,，。;；:：的都用别要]{1,12}|任何[^,，。;；:：]{1,12}|每(?:次|个|条|回)[^,，。;；:：都]{0,12}"
    r"|遇到[^,，。;；:：]{1,14}|(?:无论|不管|除非)[^,，。;；:：]{1,14}|[^,，。;；:：]{1,12}(?:的时候|之前|以前)(?=[,，都别要先再]|$)"
    r"|^改\s?[^,，。;；:：别用都先不要]{1,8}|^大表[^,，。;；:：别用都先不要]{0,6}"
)
_NO_REASON = re.compile(  # the other half of a rule, a reproach, a time: none of them says why
    r"(?:and |but )?(?:never|not|always|only|nor|rather than|instead(?: of)?)\s+(?!worth\b|enough\b|every|all\b)"
    r"(?:[\w/.-]+\s*){1,3}(?:, ?ever)?"
    r"|(?:and |but )?no (?!one\b|longer\b)[\w-]+(?:,? (?:ever|please|at all))?"
    r"|(?:(?:as|like) )?i(?:['’]?ve| have)? (?:always |already |just )?(?:keep|kept|said|told|mentioned|asked)"
    r"(?: \w+){0,5}"
    r"|for the \w+ time|(?:last|this) (?:week|month|quarter|year|sprint|night)|yesterday|today|recently"
    r"|(?:我|都|已经|跟你)*(?:说|讲|提|强调)过?了?(?:很多|好多|好几|多少|无数|几)(?:次|遍).{0,4}|(?:请)?记[住牢].{0,5}",
    re.IGNORECASE,
)
_HURTS = re.compile(  # how it is for those who have to live with it
    r"\b(?:is|are|was|were|gets?) (?:such |really |just |always )?(?:an? )?(?:(?:real|huge|total|complete) )?"
    r"(?:pain|nightmare|mess|hassle|chore|headache|nuisance|waste|torture|unreadable|unreviewable|exhausting)\b"
    r"|\bdrives? (?:me|us|everyone) (?:mad|crazy|nuts)\b"
    r"|看不懂|看得(?:头疼|眼花|累)|看着(?:累|头疼)|受不了|(?<!不)太(?:累|乱|痛苦|折腾|费劲)|很(?:痛苦|费劲|折腾)|没(?:有)?人(?:值班|管|看|在)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"(?:所以|因此)\s*(?=\S)|(?:and )?so\s+(?!that\b|far\b|much\b|many\b)", re.IGNORECASE
)  # after its reason
_CIRCUMSTANCE = re.compile(  # how it is with people, before the rule that follows from it
    r"(?:我们|他们|人家|[新老]?(?:客户|用户)|外包|财务|运维|测试|法务|同事|[^,，]{0,4}团队)(?:那边|们|同学|同事)?"
    r"(?:现在|目前|大多|基本|全|还|都|已经|只会|没|看不|不会|不懂|在用|用的)"
)
_OBLIGES_CHINESE = re.compile(
    r"必须|务必|一律|一定要|只能|总是|不(?:用|能|要|准|许|得)|禁止|别|都?(?:得|要)(?=[\u4e00-\u9fff])"
)
_MOST_OF_IT = 0.7  # of a rule's characters: a scope that long would only say the rule again


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A clause of a sentence, verbatim."""

    text: str
    start: int
    end: int


def _parts(text: str) -> list[_Part]:
    starts = [0, *(found.end() for found in _BREAK.finditer(text))]
    ends = [*(found.start() for found in _BREAK.finditer(text)), len(text)]
    return list(_stripped(text, starts, ends))


def _stripped(text: str, starts: list[int], ends: list[int]) -> Iterator[_Part]:
    for start, end in zip(starts, ends, strict=True):
        own = text[start:end].strip(" .。)）!！")
        if len(own) >= _FEWEST:
            place = text.index(own, start)
            yield _Part(text=own, start=place, end=place + len(own))


def reason(sentences: Sequence[Sentence]) -> str | None:
    """The reason that a run of sentences gives: a sentence of its own, or a clause."""
    for place, sentence in enumerate(sentences[1:], start=1):
        if _explains(sentence, sentences[:place]) and not _rules(sentence) and not _is_no_reason(sentence.text):
            return sentence.text
    return next(filter(None, (reason_within(s.text) for s in sentences)), None)


def reason_within(text: str) -> str | None:
    """The clauses of a rule that give its reason, or the experience behind it, verbatim."""
    parts = _parts(text)
    if (before := _before_the_rule(text, parts)) is not None:
        return before
    end = parts[-1].end if parts else 0
    for number, part in enumerate(parts):
        found = _BECAUSE.search(part.text)
        if (
            found
            and not _HOW_FOUND.search(part.text[: found.start()])
            and cues(simplified(part.text)).choices.reason.search(simplified(part.text).cue)
        ):
            opened = words.content(wording.tidy(text[: part.start]))  # something was said before this clause
            whole = bool(number and opened) and not _rules(simplified(part.text[: found.start()]))
            return text[part.start if whole else part.start + found.start() : end] if whole or found.start() else None
    return _beside(text, parts[1:])


def _is_no_reason(text: str) -> bool:
    return _NO_REASON.fullmatch(text.strip(" .。!！,，;；")) is not None


def _before_the_rule(text: str, parts: Sequence[_Part]) -> str | None:
    """The clauses before a rule that opens with "so", or tells of people what makes it necessary."""
    for place, part in enumerate(parts[1:], start=1):
        hence = _FIRST.match(part.text)
        tells = hence or (place == 1 and _CIRCUMSTANCE.match(parts[0].text))
        rule = simplified(part.text[hence.end() :] if hence else part.text)
        if tells and _commands(rule):
            told = [one for one in parts[:place] if words.content(wording.tidy(one.text))]
            if not told or any(_rules(simplified(one.text)) or _is_no_reason(one.text) for one in told):
                return None
            return text[told[0].start : told[-1].end]
    return None


def _commands(own: Sentence) -> bool:
    return _rules(own) or (own.chinese and _OBLIGES_CHINESE.search(own.cue) is not None)


def _beside(text: str, parts: list[_Part]) -> str | None:
    """A clause after the first that reads as a reason, with what follows it up to the next rule."""
    for wanted in ("reason", "standing"):
        speaks = [_speaks(part.text, wanted) for part in parts]
        if any(speaks):
            first = final = len(speaks) - 1 - speaks[::-1].index(True)
            while first and speaks[first - 1]:
                first -= 1
            return text[parts[first].start : _end(parts[final:])]
    last = parts[-1].text if parts else ""
    explains = (_ABOUT_PEOPLE.match(last) and not _is_no_reason(last)) or _PURPOSE.match(last) or _HURTS.search(last)
    return last if explains and not _rules(simplified(last)) else None


def _speaks(part: str, wanted: str) -> bool:
    own = simplified(part)
    speaks = bool(getattr(cues(own).choices, wanted).search(own.cue))
    return speaks and not _rules(own) and not _is_no_reason(part)


def _end(parts: list[_Part]) -> int:
    end = parts[0].end
    for part in parts[1:]:
        if _rules(simplified(part.text)) or scope(part.text):
            break
        end = part.end
    return end


def _rules(sentence: Sentence) -> bool:
    """Whether it tells what to do, and so is the rule rather than its reason."""
    if sentence.chinese:
        return bool(work.own(sentence) & _RULING_CHINESE)
    return bool(work.own(sentence) & _RULING) or (work.directs(sentence) and not _ABOUT_PEOPLE.match(sentence.text))


def _explains(sentence: Sentence, rules: Sequence[Sentence]) -> bool:
    """Whether a sentence is the reason for those before it, and no news that merely stands beside them."""
    table = cues(sentence)
    wrong = table.choices.experience.search(sentence.cue) or table.plans.incident.search(sentence.cue)
    hurts = _HURTS.search(sentence.cue)
    if table.choices.reason.search(sentence.cue) or hurts or (wrong and is_reason(sentence)):
        return True
    named = words.content(" ".join(rule.text for rule in rules)) & words.content(sentence.text)
    return is_reason(sentence) and bool(named or _POINTS.search(sentence.cue))


def is_reason(sentence: Sentence) -> bool:
    """Whether a sentence reads as the reason for the one before it."""
    table = cues(sentence)
    return bool(
        table.choices.reason.search(sentence.cue)
        or table.choices.standing.search(sentence.cue)
        or table.plans.past.search(sentence.cue)
    )


def explains_news(reason: str, news: Sequence[str]) -> bool:
    """Whether a reason is one for a piece of news, and not the news itself: an incident, what went wrong.

    Its words say so ("because", 主要是), or it is how a sentence ends that tells of something else.
    """
    own = simplified(reason)
    table = cues(own)
    says_so = table.choices.reason.search(own.cue) or _PURPOSE.match(reason)
    if reason in news:
        return _BECAUSE.search(reason) is not None or _OPENINGS.match(reason) is not None
    if says_so or consequence(reason, is_first=False) or _OBLIGES.search(own.cue):
        return bool(says_so)
    ends = any(text.rstrip(" .。!！").endswith(reason) for text in news)
    return ends and not (table.plans.past.search(own.cue) and table.plans.incident.search(own.cue))


def bare(reason: str) -> str:
    """A reason without its "because", a consequence without its 所以."""
    return _OPENINGS.sub("", reason, count=1) if _OPENINGS.match(reason) else reason


def bare_rule(rule: str) -> str:
    """A rule without the "so" that ties it to its reason, where that is told elsewhere."""
    found = _FIRST.match(rule)
    return rule[found.end() :] if found and _commands(simplified(rule[found.end() :])) else rule


def consequence(text: str, *, is_first: bool) -> str | None:
    """The clause that says what follows from a piece of news, to the end of the sentence, verbatim.

    A first sentence opens with the news itself.
    """
    parts = _parts(text)
    found = next((part for part in parts[is_first:] if _CONSEQUENCE.match(part.text)), None)
    return text[found.start : parts[-1].end] if found else None


def scope(text: str) -> str | None:
    """The phrases of a rule that say when or where it holds; never the whole rule."""
    parts = [found for part in _parts(text) if (found := _reach(part.text))]
    if sum(map(len, parts)) > _MOST_OF_IT * len(text):
        return None
    return "; ".join(dict.fromkeys(parts)) or None


def _reach(part: str) -> str | None:
    if simplified(part).chinese:
        found = _SCOPE_CHINESE.search(part)
        return found[0].strip() if found else None
    found = _SCOPE_ENGLISH.search(part)
    return part[found.start() :].strip() if found else None

"""Where each statement of a memory comes from: clause by clause, since one honest sentence can carry another along.

Three things speak against a clause: somebody else said it and the person did not; none of it was said by the person at
all; the person said the opposite. Pure, and a matter of words alone: what it lets pass still has to pass the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from memd.memory import words

_ELSEWHERE = 0.6  # of a clause's words stand together in what a tool said, or what people paste, cite and ask
_MARGIN = 0.25  # and so much more of them there than in the person's words
_REPEATED = 0.75  # likewise in what the assistant said, who often repeats people
_HARDLY = 0.34  # while so few of them are the person's
_OPPOSITE, _OPPOSITE_PAIRS = 0.6, 0.4  # of a clause's words are denied here and asserted there
_FEWEST_OPPOSITE = 3

_LABEL = re.compile(r"\*\*(?:Why|How to apply):\*\*|^\s*(?:[-*+>#]+|\d+[.)])\s+|<!--|-->|[`*_]+")
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w-]*)\s*:\s*(?P<value>.*)")
_FORM = frozenset({"type", "metadata", "node_type", "modified", "originSessionId", "pinned", "evidence"})
_GIVEN = re.compile(r"^(?P<label>\*\*(?:Why|How to apply):\*\*)[^\n]*(?:\n(?!\*\*)[^\n]*\S[^\n]*)*", re.MULTILINE)
_NOT_STATED = "not stated"
_SENTENCE = re.compile(r"[.!?](?!\w)|[。！？；;\n]")
_PIECE = re.compile(r"(?:[^.!?。！？；;]|[.!?](?=\w))+[.!?。！？；;]*\s*|[.!?。！？；;]+\s*")
_CLAUSE = re.compile(
    r"[,;:!?()，。；：！？、（）\n]+|\.(?!\w)|\s[-–—]+\s"
    r"|\b(?:and|but|then|because|since|so that|while|whereas|which|unless|until)\b|因为|所以|但是?|并且|而且|然后|否则",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"""\b(?:never|not|no|cannot|without|stop(?:ped|s)?|avoid(?:ed|s)?|nobody|nothing|none|neither|nor
        |(?:do|does|did|is|are|was|were|wo|ca|should|must|could|would|have|has|need)n['’]?t
        |skip(?:ped|s|ping)?|ignor(?:e|es|ed|ing)|bypass(?:es|ed|ing)?|omit\w*|disabl\w+|waiv\w+|forbid\w*|prohibit\w*
        |refus\w+|leave(?=\b[^.]*\balone\b))\b
    |(?<!能)不能|(?<!要)不要|不得|不准|不许|不用|不再|无需|不必|别(?!人|的)|禁止|切勿|严禁|避免|跳过|忽略|绕过|关闭|禁用
    |(?<![能可是要会对行好])不(?![错过仅但同])""",
    re.IGNORECASE | re.VERBOSE,
)


_WITHOUT = frozenset({"without", "不用", "无需", "不必"})  # deny what follows alone


class Doubt(StrEnum):
    """What speaks against a clause."""

    ELSEWHERE = "somebody else's words"
    NOBODYS = "a statement that nobody made"
    OPPOSITE = "the opposite of what was said"


_WORD = re.compile(r"\w+")
_FEWEST = {Doubt.ELSEWHERE: (3, 5), Doubt.NOBODYS: (4, 8)}  # content words of a statement: Latin ones, Chinese pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was said in a conversation, by whose words it is."""

    quoted: str  # by the memory: the person's, or the assistant's where those may count
    people: str  # all that a person asserted
    assistant: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()  # of tools, and what people paste, cite and ask


def doubt(new: str, old: str, said: Said) -> Doubt | None:
    """The first thing that speaks against what is in the text `new` of a memory file and not in `old`."""
    support = _content(old) | _content(said.quoted) | _content(said.people)
    for sentence in sentences(new, old):
        for clause in _stretches(sentence):
            if found := _doubt_of(clause, said, support):
                return found
        support |= words.content_words(sentence)  # what follows may come back to it
    return None


def sentences(new: str, old: str = "") -> Iterator[str]:
    """The sentences of a file that `old` does not have; keys of form are left out."""
    known = {line.strip() for line in old.splitlines()}
    for line in new.splitlines():
        if line.strip() in known or line.strip() == "---":
            continue
        found = _KEY.fullmatch(line.strip())
        if found and found["key"] in _FORM:
            continue
        text = found["value"] if found else line
        if found and found["key"] == "name":
            text = text.replace("-", " ").replace("_", " ")
        yield from (part for part in _SENTENCE.split(_LABEL.sub(" ", text)) if part.strip())


def without_inventions(body: str, old: str, said: Said) -> str:
    """A memory's body without what nobody said; its first sentence, and what somebody else said, have to be judged.

    A reason or an occasion that nobody gave is replaced by saying so.
    """

    def invented(text: str) -> bool:
        return doubt(text, old, said) is Doubt.NOBODYS

    given = _GIVEN.sub(lambda found: f"{found['label']} {_NOT_STATED}" if invented(found[0]) else found[0], body)
    first, *rest = given.split("\n")
    lines = [_kept(first, invented, sure=1), *(_kept(line, invented, sure=0) for line in rest)]
    return "\n".join(line for line in lines if line is not None).strip()


def _kept(line: str, invented: Callable[[str], bool], *, sure: int) -> str | None:
    """A line without its invented sentences, but for the first `sure` ones; None where nothing else was in it."""
    if line.startswith("**") or not line.strip():
        return line
    pieces = [piece[0] for piece in _PIECE.finditer(line)]
    kept = [piece for place, piece in enumerate(pieces) if place < sure or not invented(piece)]
    if len(kept) == len(pieces):
        return line
    text = "".join(kept).rstrip()
    return text if any(char.isalnum() for char in text) else None


def _stretches(sentence: str) -> Iterator[str]:
    """A sentence, each of its clauses, and each two of them in a row."""
    parts = [part for part in _CLAUSE.split(sentence) if part and part.strip()]
    pairs = (" ".join(pair) for pair in pairwise(parts))
    yield from dict.fromkeys((sentence, *parts, *pairs))


def _doubt_of(clause: str, said: Said, support: frozenset[str]) -> Doubt | None:
    content = words.content_words(clause)
    share = len(content & support) / max(len(content), 1)
    if _is_statement(content, Doubt.ELSEWHERE):
        if any(words.together(content, text) >= max(_ELSEWHERE, share + _MARGIN) for text in said.outside):
            return Doubt.ELSEWHERE
        if share < _HARDLY and any(words.together(content, text) >= _REPEATED for text in said.assistant):
            return Doubt.ELSEWHERE
    if not share and _is_statement(content, Doubt.NOBODYS):
        return Doubt.NOBODYS
    return Doubt.OPPOSITE if _is_opposite(clause, said.people) else None


def _is_statement(content: frozenset[str], what: Doubt) -> bool:
    pairs = sum(word > "\u3400" for word in content)
    latin, chinese = _FEWEST[what]
    return len(content) - pairs >= latin or pairs >= chinese


def _is_opposite(clause: str, people: str) -> bool:
    """Whether people denied most of what a clause asserts, or the other way round, and nowhere said it so.

    Whole sentences of theirs they said: "on the 17th, not on the 10th" denies nothing that it asserts.
    """
    if _plain(clause) in _plain_sentences(people):
        return False
    mine = _polarity(clause)
    pairs = sum(word > "\u3400" for word in mine)
    most = max(_FEWEST_OPPOSITE, (_OPPOSITE_PAIRS if 2 * pairs > len(mine) else _OPPOSITE) * len(mine))
    turned = False
    for other in _polarities(people):
        shared = mine.keys() & other.keys()
        same = sum(mine[word] == other[word] for word in shared)
        if same >= most or any(not mine[word] and not other[word] for word in shared):  # both deny the same
            return False
        turned = turned or len(shared) - same >= most
    return turned


@lru_cache(maxsize=64)
def _content(text: str) -> frozenset[str]:
    return words.content_words(text)


@lru_cache(maxsize=64)
def _polarities(people: str) -> tuple[Mapping[str, bool], ...]:
    return tuple(_polarity(part) for part in _CLAUSE.split(people) if part and part.strip())


@lru_cache(maxsize=64)
def _plain_sentences(people: str) -> frozenset[str]:
    return frozenset(map(_plain, _SENTENCE.split(people))) - {""}


def _plain(text: str) -> str:
    """A text's words, however they are set off from each other."""
    return " ".join(_WORD.findall(text.casefold()))


def _polarity(clause: str) -> dict[str, bool]:
    """The content words of a clause, and whether an even number of denials stands before each.

    Where nearly nothing stands behind the only one ("calls are never retried"), all of the clause is denied.
    """
    found: dict[str, bool] = {}
    positive, last = True, 0
    denials = list(_DENIES.finditer(clause))
    for denial in denials:
        found |= dict.fromkeys(words.content_in_order(clause[last : denial.start()]), positive)
        found |= dict.fromkeys(words.content_in_order(denial[0]), positive)
        positive, last = not positive, denial.end()
    rest = words.content_in_order(clause[last:])
    if len(denials) == 1 and len(rest) <= 1 and denials[0][0].lower() not in _WITHOUT:
        found = dict.fromkeys(found, False)
    return found | dict.fromkeys(rest, positive)

"""Where a message goes over into somebody else's text, though no fence or quotation mark shows it.

Whatever its words, such a text gives itself away by how it is handed over ("review this paragraph: ..."), by how
it opens (a salutation, a ticket's header, "as a nurse I want"), or by its numbering. From there on nothing is the
person's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_TEXT = (
    r"(?:e-?mail|mail|ticket|report|story|issue|message|msg|review|comment|guide|guidelines?|policy|spec|excerpt"
    r"|snippet|docs?|documentation|readme|post|thread|minutes|letter|memo|brief|rfc|paragraph|sentence|wording|section"
    r"|entry|handbook|contract|transcript|description|requirements?|criteria|checklist|answer|feedback|text|abstract"
    r"|article|blurb|advert|ad|announcement|draft|faq|terms|page|complaint|request|notice|note|quote|prompt)s?"
)
_WORK_ON_TEXT = (
    r"(?:summari[sz]e|translate|triage|review|proofread|rephrase|reword|paraphrase|shorten|simplify|polish|implement"
    r"|estimate|analy[sz]e|classify|check|turn|convert|answer|explain|critique|rate|extract|edit|correct"
    r"|sanity[- ]check"
    r"|parse|compare|tidy|go through|look (?:at|over|through)|what (?:do|does|is|are)|whats|can you read|read)"
)
_POINTER = r"(?:this|these|that|the following|below|following)"

_HANDS_OVER = re.compile(
    rf"(?:^|[.!?,]\s+|\b(?:please|you|pls)\s+){_WORK_ON_TEXT}\b[^.:!?\n]{{0,60}}?"
    rf"(?:\b{_POINTER}\b|\b{_TEXT}\b|\bfor me\b)[^.:!?\n]{{0,40}}[:：]\s+(?=\S)"
    rf"|^(?:(?:please|pls|ok)\s+)*{_WORK_ON_TEXT}(?: (?:to|into|in) \w+)?[:：]\s*(?=\S)"
    rf"|(?:^|[.!?,]\s+|\b(?:please|you"
    rf"|pls)\s+){_WORK_ON_TEXT}\b[^.:!?\n]{{0,20}}?\b{_POINTER} (?:[\w-]+ ){{0,2}}{_TEXT}\b"
    r"[^.:!?\n]{0,60}\n(?=\s*\S)",
    re.IGNORECASE,
)
_PRESENTS = re.compile(
    rf"\b(?:here(?:'?s| is| are)|this is|this|pasted|pasting|copied|forwarding|forwarded|got|received|came in|from)\b"
    rf"[^.:!?\n]{{0,40}}\b{_TEXT}\b[^.:!\n]{{0,60}}(?:[:：]\s+|[?.]?\s*\n|[?.] {{2,}})(?=\S)",
    re.IGNORECASE,
)
_ASKS_ABOUT = re.compile(
    rf"\b(?:does|do|is|are|how|what|any|thoughts)\b[^.?!\n]{{0,40}}\b(?:{_POINTER} {_TEXT}|{_POINTER} sound"
    rf"|this read)\b"
    r"[^.?!\n]{0,60}\?\s+(?=\S)",
    re.IGNORECASE,
)
_WORKS_ON_TEXT = re.compile(
    rf"^(?:(?:please|pls|ok|can you|could you)\s+)*{_WORK_ON_TEXT}\b|\b{_WORK_ON_TEXT} (?:it|this|these|them|that)\b"
    rf"|\bhere(?:'?s| is| are) (?:what|the|a|my|our|their)\b",
    re.IGNORECASE,
)
_KEEPS = re.compile(
    r"\b(?:remember|memori[sz]e|keep in mind|for (?:the )?future|from now|note (?:this|that)|(?:new|house|ground|two"
    r"|three|few|some|my|our|more) (?:\w+ )?rules?)\b",
    re.IGNORECASE,
)
_STORY = re.compile(r"\b(?:as an?|als) [\w /-]{3,40},? i (?:want|can|need|should|would like|must|may)\b", re.IGNORECASE)
_NAME = r"[A-Z][\w.'-]*"
_SALUTES = re.compile(
    rf"(?<!\w)(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Gg]ood (?:morning|afternoon|evening))"
    rf"(?: (?:all|team|everyone|everybody|folks|both|colleagues|support|sirs?|{_NAME})){{1,3}}\s*[,!:]"
)
_SIGNS_OFF = re.compile(
    rf"(?:[Bb]est|[Rr]egards|[Ww]ishes|[Cc]heers|[Tt]hanks|[Ss]incerely|[Yy]ours|BR|[Gg]reetings)[,.!]?\s+"
    rf"(?:[-–—]\s*)?{_NAME}(?: {_NAME})?\s*$"
)
_HEADER = re.compile(
    r"^\s*(?:-{3,}.*|={3,}.*|(?:from|to|subject|story|title|summary|ticket|issue|scenario|feature|given|acceptance"
    r"|description|priority|reporter)\b[^:\n]{0,20}:.*|AC ?-?\d+\b.*|[A-Z]{2,}-\d+\b.*|§+ ?\d.*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?:\d+\.\d+(?:\.\d+)*\.?|AC ?-?\d+[.:)]?|R\d+[.:)]?|§ ?\d+\S*)\s+\S", re.IGNORECASE)
_FEWEST_NUMBERED = 2  # lines


def own_part(text: str) -> str:
    """`text` up to where somebody else's begins."""
    return text[: min((start for start in _starts(text)), default=len(text))].rstrip()


def worked_on(line: str) -> bool:
    """Whether a line that ends in a colon orders something to be done with the text below it."""
    return _WORKS_ON_TEXT.search(line.strip()) is not None and not _is_own(line)


def hands_over(block: str, following: str) -> bool:
    """Whether a paragraph asks about the text that stands below it."""
    last = re.split(r"\n|(?<=[.!?])\s", block.strip())[-1]
    asks = last.endswith("?") or _WORKS_ON_TEXT.search(last.strip()) is not None
    return asks and len(following) > len(last) and not _is_own(last)


def _starts(text: str) -> Sequence[int]:
    found = [m.end() for p in (_HANDS_OVER, _PRESENTS, _ASKS_ABOUT) for m in p.finditer(text) if not _is_own(m[0])]
    found += [m.start() for m in _STORY.finditer(text)]
    found += [m.start() for m in _SALUTES.finditer(text) if m.start() > 0 or _SIGNS_OFF.search(text)]
    return [*found, *_blocks(text)]


def _is_own(announcement: str) -> bool:
    """Whether what follows is announced as something to keep."""
    return _KEEPS.search(announcement) is not None


def _blocks(text: str) -> Sequence[int]:
    """Where lines of a ticket's or a rule book's form begin, after the first line."""
    starts, numbered, at = [], [], 0
    for line in text.splitlines(keepends=True):
        if at and _HEADER.match(line):
            starts.append(at)
        if _NUMBERED.match(line):
            numbered.append(at)
        at += len(line)
    return starts + (numbered[:1] if len(numbered) >= _FEWEST_NUMBERED else [])

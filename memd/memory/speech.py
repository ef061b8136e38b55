"""What stands in a person's message and is not their assertion: other people's sentences, and questions.

Spans are (start, end) in a text's characters. Where a person repeats in their own words what somebody told them, the
words are theirs; what stands between quotation marks or after "the ticket says:" is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

_SHORTEST_SPEECH = 3  # words (or twice as many Chinese characters); shorter quotations are names of things
_PAIRS = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("‘", "’"))
_QUOTED = re.compile(
    "|".join(rf"{left}[^{left}{right}]{{1,2000}}{right}(?![A-Za-z])" for left, right in _PAIRS)
    + r"|(?:(?<=\s)|(?<=[(:,])|\A)'[^'\n]{1,600}(?:'(?=\w)[^'\n]{0,600}){0,20}'(?=[\s).,;:!?]|\Z)"
)
_SAYS = r"""(?:says?|said|saying|reads?|states?|stated|tells?|told|claims?|claimed|writes?|wrote|suggests?|recommends?|
    replied|answered|quot(?:e|es|ed|ing)|goes|went|quote)"""
_SAYS_ZH = (
    r"(?:写着|写道|写的是|写了|说的是|说过|说道|说|显示|提示|提到|声称|要求|建议|回复|回答|原文|内容是|内容如下|如下)"
)
_PAPER = r"""(?:tickets?|issues?|pages?|wiki\w*|readme\w*|docs?|documentation|manual|website|site|article|blog|posts?|
    threads?|comments?|reviews?|e-?mails?|messages?|logs?|output|errors?|stack\ ?overflow|changelog|paper|answer|
    chatgpt|copilot|pr|slide|banner|tool|linter|bot|spec|file)"""
_PAPER_ZH = (
    r"(?:工单|网页|页面|文档|说明书|手册|文章|博客|帖子|评论|邮件|消息|日志|输出|报错|网站|维基|规范|文件|工具|机器人)"
)
_OWN = re.compile(
    r"(?:\b(?:I|we|let me|I['’]?ll|I['’]?d|I['’]?ve|we['’]?ve|I have|we have)\s+"
    r"(?:\w+\s+)?|(?:我|我们|咱们)\S{0,4})\Z",
    re.IGNORECASE,
)
_REPORT = re.compile(rf"(?:\b{_SAYS}\b|{_SAYS_ZH})[^\n:：,，;；.!?。！？]{{0,40}}[:：]", re.IGNORECASE | re.VERBOSE)
_OF_PAPER = re.compile(
    rf"(?:\b{_PAPER}\b(?:\s+\w+){{0,3}}?\s+{_SAYS}\b|{_PAPER_ZH}\w{{0,3}}?{_SAYS_ZH})[^\n,;.!?，；。！？:：]*",
    re.IGNORECASE | re.VERBOSE,
)
_BELIEF = re.compile(
    r"""\b(?!(?:i|we|you)\s)\w+\s+(?:(?:had|has|have|always|once|just)\s+)?
    (?:thought|believed?s?|assumed?s?|figured|imagined?s?|supposed|pretend(?:s|ed)?
        |insist(?:s|ed)?(?=\s+(?:that\s+)?[^\n,;.!?]*\b(?:is|are|was|were|did|does|had|has|never|works?|worked)\b))\b[^\n;.!?。！？]*
    |(?<![我们])(?:他|她|他们|有人|\w{1,4})(?:以为|误以为|声称|坚称)[^\n;。！？]*""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMED = re.compile(  # what follows is a name
    r"\b(?:under|called|named|titled|labelled|calendar|board|folder|channel|project|space)\W*\Z", re.IGNORECASE
)
_LONGEST_NAME = 6  # words
_BUT = re.compile(r"\s(?:but|however|though|although)\b|但|不过", re.IGNORECASE)

_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:\.(?=\w)[^\n.!?。！？]*)*[.!?。！？]*")
_CLAUSE = re.compile(r"[^,;，；]+[,;，；]*")
_ASKS = re.compile(r"[?？]\s*[\"”」』)）]*\s*\Z|[吗呢]\s*[。.]?\s*\Z")
_REQUEST = re.compile(
    r"""\s*(?:and\s+|so\s+|but\s+|also\s+|hey\s+|ok(?:ay)?\s+)*(?:please\s+)?
    (?: (?:can|could|would|will)\s+(?:you|we|u)\b
        (?!\s+(?:please\s+)?(?:explain|tell|say|check|confirm|clarify|see|know))
      | (?:would|do)\s+you\s+mind\b | why\s+(?:don'?t\s+(?:you|we)|not)\b | (?:how|what)\s+about\b | shall\s+we\b )
    | \s*(?:你|您|请|麻烦|咱们?|我们)?(?:能不能|能否|可不可以|可否|可以|麻烦|请|以后)""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENS_QUESTION = re.compile(
    r"""\s*(?:and\s+|so\s+|but\s+|also\s+|or\s+|hmm+\s+|wait\s+)*
    (?: (?:is|are|was|were|am|do|does|did|have|has|had|should|must|may|might|could|can|would|will|shall|isn'?t|aren'?t|
        don'?t|doesn'?t|didn'?t|shouldn'?t)\s+(?:i|we|you|he|she|it|they|this|that|these|those|there|the|a|an|our|my|your|
        any\w*|every\w*|all)\b
      | (?:what|why|how|when|where|which|who|whose)\b )
    | .*(?:是不是|是否|为什么|为啥|怎么|什么|哪[个些里种]|要不要|该不该|[吗呢])""",
    re.IGNORECASE | re.VERBOSE,
)


def reported(text: str) -> tuple[Span, ...]:
    """Where somebody else speaks: quotations of a sentence's length, what follows "says:", what a page says."""
    return (*_quotations(text), *_after_reports(text), *_of_papers(text), *(m.span() for m in _BELIEF.finditer(text)))


def questions(text: str) -> tuple[Span, ...]:
    """Where the text only asks. A request in a question's form ("can you always ...?") asks for something else."""
    return tuple(span for sentence in _SENTENCE.finditer(text) for span in _asking(sentence))


def without(text: str, spans: tuple[Span, ...]) -> str:
    """The text with these spans blanked out."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = " " * (end - start)
    return "".join(characters)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, stripped."""
    found = (match[0].strip() for match in _SENTENCE.finditer(text))
    return tuple(sentence for sentence in found if any(char.isalnum() for char in sentence))


def is_question(sentence: str) -> bool:
    """Whether a sentence ends as questions do."""
    return bool(_ASKS.search(sentence))


def length(text: str) -> float:
    """How long a text is in words; two Chinese characters are one."""
    chinese = len(re.findall(r"[\u3400-\u9fff\uf900-\ufaff]", text))
    return chinese / 2 + len(re.findall(r"[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’]\w+)?", text))


def _quotations(text: str) -> Iterator[Span]:
    for found in _QUOTED.finditer(text):
        before = text[max(0, found.start() - 60) : found.start()]
        is_said = re.search(rf"(?:\b{_SAYS}|{_SAYS_ZH})\W*\Z", before, re.IGNORECASE | re.VERBOSE)
        is_name = _NAMED.search(before) and length(found[0]) <= _LONGEST_NAME
        if is_said or (length(found[0]) >= _SHORTEST_SPEECH and not is_name):
            yield found.span()


def _after_reports(text: str) -> Iterator[Span]:
    """After a colon at a line's end the rest of the message, else the rest of the line."""
    done = 0
    for found in _REPORT.finditer(text):
        if found.start() < done or _OWN.search(text, max(0, found.start() - 40), found.start()):
            continue
        line_end = text.find("\n", found.end())
        rest = text[found.end() : line_end if line_end >= 0 else len(text)]
        done = len(text) if not rest.strip() or line_end < 0 else line_end
        yield found.end(), done


def _of_papers(text: str) -> Iterator[Span]:
    for found in _OF_PAPER.finditer(text):
        turn = _BUT.search(text, found.start(), found.end())
        yield found.start(), turn.start() if turn else found.end()


def _asking(sentence: re.Match[str]) -> Iterator[Span]:
    """From the clause that begins to ask to the sentence's end; its last clause where none begins so."""
    if not _ASKS.search(sentence[0]):
        return
    clauses = list(_CLAUSE.finditer(sentence[0]))
    if any(_REQUEST.match(clause[0]) for clause in clauses):
        return
    opening = (clause for clause in clauses if _OPENS_QUESTION.match(clause[0]))
    first = next(opening, clauses[-1] if clauses else None)
    if first is not None:
        yield sentence.start() + first.start(), sentence.end()

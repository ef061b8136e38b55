"""What kind of memory a plain sentence makes, where its form tells: who somebody is, where to look, what goes on."""

from __future__ import annotations

import re

from memd.memory.topic import TopicType

_RULE = re.compile(
    r"\b(?:always|never|must(?:n'?t)?|should(?:n'?t)?|don'?t|do not|prefer|avoid|(?<!-)only|please|forbidden)\b"
    r"|不要|不能|不得|必须|务必|应该|总是|一律|始终|禁止|请|先|别",
    re.IGNORECASE,
)
_USER = re.compile(
    r"\A\s*(?:i(?:'m| am)\b|i work as\b|i have (?:been|\w+ years)\b"
    r"|my (?:role|job|title|time ?zone|background|first language|name)\b"
    r"|我(?:是|叫|的(?:角色|职位|时区|背景|母语)|负责|刚开始学|没用过))",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"https?://\S|\b(?:tracked|documented|described|kept|listed|found|filed|recorded) (?:in|at|on|under)\b"
    r"|\b(?:lives?|is|are) (?:in|at|on) (?:the )?(?:\S+ ){0,3}?"
    r"(?:wiki|notion|jira|linear|confluence|slack|drive|tracker|board|repo)\b"
    r"|(?:\A|\s)#[a-z][\w-]+|\b(?:channel|dashboards?|runbook)\b|频道|看板|(?:记录|写|放|保存)在|(?:文档|手册)在",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b(?:until|deadline|freeze|(?:this|next) (?:week|month|quarter|sprint))\b"
    r"|\d{1,2}\s*月\s*\d{1,2}\s*[日号]|[一二三四五六七八九十]+月[一二三四五六七八九十]+[日号]|下(?:周|个?月)|截止|冻结",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\A\s*(?:(?:the|our|we|there|it|this|that)\b|(?-i:[A-Z][a-z]+) (?=\w+(?:s|ed)?\b))"
    r".*\b(?:is|are|was|were|has|have|had|will|owns?|asked|decided|wants?|runs?|uses?)\b",
    re.IGNORECASE,
)


def is_rule(text: str) -> bool:
    """Whether a sentence says how something is to be done."""
    return bool(_RULE.search(text))


def by_form(text: str) -> TopicType | None:
    """The kind that a sentence has by its form; None where it reads like a rule, or tells nothing."""
    if _USER.search(text):
        return TopicType.USER
    if is_rule(text):
        return None
    for pattern, kind in ((_REFERENCE, TopicType.REFERENCE), (_DATED, TopicType.PROJECT), (_TELLS, TopicType.PROJECT)):
        if pattern.search(text):
            return kind
    return None

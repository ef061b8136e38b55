"""Which project facts are over: what they announce lies behind us, and nothing in them lasts."""

from __future__ import annotations

import re
from datetime import date, timedelta

from memd.agent.offline.dreaming.pages import Page
from memd.memory.topic import TopicType

GRACE = timedelta(days=14)  # after the last date: things are put off, and people look back

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)|(\d{4})年(\d{1,2})月(\d{1,2})日")
_COMING = re.compile(
    r"\b(?:until|till|by|before|through|deadline|due|freez\w*|frozen|cut(?:s|ting)?|ships?|launch\w*|releas\w*|demo|review"
    r"|audit|meeting|migrat\w*|cut ?over|goes? live|go-live|ends?|expires?|closed|out of office|vacation|on leave)\b"
    r"|截止|之前|以前|前(?:完成|交|上线|发布)|冻结|封版|上线|发布|评审|演示|审计|到期|结束|休假|请假|迁移|割接|切换",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:since|from (?:\S+ )?\d{4}-\d\d-\d\d on\b|from (?:now|then) on|starting|as of|effective|onwards?"
    r"|decided|chose|agreed|because|incident|outage|broke|was (?:lost|hacked|down)|postmortem"
    r"|always|never|every|each|owns?|replaces?)\b"
    r"|起|开始|自从|以来|决定|选定|敲定|事故|故障|每[天周月次个]|总是|一律|以后|负责",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?m)^\*\*Why:\*\*.*$")


def since(page: Page, today: date) -> date | None:
    """The last date of a project fact that is over by `today`; None: it is not, or nobody can tell."""
    if page.kind is not TopicType.PROJECT or not page.may_go:
        return None
    return over(f"{page.description}\n{_REASON.sub('', page.body)}", today)


def over(text: str, today: date) -> date | None:
    """The same of a text."""
    days = [day for found in _DAY.finditer(text) if (day := _day(found)) is not None]
    if not days or max(days) + GRACE >= today or not _COMING.search(text) or _LASTING.search(text):
        return None
    return max(days)


def _day(found: re.Match[str]) -> date | None:
    year, month, day = (int(part) for part in found.groups() if part)
    try:
        return date(year, month, day)
    except ValueError:
        return None

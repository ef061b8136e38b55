"""What is left out while a tool is in use: how to use it. Warnings stay: that is when they matter. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from memd.memory.topic import TopicType
from memd.memory.topic_header import TopicHeader
from memd.recall import analysis

_WARNS = re.compile(
    r"\b(?:gotchas?|pitfalls?|warn\w*|caution|beware|careful|danger\w*|traps?|bugs?|broken|breaks?|fails?|silent\w*|wrong"
    r"|known issues?|issues?|never|avoid|don'?t|does not|do not|cannot|instead|unless|workarounds?|caveats?)\b"
    r"|坑|注意|小心|警告|陷阱|不要|别用|切勿|已知问题|失败|出错|缺陷",
    re.IGNORECASE,
)


def is_usage_of(header: TopicHeader, text: str, recent_tools: Collection[str]) -> bool:
    """Whether a topic only says how to use a tool that is in use already; `text` is the whole of it."""
    if header.type is not TopicType.REFERENCE or _WARNS.search(text):
        return False
    said = frozenset(analysis.terms(text))
    return any(names and names <= said for names in map(_names, recent_tools))


def _names(tool: str) -> frozenset[str]:
    """The words of a tool's name; `mcp__grafana__query` is named after its server."""
    parts = tool.split("__")
    name = parts[1] if len(parts) > 2 and parts[0] == "mcp" else tool  # noqa: PLR2004 - mcp, server, tool
    return frozenset(analysis.terms(name))

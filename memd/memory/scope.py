"""What of a person's words may become the whole team's: each type has its scope (spec: team memory)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memd.memory import layout
from memd.memory.decision import Reason
from memd.memory.quotes import EvidenceClass, Quote
from memd.memory.topic import TopicType
from memd.memory.weighing import Case, Failure

_EVERYBODYS = re.compile(
    r"""\b(?:we|us|ours?|everyone|everybody|anyone|anybody|nobody|all\ of\ us|teams?|team[ -]?mates?|colleagues
        |co-?workers|conventions?|polic(?:y|ies)|house\ (?:rules?|style)|shared?|project[ -]wide|company
        |org(?:ani[sz]ation)?
        |(?:this|the|whole|entire|across\ the)\ (?:whole\ |entire\ )?(?:project|repo(?:sitory)?|code\ ?base|monorepo))\b
    |我们|咱们|大家|团队|小组|全员|全组|所有人|每个人|任何人|同事|项目|仓库|代码库|公司|规范|约定|统一|共享|分享""",
    re.IGNORECASE | re.VERBOSE,
)


def is_everybodys(text: str) -> bool:
    """Whether somebody speaks of a convention of the whole project, or wants a thing shared."""
    return _EVERYBODYS.search(text) is not None


def failure(case: Case, quotes: Sequence[Quote]) -> Failure | None:
    """Why a memory that a run proposes for the team has to wait; None: it need not.

    How one person likes to work with an agent is theirs, unless they speak for all. What goes on and where to look is
    the team's by its type; who somebody is never gets here.
    """
    if not layout.is_shared(case.change.path) or case.after.type is not TopicType.FEEDBACK:
        return None
    own = (quote.text for quote in quotes if quote.evidence is EvidenceClass.HUMAN)
    return None if any(map(is_everybodys, own)) else (Reason.NOT_FOR_TEAM, "")

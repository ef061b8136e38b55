"""GrepConversations: a few messages of what was said in this project, for a dream."""

from __future__ import annotations

from memd.agent import conversations
from memd.agent.conversations import Conversations
from memd.agent.tools import arguments, limits, walk
from memd.agent.tools.arguments import Kind, Parameter, Tool, Values
from memd.agent.tools.walk import Budget

GREP_CONVERSATIONS = Tool(
    name="GrepConversations",
    what=(
        "Search what was said in this project's conversations with a regular expression (RE2 syntax), the newest "
        "conversation first. Shows single messages, one a line, of a long one the part around what was found; "
        f"at most {conversations.MOST} a search and {conversations.MOST_IN_ALL} in all."
    ),
    parameters=(
        Parameter(name="pattern", what="The expression.", required=True, longest=limits.PATTERN_CHARACTERS),
        Parameter(name="-i", what="Upper and lower case are the same.", kind=Kind.FLAG),
        Parameter(name="head_limit", what=f"How many messages, at most {conversations.MOST}.", kind=Kind.NUMBER),
    ),
)


def grep_conversations(said: Conversations, values: Values, budget: Budget) -> str:
    """The messages in which the pattern is found."""
    pattern = walk.compiled_pattern(
        f"(?m){arguments.text(values, 'pattern')}", ignore_case=arguments.flag(values, "-i")
    )
    most = arguments.number(values, "head_limit", conversations.MOST)
    found = said.search(pattern, most=most, is_over=lambda: budget.spent() is not None)
    shown = "\n".join(found.lines) or "Nothing found."
    return f"{shown}\n[{found.rest}]" if found.rest else shown

"""A conversation as a model sees it: data in lines of JSON, which nothing said in it can leave.

Tags that imitate ours, role names and ends of blocks stay inside a JSON string; angle brackets are escaped as well, so
that no text of the conversation holds a tag at all. What is invisible was taken out before (`evidence.clean`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from memd.memory.quotes import Utterance

_ANGLES = str.maketrans({"<": "\\u003c", ">": "\\u003e"})


def line(utterance: Utterance, number: int) -> str:
    """One utterance: its number, whose words they are, when they were said (with its zone), and the words."""
    fields: dict[str, Any] = {"n": number, "who": utterance.speaker.value}
    if utterance.at is not None:
        fields["at"] = utterance.at.strftime("%Y-%m-%d %a %H:%M %z")
    return quoted(fields | {"text": utterance.text})


def lines(utterances: Iterable[Utterance], first: int = 1) -> str:
    """A conversation, one utterance a line, numbered from `first`."""
    return "\n".join(line(said, number) for number, said in enumerate(utterances, first))


def quoted(value: object) -> str:
    """Any text or fields as one line of JSON without angle brackets."""
    return json.dumps(value, ensure_ascii=False).translate(_ANGLES)

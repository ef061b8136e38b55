"""One turn that is longer than a pass may send, and what a service was really sent of it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence

from tests.fakes.anthropic_server import Json, Server

_WORDS = [
    *("the", "harbour", "office", "wants", "tide", "tables", "metres", "feet", "stay", "until", "every", "ship"),
    *("master", "reads", "new", "ones", "aloud", "once", "again", "because", "old", "charts", "differ", "between"),
    *("northern", "southern", "piers", "while", "night", "watch", "keeps", "own", "notes", "about", "water", "levels"),
]
_ENDS = (". ", "! ", "? ", ".\n", ".\n\n", "。")


def sentences(seed: int, count: int) -> list[str]:
    """Sentences of a person's that nobody takes for a paste; each names a number of its own, and none is another's."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return [_sentence(chance, number) for number in range(count)]


def _sentence(chance: random.Random, number: int) -> str:
    words = chance.choices(_WORDS, k=chance.randint(3, 30))
    words.insert(chance.randrange(len(words)), f"no{number}x")
    return f"We said that {' '.join(words)}{chance.choice(_ENDS)}"


def lines_shown(body: Json) -> list[Json]:
    """The numbered lines of what is new in a request: what a model may learn from."""
    said = body["messages"][0]["content"][-1]["text"]
    shown = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return [one for one in shown if "n" in one]


def said_in(body: Json, speaker: str = "human") -> str:
    """The words of one speaker among them."""
    return "\n".join(one[speaker] for one in lines_shown(body) if speaker in one)


def looks(server: Server) -> list[Json]:
    """The request with which each pass began."""
    return [body for body in server.conversation() if len(body["messages"]) == 1]


def times_shown(words: Sequence[str], bodies: Iterable[Json]) -> list[int]:
    """In how many of the requests each of the texts stands, whole."""
    told = [said_in(body) for body in bodies]
    return [sum(one.strip() in text for text in told) for one in words]

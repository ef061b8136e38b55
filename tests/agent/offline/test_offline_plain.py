"""A rule that is said outright goes live wherever it stands; what only sounds like one does not.

In `plain/`: a line a conversation, its turns parted by " || ", a line break in them by a pilcrow; those that begin with
# say of what kind the next are. Each is said alone, and at several places of a longer talk about something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memd.agent.offline import backend, reading
from memd.memory.quotes import Utterance

PLAIN = Path(__file__).with_name("plain")
Talk = Callable[..., tuple[Utterance, ...]]
Turns = tuple[str, ...]  # the person's and the assistant's, by turns
PLACES = 5
LANGUAGES = pytest.mark.parametrize("language", ["english", "chinese"])

_AROUND: dict[str, tuple[Turns, Turns]] = {
    "english": (
        ("fix the flaky test in tests/test_login.py", "I fixed the race by waiting for the event."),
        ("now rename the helper to make_user", "Renamed."),
    ),
    "chinese": (
        ("修一下 tests/test_login.py 里那个不稳定的测试", "改成等事件了，竞争没有了。"),
        ("把那个辅助函数改名叫 make_user", "改好了。"),
    ),
}
_THEN = {"english": ". Now ", "chinese": "。现在"}


def lines(name: str) -> list[str]:
    text = (PLAIN / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def turns(line: str) -> Turns:
    said = tuple(line.replace("¶", "\n").split(" || "))
    return said if len(said) % 2 == 0 else (*said, "Ok.")


def places(line: str, language: str) -> Iterator[Turns]:
    """The conversation alone, at the opening, joined with a task, in the middle, and at the end."""
    own, (task, other) = turns(line), _AROUND[language]
    yield own
    yield (*own, *task, *other)
    yield (line.rstrip(".。") + _THEN[language] + task[0], task[1], *other) if len(own) == len(task) else (*own, *other)
    yield (*task, *own, *other)
    yield (*task, *own)


def live(said: Turns, talk: Talk) -> int:
    """How many memories go live."""
    texts = (text if number % 2 == 0 else f"A: {text}" for number, text in enumerate(said))
    return len(backend.weigh(reading.messages(talk(*texts)))[0])


def share(kind: str, language: str, talk: Talk, *, every: bool = False) -> float:
    """How often something of a file goes live: each line at one place, by turns, or at every place."""
    asked = [
        said
        for number, line in enumerate(lines(f"{kind}_{language}"))
        for place, said in enumerate(places(line, language))
        if every or place == number % PLACES
    ]
    return sum(live(said, talk) > 0 for said in asked) / len(asked)


@LANGUAGES
def test_a_plain_order_goes_live_wherever_it_stands(language: str, talk: Talk) -> None:
    assert share("directing", language, talk) >= 0.95


@LANGUAGES
def test_what_only_sounds_like_an_order_does_not(language: str, talk: Talk) -> None:
    assert share("alike", language, talk) <= 0.03


@pytest.mark.deep
@LANGUAGES
def test_so_it_is_at_every_place(language: str, talk: Talk) -> None:
    assert share("directing", language, talk, every=True) >= 0.95
    assert share("alike", language, talk, every=True) <= 0.03


@pytest.mark.deep
@pytest.mark.parametrize(("language", "least"), [("english", 0.65), ("chinese", 0.5)])
def test_facts_go_live_at_most_places(language: str, least: float, talk: Talk) -> None:
    """They have no door of their own: only the odds speak for them."""
    assert share("facts", language, talk, every=True) >= least


def test_there_is_enough_to_tell() -> None:
    kinds = ("directing", "alike", "facts")
    counts = {kind: sum(len(lines(f"{kind}_{language}")) for language in _AROUND) for kind in kinds}
    assert counts["directing"] + counts["facts"] >= 60
    assert counts["alike"] >= 60


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("Never push to main directly, always open a PR. Now fix the build", "Never push to main directly"),
        ("以后回答用中文。现在修一下构建", "以后回答用中文"),
    ],
    ids=["english", "chinese"],
)
def test_the_task_beside_a_rule_is_not_part_of_it(said: str, rule: str, talk: Talk) -> None:
    ((one,), _) = backend.weigh(reading.messages(talk(said, "A: Done.", "thanks")))
    (text,) = one.rule
    assert text.startswith(rule)


@pytest.mark.parametrize(
    "said",
    [
        ("from now on use uv instead of pip", "A: Ok.", "no wait, forget that"),
        ("write our contributing guide", "A: What should it say?", "always run the tests before you commit"),
    ],
    ids=["taken back", "a text's"],
)
def test_an_order_that_is_none(said: tuple[str, ...], talk: Talk) -> None:
    assert not backend.weigh(reading.messages(talk(*said)))[0]

"""Whose words a bullet of the log repeats."""

from __future__ import annotations

import pytest

from memd.extract import bullets
from memd.memory.quotes import Speaker, Utterance

SAID = (
    Utterance(speaker=Speaker.HUMAN, text="我说过很多次了，变量名不要用拼音！外包看不懂", uuid="1"),
    Utterance(speaker=Speaker.HUMAN, text="Use tabs. Then build it. We ship on Friday.", uuid="2"),
    Utterance(speaker=Speaker.ASSISTANT, text="I will use spaces.", uuid="3"),
)


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("我说过很多次了，变量名不要用拼音！ 外包看不懂", "human"),
        ("Use tabs. We ship on 2026-05-15 (Friday).", "human"),
        ("Use tabs. Then build…", "human"),
        ("Use tabs. I will use spaces.", "assistant"),
        ("We ship on 2026-05-15.", "assistant"),
        ("We ship on 2026-05-15 (Saturday).", "assistant"),
        ("!!", "assistant"),
    ],
)
def test_a_person_s_words_stay_theirs(text: str, speaker: str) -> None:
    (noticed,) = bullets.noticed([("feedback", text)], SAID, "s1")
    assert noticed.source == f"session s1, {speaker}"


def test_what_was_to_be_a_memory_is_for_the_dream_where_a_person_said_it() -> None:
    said = [("feedback", "Use tabs."), ("feedback", "I will use spaces."), ("project", "We ship on Friday.")]
    noticed = bullets.noticed(said, SAID, "s1", ripe=said[:2])
    sources = [one.source.removeprefix("session s1, ") for one in noticed]
    assert sources == ["human, memory", "assistant", "human"]

"""No text, however odd, may keep the rules busy: sentences are matched in time that does not explode."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from memd.agent.offline.model import Candidate

ODD = [
    "so and also then again ",
    "ok ",
    "- ",
    "1) ",
    "always ",
    "never ",
    "when you ",
    "no not note ",
    "i have been ",
    "a",
    "(",
    "x.y.",
    "from now on ",
    "because so that ",
    "以后",
    "好了",
    "我们的",
    "别不要先",
    "下",
    "，",
]


@pytest.mark.parametrize("piece", ODD)
def test_repetition_costs_little(piece: str, read: Callable[..., list[Candidate]]) -> None:
    text = (piece * 600)[:599]
    started = time.process_time()
    read(text, "A: ok", text)
    assert time.process_time() - started < 2


def test_a_long_message_is_read_in_time(read: Callable[..., list[Candidate]]) -> None:
    started = time.process_time()
    read("\n".join(f"always check file {number} before you commit, we had trouble" for number in range(400)))
    assert time.process_time() - started < 20

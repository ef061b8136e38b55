"""What of a person's sentence is somebody else's claim, and what is theirs to tell."""

from __future__ import annotations

import pytest

from memd.memory import speech


@pytest.mark.parametrize(
    "text",
    [
        "always spell the product name ShopKit with a capital K, marketing insists on it",
        "legal insists that we keep the notice in every file",
        "the DBA wants a lock timeout in every migration",
        "I've told you three times: use pnpm in this repo, never npm",
        "运维要求发布前先通知他们",
        "法务坚持每个文件都要有声明",
    ],
)
def test_what_others_want_is_told_by_the_person(text: str) -> None:
    assert speech.reported(text) == ()


@pytest.mark.parametrize(
    "text", ["Bob insists the tests never ran", "the vendor insisted that this flag is safe", "他坚称脚本没有改过"]
)
def test_what_others_hold_to_be_so_is_their_claim(text: str) -> None:
    assert speech.reported(text)

"""A dream over what the passes make of the labelled conversations: nothing that matters gets lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.eval.dream_eval import How, measured

CASES = Path(__file__).parents[1] / "eval" / "extract_dev.jsonl"


@pytest.mark.deep
@pytest.mark.parametrize(
    "how", [How(), How(log_mode=True), How(apart=True, copies=3)], ids=["topics", "log", "duplicates"]
)
def test_no_label_is_lost_and_the_second_dream_does_nothing(home: Path, how: How) -> None:
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines() if line.strip()]
    found = measured(cases, home, how)
    assert found["labels_lost"] == []
    assert found["labels_before"] >= 40
    assert found["after"]["near_duplicates"] == 0
    assert found["second"] == {"outcome": "nothing", "mtimes_unchanged": True}

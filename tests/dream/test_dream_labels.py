"""A dream over what the passes make of labelled conversations: nothing that matters gets lost.

A sample by default; all of the conversations that may be read, in long runs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.eval.dream_eval import How, measured

EVAL = Path(__file__).parents[1] / "eval"
SETS = [EVAL / "extract_dev.jsonl", *sorted((EVAL / "sets").glob("?.jsonl"))]
HOWS = {
    "topics": How(),
    "log": How(log_mode=True),
    "duplicates": How(apart=True, copies=3),
}
SAMPLE = slice(None, None, 4)


def cases_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def require_kept(found: dict[str, Any]) -> None:
    """No label is lost, what said the same is one, the index names each topic, and a second dream touches nothing."""
    assert found["labels_lost"] == []
    assert found["after"]["near_duplicates"] == 0
    assert found["after"]["index_lines"] == found["after"]["topics"]
    assert found["second"] == {"outcome": "nothing", "mtimes_unchanged": True}


@pytest.mark.parametrize("how", list(HOWS))
def test_of_a_sample_no_label_is_lost_and_the_second_dream_does_nothing(home: Path, how: str) -> None:
    found = measured(cases_of(SETS[0])[SAMPLE], home, HOWS[how])
    require_kept(found)
    assert found["labels_before"] >= 8
    if how == "duplicates":
        assert found["before"]["near_duplicates"] >= 15
        assert found["after"]["topics"] < found["before"]["topics"] / 2
        assert found["after"]["bytes"] < found["before"]["bytes"] / 2


@pytest.mark.deep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", list(HOWS))
@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_no_label_is_lost_and_the_second_dream_does_nothing(home: Path, path: Path, how: str) -> None:
    found = measured(cases_of(path), home, HOWS[how])
    require_kept(found)
    assert found["labels_before"] >= 20

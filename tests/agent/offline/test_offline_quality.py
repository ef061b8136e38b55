"""The backend on the labelled conversations: it may get better, not worse."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench import extract_quality

EVAL = Path(__file__).parents[2] / "eval"
CASES = EVAL / "extract_dev.jsonl"


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    results = tmp_path_factory.mktemp("quality") / "results.jsonl"
    extract_quality.run(CASES, results)
    command = [sys.executable, str(EVAL / "score.py"), "--json", str(CASES), str(results)]
    scored = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    figures: dict[str, Any] = scored["groups"]["total:all"]
    return figures


def test_precision_comes_first(figures: dict[str, Any]) -> None:
    assert figures["precision"] >= 0.95


def test_most_of_what_was_said_is_found(figures: dict[str, Any]) -> None:
    assert figures["recall"] >= 0.8  # of all that the rules find, only what is likely to be right goes live


def test_nothing_to_learn_leaves_nothing(figures: dict[str, Any]) -> None:
    assert figures["noop_accuracy"] == 1.0


def test_no_forbidden_text_is_kept(figures: dict[str, Any]) -> None:
    assert figures["forbidden"] == 0


def test_a_line_of_results_for_every_case(tmp_path: Path) -> None:
    extract_quality.run(CASES, tmp_path / "results.jsonl")
    results = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in results] == [f"d{number:03}" for number in range(1, 61)]

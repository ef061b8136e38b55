"""`memd recall`."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Memd, Near


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def add(memd: Memd, name: str, body: str, *, days: float = 0) -> Path:
    memd.memory.mkdir(parents=True, exist_ok=True)
    path = memd.memory / f"{name}.md"
    path.write_text(f"---\nname: {name}\ndescription: {body[:40]}\ntype: feedback\n---\n{body}\n")
    then = time.time() - days * 86_400
    os.utime(path, (then, then))
    return path


def test_what_bears_on_a_question_is_shown_with_its_age(memd: Memd) -> None:
    add(memd, "deploys", "Never deploy on a Friday.", days=9)
    add(memd, "lint", "Lint before every commit.")
    answer = memd("recall", "can", "I", "deploy?")
    assert answer.code == 0
    assert answer.out.startswith("# deploys.md\n---\nname: deploys")
    assert "9 days" in answer.out
    assert "Lint" not in answer.out
    fresh = memd.inside("recall", "lint").out
    assert "Lint before every commit." in fresh
    assert "days" not in fresh


def test_as_json(memd: Memd) -> None:
    path = add(memd, "deploys", "Never deploy on a Friday.", days=1)
    said = memd.inside("recall", "deploy", "--json").json
    assert said == {
        "schema_version": 1,
        "memories": [{"path": str(path), "mtime_ms": int(path.stat().st_mtime * 1_000)}],
    }


def test_nothing_found_is_no_failure(memd: Memd) -> None:
    answer = memd.inside("recall", "monads")
    assert (answer.code, answer.out, answer.err) == (0, "", "no memory bears on that\n")
    assert memd.inside("recall").code == 2


@pytest.mark.parametrize(
    "body", ["word " * 2_000, "\n".join(["word"] * 900), "错" * 5_000], ids=["long", "lines", "wide"]
)
def test_a_long_memory_is_cut(memd: Memd, body: str) -> None:
    add(memd, "words", body)
    out = memd.inside("recall", "words 错错").out
    assert out.rstrip().endswith("[cut here; the rest is in the file]")
    assert len(out.encode()) < 4_096 + 100
    assert len(out.splitlines()) <= 203


def test_indexes_are_private(memd: Memd) -> None:
    add(memd, "lint", "Lint before every commit.")
    memd("recall", "lint")
    made = [memd.state / "recall", *(memd.state / "recall").iterdir()]
    assert len(made) == 2
    assert all(path.stat().st_mode & 0o077 == 0 for path in made)

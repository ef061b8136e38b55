"""`memd prompt`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent import injected
from tests.cli.conftest import Memd


def test_it_tells_of_the_directory_and_makes_it(memd: Memd) -> None:
    answer = memd("prompt")
    assert (answer.code, answer.err) == (0, "")
    assert f"`{memd.memory}`" in answer.out
    assert memd.memory.stat().st_mode & 0o777 == 0o700
    assert injected.removed(answer.out).strip() == ""


def test_the_index_is_in_it_and_the_bytes_stay_the_same(memd: Memd) -> None:
    memd.save("feedback_a.md", "Lint first")
    first, second = memd.inside("prompt"), memd.inside("prompt")
    assert first.out == second.out
    assert "(feedback_a.md)" in first.out


def test_in_log_mode_it_is_the_log_that_is_written(memd: Memd) -> None:
    assert (
        f"{memd.memory}/logs/YYYY/MM/YYYY-MM-DD.md" in memd.inside("prompt", environ={"MEMD_EXTRACT_MODE": "log"}).out
    )


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, "auto-memory-disabled"),
        ({"MEMD_PROJECTS_EXCLUDE": "~/*"}, "excluded"),
    ],
)
def test_off_is_silence(memd: Memd, tree: Callable[[], frozenset[str]], environ: dict[str, str], reason: str) -> None:
    before = tree()
    answer = memd.inside("prompt", environ=environ)
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    document = memd.inside("prompt", "--json", environ=environ).json
    assert (document["prompt"], document["enabled"], document["reason"]) == (None, False, reason)
    assert tree() == before

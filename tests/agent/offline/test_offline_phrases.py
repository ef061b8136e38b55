"""Many ways of saying things, a conversation a line; turns stand between " || ", the assistant's begin with "A: ".

Each line of `phrases/<type>_<language>.txt` makes exactly one memory of that type; those of `none_*.txt` make none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memd.agent.offline.model import Candidate

PHRASES = sorted(Path(__file__).with_name("phrases").glob("*.txt"))


@pytest.mark.parametrize("path", PHRASES, ids=lambda path: path.stem)
def test_each_phrase_makes_the_memory_it_should(path: Path, read: Callable[..., list[Candidate]]) -> None:
    expected = [] if path.stem.startswith("none") else [path.stem.partition("_")[0]]
    lines = path.read_text(encoding="utf-8").splitlines()
    made = {line: [str(c.kind) for c in read(*line.split(" || ")) if c.certain] for line in lines}
    assert {line: kinds for line, kinds in made.items() if kinds != expected} == {}
    assert len(lines) >= 10

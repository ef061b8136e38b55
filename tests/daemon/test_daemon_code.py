"""A daemon notices that its code was replaced, once that is complete."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.daemon.code import replaced
from memd.errors import MemdError
from tests.fakes.clock import FakeClock


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    path = tmp_path / "__init__.py"
    path.write_text("1", "utf-8")
    return path


def renewed(mark: Path, text: str) -> None:
    new = mark.with_name("new")
    new.write_text(text, "utf-8")
    new.replace(mark)


def test_the_same_code_is_the_same(mark: Path) -> None:
    clock = FakeClock()
    ask = replaced(clock, mark)
    clock.advance(1e6)
    assert not ask()


def test_new_code_counts_once_it_has_settled(mark: Path) -> None:
    clock = FakeClock()
    ask = replaced(clock, mark)
    mark.unlink()
    assert not ask()
    clock.advance(30)
    renewed(mark, "2")
    assert not ask()
    clock.advance(5)
    renewed(mark, "3")
    assert not ask()
    clock.advance(9)
    assert not ask()
    clock.advance(2)
    assert ask()


def test_a_file_written_in_place_counts_too(mark: Path) -> None:
    clock = FakeClock()
    ask = replaced(clock, mark)
    os.utime(mark, ns=(1, 1))
    ask()
    clock.advance(11)
    assert ask()


def test_code_that_is_gone_for_good_ends_it(mark: Path) -> None:
    clock = FakeClock()
    ask = replaced(clock, mark)
    mark.unlink()
    assert not ask()
    clock.advance(121)
    with pytest.raises(MemdError, match="gone"):
        ask()

"""Homes on the disk: the tools take nothing below /dev for a project, which is where the system's memory is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Directories to be homes."""
    place = tmp_path_factory.mktemp("homes")
    return (place / str(number) for number in itertools.count())

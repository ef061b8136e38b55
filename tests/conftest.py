"""What every test stands on: a home directory of its own, and nothing of the machine's real one."""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memd import collector
from tests.fakes.transaction import quick_directory

_KEPT = frozenset({"PATH", "LANG", "LC_ALL", "TMPDIR", "TERM", "VIRTUAL_ENV", "COVERAGE_PROCESS_START"})
_PASSED_ON = ("PYTEST_", "PYTHON", "MEMD_TEST_", "HYPOTHESIS_", "SSL_", "COVERAGE_")
_REAL_HOME = Path(os.path.expanduser("~"))  # noqa: PTH111 - read once, before any test changes HOME

# How long an example takes tells how busy the machine is; timings are benchmarks.
settings.register_profile("memd", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memd")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the collector what is loaded here once and stays: it would look through all of it, again and again."""
    with collector.resting():
        collected = yield
        gc.freeze()
    return collected


@pytest.fixture(scope="session")
def homes() -> Iterator[Iterator[Path]]:
    """Directories to be homes, in memory if possible: what memd does waits for the disk more often than for anything.

    Pytest's own numbering would look through all there are, for each test anew.
    """
    with quick_directory() as place:
        yield (place / str(number) for number in itertools.count())


@pytest.fixture
def tmp_path(homes: Iterator[Path]) -> Path:
    """A directory of the test's own, beside the homes and for the same reasons."""
    mine = next(homes)
    mine.mkdir()
    return mine


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test an empty HOME and a bare environment, and fail it when it touched the real one."""
    mine = next(homes)
    mine.mkdir()
    for name in set(os.environ) - _KEPT:
        if not name.startswith(_PASSED_ON):
            monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # starting is most of what a test's processes do
    monkeypatch.setenv("HOME", str(mine))
    monkeypatch.setenv("TZ", "UTC")
    before = _traces()
    yield mine
    assert _traces() == before, "the test touched the real home directory"


def _traces() -> dict[str, int]:
    """When memd's and Claude Code's places in the real home last changed, where they exist at all."""
    places = (".claude", ".claude.json", ".config/memd", ".local/state/memd", ".local/share/memd")
    return {name: (_REAL_HOME / name).stat().st_mtime_ns for name in places if (_REAL_HOME / name).exists()}

"""What the daemon costs; what takes long is by hand (`-m deep`)."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.daemon.conftest import DaemonProcess, talk, until

Start = Callable[..., DaemonProcess]


def cpu(pid: int) -> float:
    """Seconds of processor time a process has used."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def loaded_by(module: str) -> set[str]:
    """What is loaded where that is, and something is logged."""
    ask = f"import sys, {module}; from memd import logs; logs.configure(sys.stderr, json=True); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """By the daemon; looked up once."""
    return loaded_by("memd.cli.run")


@pytest.mark.parametrize("package", ["rich", "anthropic", "dateparser", "rapidfuzz", "re2", "yaml", "frontmatter"])
def test_what_only_others_need_stays_out_of_the_daemon(loaded: set[str], package: str) -> None:
    assert "memd.daemon.loop" in loaded
    assert package not in loaded


def test_what_nobody_sees_printed_is_not_loaded_by_a_worker() -> None:
    loaded = loaded_by("memd.worker")
    assert "structlog" in loaded
    assert "rich" not in loaded


@pytest.mark.deep
@pytest.mark.timeout(180)
def test_five_thousand_files_at_rest_cost_practically_nothing(start: Start, root: Path) -> None:
    for number in range(5000):
        talk(root, f"s{number}", "human", "done", project=f"p{number % 100}")
    daemon = start(MEMD_EXTRACT_QUIET="1h").ready()
    before = cpu(daemon.process.pid)
    threading.Event().wait(60)
    assert cpu(daemon.process.pid) - before <= 0.06  # seconds in 60: 0.1 %
    assert daemon.noted("started") == []


@pytest.mark.deep
@pytest.mark.timeout(120)
def test_fifty_files_that_grow_without_pause_are_one_look_a_window(start: Start, root: Path) -> None:
    daemon = start().ready()
    before, end = cpu(daemon.process.pid), time.monotonic() + 20
    while time.monotonic() < end:
        for number in range(50):
            talk(root, f"s{number}", "human", project=f"p{number % 5}")
        threading.Event().wait(0.05)
    used = cpu(daemon.process.pid) - before
    assert used < 10  # of 20 seconds, at ten looks a second at each of 50 files
    assert daemon.noted("claimed") == []
    for number in range(50):
        talk(root, f"s{number}", "done", project=f"p{number % 5}")
    until(lambda: len({note[1] for note in daemon.noted("claimed")}) == 50)
    assert daemon.meta().get("trouble") is None

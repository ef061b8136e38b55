"""A worker that outlives its daemon."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memd import logs
from memd.daemon.orphans import end_orphans
from memd.ledger import Ledger
from tests.daemon.conftest import DaemonProcess, lives, talk, until

Start = Callable[..., DaemonProcess]


def test_a_suspended_worker_of_a_killed_daemon_holds_nothing_up(start: Start, root: Path) -> None:
    daemon = start("hold").ready()
    talk(root, "a", "human", "done")
    until(lambda: daemon.noted("holding"))
    worker = int(daemon.noted("started")[0][1])
    os.kill(worker, signal.SIGSTOP)
    daemon.stop(signal.SIGKILL)
    assert lives(worker)
    again = start("drain").ready()
    assert [one["pid"] for one in again.logged("orphan_ended")] == [worker]
    assert not lives(worker)
    until(lambda: len(again.noted("claimed")) == 2)


@pytest.mark.parametrize(
    ("mark", "leads"), [(None, True), ("1", False)], ids=["no-mark-of-a-worker", "in-somebody-elses-group"]
)
def test_what_is_no_worker_is_left_alone(ledger: Callable[[], Ledger], mark: str | None, leads: bool) -> None:  # noqa: FBT001
    environ = dict(os.environ) | ({"MEMD_CHILD": mark} if mark else {})
    code = "import signal; print(flush=True); signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environ, start_new_session=leads, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        opened = ledger()
        assert opened.acquire_worker(other.pid, limit=6)
        assert opened.living_workers() == (other.pid,)
        end_orphans(opened, logs.configure(io.StringIO(), json=True))
        assert other.poll() is None
        other.kill()
    assert opened.living_workers() == ()

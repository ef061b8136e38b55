"""What the daemon starts ends with it; where a person starts it, their shell goes on."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

_WORK = (
    "import subprocess, threading; from memd import lifeline; lifeline.hold();"
    "child = subprocess.Popen(['sleep', '300'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL);"
    "print(child.pid, flush=True); threading.Event().wait()"
)


@pytest.mark.parametrize("leads", [True, False], ids=["leads its group", "in another's group"])
def test_a_process_ends_with_its_standard_input(*, leads: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0 if leads else None
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        child = psutil.Process(int(process.stdout.readline()))
        process.stdin.write(b"what comes is dropped")
        process.stdin.flush()
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(20) == (-9 if leads else 1)
    if not leads:
        assert child.is_running()
        child.kill()
    assert not psutil.wait_procs([child], timeout=20)[1]

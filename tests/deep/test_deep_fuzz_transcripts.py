"""An hour of bad transcripts: nothing gets out of the reader, and it holds no more memory at the end.

`MEMD_TEST_FUZZ_SECONDS` says how long, `MEMD_TEST_FUZZ_SEED` where to begin.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = float(os.environ.get("MEMD_TEST_FUZZ_SECONDS", "3600"))
SEED = os.environ.get("MEMD_TEST_FUZZ_SEED", "0")
GROWTH = 16 * 1024 * 1024  # bytes between a warm process and its fullest: what hypothesis itself keeps moves by some

pytestmark = [pytest.mark.deep, pytest.mark.timeout(SECONDS + 900)]


def test_no_bad_transcript_breaks_the_reader() -> None:
    command = [sys.executable, "-m", "tests.deep.fuzz_transcripts", str(SECONDS), SEED]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-20_000:]
    found = json.loads(done.stdout)
    assert found["executions"] > 0
    assert found["growth"] <= GROWTH
    sys.stdout.write(f"{done.stdout}\n")

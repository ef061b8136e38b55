"""Something answers in the daemon's place, and says what no daemon of memd's would."""

from __future__ import annotations

import pytest

from memd.clock import SystemClock
from memd.daemon.lock import single_instance
from tests.cli.conftest import Memd
from tests.fakes import other_daemon


@pytest.mark.parametrize("name", ["list", "deep", "rows of numbers", "endless time"])
def test_it_is_told_as_silence_and_not_as_a_defect(memd: Memd, name: str) -> None:
    memd.state.mkdir(parents=True)
    alone = single_instance(memd.state / "daemon.lock", SystemClock())
    with alone, other_daemon.other_daemon(memd.state / "control.sock", other_daemon.saying(other_daemon.ODD[name])):
        status, doctor, pause = (memd.inside(command) for command in ("status", "doctor", "pause"))
    assert status.code == 1
    assert "RUNS, BUT DOES NOT ANSWER: what came is no answer of memd's" in status.out
    assert "but does not answer: what came is no answer of memd's" in doctor.out
    assert pause.code == 0
    assert "defect" not in status.err + doctor.out + doctor.err + pause.err

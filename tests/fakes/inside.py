"""A person's command line in this process: starting one is most of what a command costs."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from memd.cli.main import main


def called(*arguments: str, cwd: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command line to its end, with these variables besides; what it starts itself are real processes."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        with chdir(cwd), redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(arguments)
    return subprocess.CompletedProcess(arguments, int(ended.value.code or 0), out.getvalue(), err.getvalue())

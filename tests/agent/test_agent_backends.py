"""Which backend is chosen, and what that takes."""

from __future__ import annotations

import subprocess
import sys

_CODE = """
import sys
from memd.agent import backends
from memd.settings import Settings

found = backends.choose(Settings(), {}, "m"), backends.choose_dreamer(Settings(), {})
loaded = (name for name in sys.modules if ".offline" in name or name == "anthropic")
print(*(one.backend.name for one in found), *loaded)
"""


def test_whoever_only_asks_which_it_is_does_not_load_its_patterns() -> None:
    done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["offline", "offline"]

"""Other readers of the same transcripts, where they are installed: `ccusage` and `claude-code-log` on the PATH.

Each is a process of its own, its start included, in a home that holds nothing but the transcript; so is memd's reader.
ccusage adds tokens up (offline). claude-code-log makes one Markdown file: it cannot read without writing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import measure
from tests.bench.measure import Row, paired

_OURS = """
import sys
from pathlib import Path
from memd.transcripts.claude_code import ClaudeCode
from memd.transcripts.model import Cursor
assert ClaudeCode(Path("/nowhere")).read(Path(sys.argv[1]), Cursor()).messages
"""


def rows(path: Path, rounds: int) -> Iterator[Row]:
    """Memd's reader beside each of the others that is there; says which is not."""
    home = path.parent / "others"
    place = home / ".claude" / "projects" / "-home-dev-repo" / path.name
    place.parent.mkdir(parents=True)
    shutil.copyfile(path, place)
    (home / ".config").mkdir()
    told = home / "told.md"
    yield from _beside("ccusage", ("daily", "--offline", "--json"), place, home, rounds)
    yield from _beside(
        "claude-code-log", (str(place.parent), "-o", str(told), "--combined", "only", "--no-cache"), place, home, rounds
    )


def _beside(name: str, arguments: Sequence[str], place: Path, home: Path, rounds: int) -> Iterator[Row]:
    found = shutil.which(name)
    if found is None:
        measure.say(f"{name} is not on the PATH: skipped")
        return
    pair = paired(
        lambda: _run((sys.executable, "-c", _OURS, str(place)), home), lambda: _run((found, *arguments), home), rounds
    )
    yield pair.row(f"first read, start of the process included | {name}", 0.05)


def _run(command: Sequence[str], home: Path) -> None:
    subprocess.run(command, env=measure.environ_of(home), check=True, capture_output=True, cwd=home)

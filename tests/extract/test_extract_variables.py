"""A pass treats a session as the session was started, not as the daemon was."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memd.extract import run as passes
from memd.ledger import Outcome, Run, Told
from memd.memory import location
from tests.extract.conftest import World, saves
from tests.fakes import claude_lines as lines

OFF = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
RULE = "Always run the linter before you show me a diff."
TURN = (lines.prompt("h1", RULE), lines.answer("a1", "m1", lines.text("Understood.")))
WAITING = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"]
Live = Callable[[Mapping[str, str]], AbstractContextManager[None]]

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system shows no environments")


@pytest.fixture
def live(world: World) -> Live:
    """Let a process with these variables run the conversation, as Claude Code's registry tells it."""

    @contextmanager
    def run(environ: Mapping[str, str]) -> Iterator[None]:
        with subprocess.Popen(WAITING, env=dict(environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
            entry = {"pid": process.pid, "sessionId": lines.SESSION, "procStart": ticks, "entrypoint": "cli"}
            listing = world.home / ".claude" / "sessions" / f"{process.pid}.json"
            listing.parent.mkdir(exist_ok=True)
            listing.write_text(json.dumps(entry))
            yield
            process.communicate()

    return run


def extracted(world: World, environ: Mapping[str, str] | None = None) -> Run:
    """Run the pass in a daemon with these variables of its own."""
    world.backend.script = saves(RULE)
    return passes.run(world.job(), replace(world.house, environ={**world.house.environ, **(environ or {})}))


def section(directory: Path) -> lines.Line:
    """The session's prompt with its part about memory, as Claude Code words it."""
    return lines.snapshot("s1", "You are an agent.", f"# Memory\n\nYou have a memory at `{directory}/`. It is there.")


@needs_proc
def test_a_live_session_with_memory_off_is_left_alone(world: World, live: Live) -> None:
    world.write(*TURN)
    with live({OFF: "1"}):
        done = extracted(world)
    assert (done.outcome, done.reason) == (Outcome.SKIPPED, "memory_off")


@needs_proc
def test_what_the_daemon_has_off_does_not_count_for_a_live_session(world: World, live: Live) -> None:
    world.write(*TURN)
    with live({"PATH": "/bin"}):
        assert extracted(world, {OFF: "1"}).outcome == Outcome.SAVED


@needs_proc
def test_a_live_sessions_override_is_where_its_memory_is(world: World, live: Live, tmp_path: Path) -> None:
    world.write(*TURN)
    with live({OVERRIDE: str(tmp_path / "kept")}):
        assert extracted(world).memory_dir == str(tmp_path / "kept")
    assert (tmp_path / "kept" / "feedback_rule.md").exists()
    assert world.files() == {}


def test_an_override_that_the_prompt_shows_outlives_the_session(world: World, tmp_path: Path) -> None:
    world.write(section(tmp_path / "kept"), *TURN)
    assert extracted(world).memory_dir == str(tmp_path / "kept")
    assert (tmp_path / "kept" / "MEMORY.md").exists()
    assert world.files() == {}


def test_a_prompt_that_shows_the_usual_place_outdoes_the_daemons_override(world: World, tmp_path: Path) -> None:
    world.write(section(world.memory), *TURN)
    assert extracted(world, {OVERRIDE: str(tmp_path / "mine"), OFF: "1"}).memory_dir == str(world.memory)


def test_a_hook_comes_first(world: World, tmp_path: Path) -> None:
    world.write(section(world.memory), *TURN)
    key = f"claude-code:{lines.SESSION}"
    world.ledger.tell(Told(key=key, variables={OVERRIDE: str(tmp_path / "kept")}))
    assert extracted(world).memory_dir == str(tmp_path / "kept")


def test_a_hook_that_says_off_is_believed(world: World) -> None:
    world.write(section(world.memory), *TURN)
    world.ledger.tell(Told(key=f"claude-code:{lines.SESSION}", variables={OFF: "yes"}))
    assert extracted(world).reason == "memory_off"


def test_where_the_transcript_lies_tells_whose_settings_and_base_count(world: World) -> None:
    other = world.home / "other-claude"
    moved = other / "projects" / world.transcript().parent.name / world.transcript().name
    world.write(*TURN)
    moved.parent.mkdir(parents=True)
    world.transcript().rename(moved)
    session = world.ledger.session(f"claude-code:{lines.SESSION}")
    assert session is not None
    world.ledger.note_session(replace(session, path=str(moved)))
    world.backend.script = saves(RULE)
    request_size = moved.stat().st_size
    world.transcript().write_bytes(b" " * request_size)  # `job` measures it there
    done = passes.run(world.job(), world.house)
    assert done.memory_dir == str(other / "projects" / location.slug(str(world.project)) / "memory")

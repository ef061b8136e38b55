"""The variables of a session, from whichever source still has them."""

from __future__ import annotations

from pathlib import Path

from memd.extract.house import House
from memd.ledger import Session
from memd.memory import session_env
from memd.memory.session_env import SessionEnv, Transcript
from memd.transcripts import claude_code, registry
from memd.transcripts.model import Reading

_PROC = Path("/proc")


def of(session: Session, reading: Reading, house: House) -> SessionEnv:
    """What the session was started with, as far as memory goes."""
    config = _config_dir(session)
    usual = claude_code.config_dir(house.environ, house.paths.home)
    return session_env.of_session(
        house.environ,
        forwarded=house.ledger.told(session.key).variables,
        transcript=Transcript(
            section=reading.memory_section.value,
            directory=reading.memory_dir,
            config_dir=None if config in {None, usual} else str(config),
        ),
        process=None if config is None else _process(session, config),
    )


def _config_dir(session: Session) -> Path | None:
    """Claude Code's directory that the transcript lies in, `<directory>/projects/<slug>/<id>.jsonl`."""
    projects = Path(session.path).parent.parent
    return projects.parent if session.agent == claude_code.AGENT and projects.name == "projects" else None


def _process(session: Session, config: Path) -> dict[str, str] | None:
    pid = registry.pid_of(session.session_id, config / "sessions", _PROC)
    return None if pid is None else session_env.of_process(pid, proc=_PROC)

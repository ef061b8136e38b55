"""The command line as people have it: a process with a home, a directory, and nothing of this one's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memd.cli.main import main
from memd.memory import store, topic
from memd.memory.log import Bullet
from memd.memory.store import Applied, RunNote
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from tests.fakes import user_manager

COMMAND = (sys.executable, "-m", "memd.cli.main")
AT = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command said, and where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - any document
        """The document on stdout."""
        assert self.out, self.err
        return json.loads(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memd:
    """memd in a home of its own, called from a project's directory."""

    home: Path
    project: Path
    inside: Callable[..., Answer]  # the same as calling it, in this process: for what many cases ask the same way

    @property
    def memory(self) -> Path:
        """The project's memory directory, as the slug rule gives it."""
        slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(self.project))
        return self.home / ".claude" / "projects" / slug / "memory"

    @property
    def state(self) -> Path:
        """Memd's own directory."""
        return self.home / ".local" / "state" / "memd"

    @property
    def history(self) -> Path:
        """Where the runs are kept."""
        return self.state / "history"

    def __call__(self, *arguments: str, said: bytes = b"", environ: Mapping[str, str] | None = None) -> Answer:
        """Run a command line to its end, with `said` on its standard input."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=said,
            capture_output=True,
            cwd=self.project,
            env={**os.environ, **(environ or {})},
            check=False,
        )
        answer = Answer(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())
        assert "Traceback" not in answer.err
        return answer

    def remember(self, name: str, description: str, *, days: float = 0.0) -> Path:
        """Put a topic of type feedback there, last touched so many days ago."""
        path = self.memory / f"feedback_{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(topic.render(name, description, TopicType.FEEDBACK, f"{description}.\n\n**Why:** not stated"))
        then = datetime.now(UTC).timestamp() - days * 86400 - 60
        os.utime(path, (then, then))
        return path

    def save(self, path: str, text: str | None, *bullets: str, session: str = "s1") -> Applied:
        """Have a pass change one file, and log that."""
        file = self.memory / path
        before = file.read_bytes() if file.exists() else None
        after = None if text is None else topic.render(Path(path).stem, text, TopicType.FEEDBACK, text)
        return store.apply(
            self.memory,
            [Change(path=path, before=before, after=after)],
            run=RunNote(kind="extract", started=AT, ended=AT, session=session, project=str(self.project)),
            history=self.history,
            bullets=[Bullet(type="feedback", text=bullet) for bullet in bullets],
        )


class Near(Memd):
    """The same in this process, but where it is to be said something or to be killed: a process would add nothing."""

    __slots__ = ()

    def __call__(self, *arguments: str, said: bytes = b"", environ: Mapping[str, str] | None = None) -> Answer:
        """Run a command line to its end."""
        if said or "MEMD_FAILPOINT" in {*os.environ, *(environ or ())}:
            return Memd.__call__(self, *arguments, said=said, environ=environ)
        return self.inside(*arguments, environ=environ)


@pytest.fixture
def near(memd: Memd) -> Near:
    """memd, called in this process."""
    return Near(home=memd.home, project=memd.project, inside=memd.inside)


@pytest.fixture
def inside(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run a command line in this process."""

    def run(*arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
        with monkeypatch.context() as patch:
            patch.chdir(home / "shop")
            for name, value in (environ or {}).items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        out, err = capsys.readouterr()
        return Answer(code=int(ended.value.code or 0), out=out, err=err)

    return run


@pytest.fixture
def memd(home: Path, inside: Callable[..., Answer]) -> Memd:
    """memd, with a project that Claude Code has been used in."""
    (home / ".claude").mkdir()
    project = home / "shop"
    project.mkdir()
    return Memd(home=home.resolve(), project=project.resolve(), inside=inside)


@pytest.fixture
def tree(home: Path) -> Callable[[], frozenset[str]]:
    """Name every file and directory in the home."""
    return lambda: frozenset(str(path.relative_to(home)) for path in home.rglob("*"))


@pytest.fixture
def managed(memd: Memd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memd]:
    """The same, where a systemd of the user's own answers."""
    user_manager.place(tmp_path / "bin", "systemctl", memd.home)
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    yield memd
    user_manager.end_all(tmp_path / "run")

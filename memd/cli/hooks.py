"""`memd install --hooks` and the way back: memd's hooks in an agent's settings, all else there left alone."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

import memd
from memd import files
from memd.cli import by_hand, hook_change, hook_settings
from memd.cli.here import Here
from memd.cli.hook_settings import EVENTS
from memd.cli.words import shown
from memd.errors import MemdError, RefusedError
from memd.transcripts import claude_code

AGENTS = ("claude-code",)
_LIMIT = 4 * files.MEGABYTE
_SECONDS = 10.0
_RECORD, _COPY = "record.json", "settings.json.before"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """An agent's settings file, links resolved, and memd's note of what it put there."""

    path: Path
    before: bytes | None  # None: there is no such file
    kept: Path  # memd's own directory for it
    pieces: tuple[str, ...]
    is_ours: bool  # memd made the file


def are_in(surroundings: Here) -> bool:
    """Whether memd's hooks are in the agent's settings; False where those cannot be read."""
    try:
        settings = _read(surroundings)
        return settings.before is not None and hook_settings.is_installed(_text(settings.before))
    except (MemdError, OSError):
        return False


def standing(surroundings: Here) -> bool | None:
    """Whether the hooks in the agent's settings are those that would be put in now; None: there are none.

    Raises MemdError or OSError where the settings cannot be read.
    """
    settings = _read(surroundings)
    if settings.before is None or not hook_settings.is_installed(text := _text(settings.before)):
        return None
    commands = {event: _command(event) for event in EVENTS}
    return hook_settings.installed(text, commands, settings.pieces).text == text


def put_in(surroundings: Here, *, dry_run: bool, yes: bool) -> int:
    """Put the hooks into an agent's settings, after showing the change and asking; the exit code.

    `take_out` takes it back to the byte. Raises MemdError.
    """
    settings = _read(surroundings)
    commands = {event: _command(event) for event in EVENTS}
    text = "{}\n" if settings.before is None else _text(settings.before)
    edited = hook_settings.installed(text, commands, settings.pieces)
    if settings.before is not None and edited.text == text:
        click.echo(f"The hooks are in {shown(str(settings.path))} already; nothing was changed.")
        return 0
    if not _agreed(settings, edited.text, "Put these hooks in?", dry_run=dry_run, yes=yes):
        return 0 if dry_run else 1
    _note(settings, edited.pieces)
    _write(settings, edited.text)
    click.echo(f"The hooks are in {shown(str(settings.path))}; sessions that begin from now on have them.")
    _try_out(commands[EVENTS[0]])
    return 0


def take_out(surroundings: Here, *, dry_run: bool, yes: bool) -> int:
    """Take memd's hooks out of an agent's settings, which are then as they were; other changes to them stay."""
    settings = _read(surroundings)
    if settings.before is None or not hook_settings.is_installed(_text(settings.before)):
        click.echo(f"There are no hooks of memd in {shown(str(settings.path))}; nothing was changed.")
        return 0
    text = hook_settings.removed(_text(settings.before), settings.pieces)
    goes = settings.is_ours and json.loads(text) == {}
    if not _agreed(settings, None if goes else text, "Take these hooks out?", dry_run=dry_run, yes=yes):
        return 0 if dry_run else 1
    _write(settings, None if goes else text)
    _forget(settings, text)
    click.echo(f"The hooks are out of {shown(str(settings.path))}.")
    return 0


def _command(event: str) -> str:
    return hook_settings.command(sys.executable, str(Path(memd.__file__).with_name("hook.py")), event)


def _read(surroundings: Here) -> _Settings:
    directory = claude_code.config_dir(surroundings.environ, surroundings.paths.home)
    path = Path(os.path.realpath(directory / "settings.json"))
    mark = hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    kept = surroundings.paths.state / "hooks" / f"claude-code-{mark}"
    before = None
    with suppress(FileNotFoundError), files.open_directory(path.parent) as parent:
        before = files.read_regular(parent, path.name, limit=_LIMIT)
    said = {}
    with suppress(FileNotFoundError, ValueError):
        said = json.loads((kept / _RECORD).read_text("utf-8"))
    _require_readable(path, before)
    return _Settings(
        path=path,
        before=before,
        kept=kept,
        pieces=tuple(said.get("pieces", ())),
        is_ours=bool(said.get("is_ours", before is None)),
    )


def _require_readable(path: Path, data: bytes | None) -> None:
    """Raise RefusedError, which names the file, where these are none of Claude Code's settings."""
    try:
        if data is not None:
            hook_settings.is_installed(_text(data))
    except RefusedError as error:
        raise RefusedError(f"{shown(str(path))}: {error}", hint=error.hint) from error


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RefusedError("the settings are not valid UTF-8", hint="correct the file first") from error


def _agreed(settings: _Settings, after: str | None, question: str, *, dry_run: bool, yes: bool) -> bool:
    """Show the change, and ask."""
    name = shown(str(settings.path))
    click.echo(f"{name}{_fate(settings, after)}:")
    commands = [{} if text is None else hook_settings.own_commands(text) for text in (_before(settings), after)]
    click.echo("\n".join(shown(line) for line in hook_change.lines(*commands)))
    if dry_run:
        return False
    if not by_hand.confirmed(question, yes=yes):
        click.echo("Nothing was changed.", err=True)
        return False
    return True


def _before(settings: _Settings) -> str | None:
    return None if settings.before is None else _text(settings.before)


def _fate(settings: _Settings, after: str | None) -> str:
    """What becomes of the file."""
    if settings.before is None:
        return ", a new file"
    return ", which memd made, is deleted" if after is None else "; every other byte of it stays"


def _note(settings: _Settings, pieces: tuple[str, ...]) -> None:
    """Keep the file as it is now, and what is about to be put into it."""
    with files.open_directory(settings.kept, create=True) as kept:
        if settings.before is not None:
            files.write_atomic(kept, _COPY, settings.before)
        record = {"path": str(settings.path), "pieces": pieces, "is_ours": settings.is_ours}
        files.write_atomic(kept, _RECORD, json.dumps(record, ensure_ascii=False, indent=1).encode())
    if settings.before is not None:
        click.echo(f"The file as it was is kept in {shown(str(settings.kept / _COPY))}", err=True)


def _forget(settings: _Settings, text: str) -> None:
    """Keep no note of what was taken out, and no copy of what is there again."""
    (settings.kept / _RECORD).unlink(missing_ok=True)
    copy = settings.kept / _COPY
    if copy.exists() and copy.read_bytes() == text.encode():
        copy.unlink()
    with suppress(OSError):
        settings.kept.rmdir()


def _write(settings: _Settings, text: str | None) -> None:
    """Write the file, or delete it. Raises MemdError where somebody else has just done so."""
    path = settings.path

    with files.open_directory(path.parent, create=True) as parent:

        def still() -> bool:
            return files.read_regular(parent, path.name, limit=_LIMIT) == settings.before

        done = (
            files.remove(parent, path.name, still=still)
            if text is None
            else files.write_atomic(parent, path.name, text.encode(), still=still)
        )
        if not done:
            raise MemdError(f"{shown(str(path))} was changed at the same moment; nothing was written", hint="try again")


def _try_out(command: str) -> None:
    """Run a hook once, as the agent would; a daemon that runs gets ready to answer."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command.replace(EVENTS[0], "Ready")],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        said = None if done.returncode == 0 else f"exit code {done.returncode}"
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    if said is not None:
        click.echo(f"warning: the hook does not work here: {said}", err=True)

"""The text of the drop-in that makes the shipped unit this person's own. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memd.errors import RefusedError
from memd.service.service import Service

_HEAD = "# Made by `memd install`, and made anew by it; `memd uninstall` deletes it."


def drop_in(service: Service, *verb: str) -> str:
    """What a shipped unit lacks: the program, its home, and the places it may write to. Raises RefusedError.

    `verb` is what is run, with its options; the daemon where none is given.
    """
    lines = [
        _HEAD,
        "[Service]",
        "ExecStart=",
        f"ExecStart={' '.join(_argument(word) for word in (*service.command, *(verb or ('run',))))}",
        f"WorkingDirectory={_whole(service.home)}",
        f"Environment={_quoted(f'HOME={service.home}')} {_quoted(f'TMPDIR={service.temporary}')}",
        f"EnvironmentFile=-{_whole(service.environment_file)}",
        "ReadWritePaths=",
        *_paths("ReadWritePaths", service.writable),
        *_sockets(service.sockets),
        *_paths("InaccessiblePaths", service.hidden),
    ]
    return "\n".join(lines) + "\n"


def _sockets(names: tuple[str, ...] | None) -> Iterable[str]:
    """What takes the place of all that the shipped unit hides."""
    if names is not None:
        yield "InaccessiblePaths="
        yield from (f"InaccessiblePaths=-%t/{name}" for name in names)


def _paths(name: str, paths: Iterable[Path]) -> Iterable[str]:
    """A line a path. One that is not there is passed over: systemd would not start the service for it."""
    return (f"{name}={_quoted(f'-{path}')}" for path in paths)


def _argument(word: str) -> str:
    return _quoted(word).replace("$", "$$")


def _quoted(word: str) -> str:
    """One word, as systemd reads it: no specifier, no escape, whatever blanks it holds."""
    escaped = _line(word).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _whole(path: Path) -> str:
    """A value that is the rest of a line, and takes no quotes."""
    return _line(str(path)).replace("%", "%%")


def _line(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RefusedError(f"{text!r} is not UTF-8, and no unit can name it") from error
    if not text.isprintable():
        raise RefusedError(f"{text!r} holds a character that no unit can name")
    return text

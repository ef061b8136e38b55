"""What a directory has to be before memd takes somebody's word that memory lies there."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Any

_SHORTEST_PATH = 3  # characters
_DRIVE = re.compile(r"/?[A-Za-z]:[/\\]?")


class RefusedPathError(ValueError):
    """A configured directory cannot be used."""


def configured_directory(value: Any, home: Path) -> Path:  # noqa: ANN401 -- whatever stands in a settings file
    """A directory that a person configured, checked; raises a ValueError that says what is wrong with it."""
    if not isinstance(value, str):
        raise RefusedPathError("it is not text")
    text = str(home / value[2:].lstrip("/")) if value.startswith("~/") else value
    for is_wrong, why in _objections(text):
        if is_wrong:
            raise RefusedPathError(why)
    path = Path(os.path.normpath(text))
    if _holds(path, home) or _holds(Path(os.path.realpath(path)), Path(os.path.realpath(home))):
        raise RefusedPathError("it is the home directory or holds it")
    return path


def _objections(text: str) -> tuple[tuple[bool, str], ...]:
    return (
        ("\0" in text, "it holds a NUL character"),
        (text.startswith(("//", "\\\\")), "it is a network path"),
        (_DRIVE.fullmatch(text) is not None, "it is a drive's root"),
        (not text.startswith("/"), "it is not an absolute path"),
        (unicodedata.normalize("NFC", text) != text, "its Unicode form is not NFC"),
        (not text.strip("/."), "it is the root directory"),
        (len(os.path.normpath(text)) < _SHORTEST_PATH, f"it is shorter than {_SHORTEST_PATH} characters"),
    )


def _holds(path: Path, home: Path) -> bool:
    return path == home or path in home.parents

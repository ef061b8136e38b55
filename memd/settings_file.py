"""Changing the settings file for a person: one value, and every other byte as it was."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from memd import files
from memd.errors import ConfigError, LockedError


def with_list(text: str, section: str, key: str, values: Sequence[str]) -> str:
    """A settings file's text in which `[section] key` holds exactly these strings. Raises ConfigError.

    Comments, order and formatting stay; of a list, those of the members that stay.
    """
    try:
        document = tomlkit.parse(text)
        table: Any = document.setdefault(section, tomlkit.table())
        held = table.get(key)
        if isinstance(held, Array):
            _become(held, values)
        else:
            table[key] = list(values)
        changed = tomlkit.dumps(document)
        is_right = tomllib.loads(changed) == _expected(text, section, key, values)
    except (TOMLKitError, tomllib.TOMLDecodeError, AttributeError, TypeError) as error:
        raise _cannot(section, key) from error
    if not is_right:
        raise _cannot(section, key)
    return changed


def with_value(text: str, key: str, value: str) -> str:
    """A settings file's text in which the setting `key`, of no section, is this string. Raises ConfigError."""
    try:
        document = tomlkit.parse(text)
        if key in document:
            document[key] = value
            changed = tomlkit.dumps(document)
        else:  # before everything else: after a section's head it would be that section's
            changed = f"{tomlkit.dumps({key: value})}{text}"
        is_right = tomllib.loads(changed) == {**tomllib.loads(text), key: value}
    except (TOMLKitError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{key} cannot be set: {error}", hint="correct the file, or edit it by hand") from error
    if not is_right:
        raise ConfigError(f"{key} cannot be changed without touching the rest", hint="edit the file by hand")
    return changed


def _become(held: Array, values: Sequence[str]) -> None:
    for number in reversed(range(len(held))):
        if held[number] not in values:
            del held[number]
    for value in values:
        if value not in held:
            held.append(value)


def _expected(text: str, section: str, key: str, values: Sequence[str]) -> dict[str, Any]:
    settings = tomllib.loads(text)
    settings.setdefault(section, {})[key] = list(values)
    return settings


def _cannot(section: str, key: str) -> ConfigError:
    return ConfigError(f"[{section}] {key} cannot be changed without touching the rest", hint="edit the file by hand")


def read(path: Path) -> str:
    """The file's text, "" where there is none."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""


def write(path: Path, text: str, *, before: str) -> None:
    """Put the text in place of the file, or of the one that a link there leads to.

    Raises LockedError where the file does not hold `before` any more.
    """
    real = path.resolve()
    with files.open_directory(real.parent, create=True) as directory, files.locked(directory):
        if read(real) != before:
            raise LockedError(f"{path} was changed meanwhile", hint="try again")
        files.write_atomic(directory, real.name, text.encode())

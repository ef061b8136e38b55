"""The keys that a model is asked with: variables, or files of systemd's (LoadCredential=, systemd.exec(5)).

Whoever needs to know of a key asks here, so that every command and every worker finds the same ones. A key that is
there and cannot be used is trouble to be told of: taken for none, it would turn a model into the offline rules unseen.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.errors import AuthError

NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
DIRECTORY = "CREDENTIALS_DIRECTORY"  # a file each in it, named as the variable, which it takes the place of
CORRECT = "correct it, then start again what asks with it (`memd install` for the service)"
_LONGEST = 16 * 1024  # characters; no server takes a longer header


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Keys:
    """What there is, by name. The repr tells no key."""

    usable: Mapping[str, str]
    trouble: str | None = None  # which one cannot be used, and why

    def __bool__(self) -> bool:
        """Whether a key was given at all, so that a model is meant to be asked."""
        return bool(self.usable) or self.trouble is not None

    def required(self) -> Mapping[str, str]:
        """The same, for who is about to ask. Raises AuthError where one was given that cannot be used."""
        if self.trouble is not None:
            raise AuthError(self.trouble, hint=CORRECT)
        return self.usable


def find(environ: Mapping[str, str]) -> Keys:
    """Look at the variables and the files that an environment names. Never raises."""
    usable, doubts = {}, []
    for name, where, said in _given(environ):
        if isinstance(said, OSError):
            doubts.append(f"{where} cannot be read: {said.strerror}")
        elif doubt := _doubt(said):
            doubts.append(f"{where} cannot be used as a key: {doubt}")
        else:
            usable[name] = said
    return Keys(usable=usable, trouble="; ".join(doubts) or None)


def _given(environ: Mapping[str, str]) -> Iterator[tuple[str, str, str | OSError]]:
    """Each key that was given, with where it stands, and what it is or why it cannot be read."""
    directory = environ.get(DIRECTORY)
    for name in NAMES:
        file = Path(directory, name) if directory else None
        said = _held(file) if file else None
        if said is not None:
            yield name, str(file), said
        elif environ.get(name):
            yield name, f"${name}", environ[name].strip()


def _held(file: Path) -> str | OSError | None:
    """What stands in a file, at most a little more than a key may have; None: there is none."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe holds nobody up
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error
    try:
        said = os.read(descriptor, 2 * _LONGEST)
        return said.decode("utf-8-sig", "replace").strip()  # some editors begin with a mark
    except OSError as error:
        return error
    finally:
        os.close(descriptor)


def _doubt(key: str) -> str | None:
    if not key:
        return "it is empty"
    if len(key) > _LONGEST:
        return f"it has more than {_LONGEST:,} characters"
    if "\n" in key or "\r" in key:
        return "it has more than one line"
    return None if key.isascii() and key.isprintable() else "it has characters that no key has"

"""Every byte that memd keeps, searched for values that it must not keep; encoded ones too."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from pathlib import Path

from tests.fakes.secret_corpus import Planted

_RUN = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")  # bytes in a run's record are base64


def search(trees: Iterable[Path], corpus: Iterable[Planted]) -> list[tuple[str, str]]:
    """What was found: the secret's name, and the file below one of the trees. File names count as contents."""
    read = {path: _readings(path) for tree in trees for path in tree.rglob("*")}
    return [(one.name, path.name) for one in corpus for path, data in read.items() if one.value.encode() in data]


def _readings(path: Path) -> bytes:
    data = path.read_bytes() if path.is_file() else b""
    return b"\n".join([str(path).encode(), data, *(_decoded(run) for run in _RUN.findall(data))])


def _decoded(run: bytes) -> bytes:
    try:
        return base64.b64decode(run + b"=" * (-len(run) % 4))
    except binascii.Error:
        return b""

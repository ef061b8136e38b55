"""What the tests of transcripts share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a transcript is to stand; its name is no session's."""
    return tmp_path / "by-name.jsonl"

"""What a repository's commits did, whatever their files and authors are called."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.team import commits, objects, past
from memd.team.commits import Change
from memd.team.git import Repository
from memd.team.objects import Draft
from tests.fakes.git_remote import bare

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
NAMES = ("\x01a.md", "\n:100644 x", ":x.md", " a b.md", os.fsdecode(b"\xff.md"), "deep/\x01/x.md")


@pytest.fixture
def repository(home: Path) -> Repository:
    return Repository(path=bare(home / "own.git"), environ={"HOME": str(home), "PATH": os.environ["PATH"]})


def commit(repository: Repository, parent: str | None, edits: dict[str, bytes | None], author: str = "Ana") -> str:
    draft = Draft(
        parents=(parent,) if parent else (),
        tree=objects.tree_of(repository, parent) if parent else None,
        edits=edits,
        message="Edit",
        author=(author, "a@b"),
        at=NOW,
    )
    return objects.write(repository, draft)


def test_every_change_is_told_with_what_it_made(repository: Repository) -> None:
    text = b"What we agreed on.\n" * 9
    first = commit(repository, None, {"a.md": text, "b.md": b"B\n"})
    second = commit(repository, first, {"a.md": None, "moved.md": text, "b.md": b"Else\n"}, author="Bo\tB")
    blob = objects.blob_name(text)
    newer, older = commits.newest(repository, second, "--find-renames", most=9, now=NOW.timestamp())
    assert (newer.name, newer.author, newer.at) == (second, "Bo B", NOW.timestamp())
    assert set(newer.changes) == {
        Change(path="b.md", letter="M", blob=objects.blob_name(b"Else\n")),
        Change(path="moved.md", letter="R", blob=blob, old="a.md"),
    }
    assert [change.letter for change in older.changes] == ["A", "A"]
    (apart,) = commits.newest(repository, second, "--no-renames", most=1, now=NOW.timestamp())
    assert Change(path="a.md", letter="D", blob=None) in apart.changes


def test_no_name_is_taken_for_anything_else(repository: Repository) -> None:
    tip = commit(repository, None, dict.fromkeys(NAMES, b"x"))
    (only,) = commits.newest(repository, tip, most=9, now=NOW.timestamp())
    assert {change.path for change in only.changes} == set(NAMES)
    (step,) = past.steps(repository, tip, most=9, path="\x01a.md", now=NOW.timestamp())
    assert [did.what for did in step.files] == ["added"]


def test_a_time_that_cannot_be_is_none(repository: Repository) -> None:
    tip = commit(repository, None, {"a.md": b"x"})
    (only,) = commits.newest(repository, tip, most=9, now=(NOW - timedelta(days=400)).timestamp())
    assert only.at is None

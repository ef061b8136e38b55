"""Two commits become one: what both sides have is in it, whoever asks, and nobody's edit is dropped in silence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.team import merging, objects
from memd.team.git import Repository
from memd.team.merging import Merge
from memd.team.objects import Draft
from tests.fakes.git_remote import bare
from tests.fakes.team_home import memory
from tests.fakes.transaction import quick_directory

AT = datetime(2026, 4, 1, 10, 15, tzinfo=UTC)
PATHS = ("a.md", "b.md", "c/d.md")
LINES = 6

Tree = dict[str, tuple[str, ...]]  # lines by path


@pytest.fixture(scope="module")
def repository() -> Iterator[Repository]:
    with quick_directory() as place:
        yield Repository(path=bare(place / "own.git"), environ={"PATH": os.environ["PATH"]})


def content(lines: tuple[str, ...]) -> bytes:
    return memory("note", "\n".join(lines))


def commit(repository: Repository, tree: Tree, parent: str | None = None) -> str:
    edits = {path: content(lines) for path, lines in tree.items()}
    parents = () if parent is None else (parent,)
    return objects.write(repository, Draft(parents=parents, tree=None, edits=edits, message="", at=AT))


def result(repository: Repository, theirs: str, merge: Merge) -> dict[str, bytes]:
    draft = Draft(
        parents=(theirs,), tree=objects.tree_of(repository, theirs), edits=merge.edits, message="Merged", at=AT
    )
    entries = objects.listing(repository, objects.write(repository, draft))
    found = objects.blobs(repository, entries)
    return {entry.path: found[entry.oid] for entry in entries}


WORDS = st.sampled_from(["kept", "red", "green", "blue"])
FILES = st.lists(WORDS, min_size=LINES, max_size=LINES).map(tuple)
TREES = st.dictionaries(st.sampled_from(PATHS), FILES)


@settings(max_examples=20)
@given(base=TREES, ours=TREES, theirs=TREES)
def test_each_file_is_somebodys_or_both(repository: Repository, base: Tree, ours: Tree, theirs: Tree) -> None:
    old = commit(repository, base)
    one, other = commit(repository, ours, old), commit(repository, theirs, old)
    merge = merging.merge(repository, old, one, other)
    merged = result(repository, other, merge)
    lost = {conflict.path for conflict in merge.conflicts}
    for path in PATHS:
        before, mine, new = base.get(path), ours.get(path), theirs.get(path)
        if mine == before:
            assert merged.get(path) == (None if new is None else content(new))
        elif new == before or new is None:
            assert merged.get(path) == (None if mine is None else content(mine))
        elif mine is None or path in lost:
            assert merged[path] == content(new)
        elif mine != new and before is not None:
            assert changed_lines(before, mine) <= set(merged[path].decode().splitlines()) | {"kept"}
    assert all(ours.get(path) not in {base.get(path), theirs.get(path)} for path in lost)


def changed_lines(before: tuple[str, ...], after: tuple[str, ...]) -> set[str]:
    return {new for old, new in zip(before, after, strict=True) if old != new}


@settings(max_examples=10)
@given(base=TREES, ours=TREES)
def test_against_no_change_everything_of_ours_stands(repository: Repository, base: Tree, ours: Tree) -> None:
    old = commit(repository, base)
    one = commit(repository, ours, old)
    merge = merging.merge(repository, old, one, old)
    assert result(repository, old, merge) == {path: content(lines) for path, lines in ours.items()}
    assert not merge.conflicts
    assert not merging.merge(repository, old, one, one).edits
    assert not merging.merge(repository, old, old, one).edits


@settings(max_examples=10)
@given(ours=TREES, theirs=TREES)
def test_without_anything_in_common_all_files_are_there(repository: Repository, ours: Tree, theirs: Tree) -> None:
    one, other = commit(repository, ours), commit(repository, theirs)
    merge = merging.merge(repository, None, one, other)
    merged = result(repository, other, merge)
    assert merged == {path: content(lines) for path, lines in (ours | theirs).items()}
    assert {conflict.path for conflict in merge.conflicts} == {
        path for path in ours.keys() & theirs.keys() if ours[path] != theirs[path]
    }


def test_what_theirs_has_already_is_no_change_and_no_conflict(repository: Repository) -> None:
    lines = tuple(f"Line {number}" for number in range(LINES))
    base = commit(repository, {"a.md": lines})
    ours = commit(repository, {"a.md": ("red", *lines[1:])}, base)
    theirs = commit(repository, {"a.md": ("red", *lines[1:-1], "blue")}, base)
    merge = merging.merge(repository, base, ours, theirs)
    assert (dict(merge.edits), merge.conflicts) == ({}, ())


def test_bytes_and_odd_files_of_theirs_stay_as_they_are(repository: Repository) -> None:
    odd = {"README": b"\x00\xff", "a.md": content(("one",)), "x y.md": b"?"}
    other = objects.write(repository, Draft(parents=(), tree=None, edits=odd, message="", at=AT))
    one = commit(repository, {"a.md": ("two",), "b.md": ("three",)})
    merged = result(repository, other, merging.merge(repository, None, one, other))
    assert merged == odd | {"b.md": content(("three",))}


def test_a_commit_has_what_was_drafted(repository: Repository) -> None:
    first = objects.write(
        repository, Draft(parents=(), tree=None, edits={"a.md": b"1", "c/d.md": b"2"}, message="First", at=AT)
    )
    assert objects.changed(repository, None, first) == ("a.md", "c/d.md")
    known = objects.file("new.md", objects.blob_name(b"1"))
    second = objects.write(
        repository,
        Draft(
            parents=(first,),
            tree=objects.tree_of(repository, first),
            edits={"a.md": None, "new.md": known, 'odd "name"\\.md': b""},
            message="Second\n\nwith more",
            author=("A <b>\n", "a@example.org"),
            at=AT,
        ),
    )
    entries = {entry.path: entry for entry in objects.listing(repository, second)}
    assert sorted(entries) == ["c/d.md", "new.md", 'odd "name"\\.md']
    assert entries["new.md"].oid == objects.blob_name(b"1")
    assert objects.is_ancestor(repository, first, second)
    assert not objects.is_ancestor(repository, second, first)
    assert objects.apart(repository, first, second) == (0, 1)
    assert objects.in_common(repository, first, second) == first


@settings(max_examples=15)
@given(contents=st.lists(st.binary(max_size=200), max_size=5))
def test_blobs_are_named_and_read_as_git_does(repository: Repository, contents: list[bytes]) -> None:
    edits = {f"{number}.md": data for number, data in enumerate(contents)}
    made = objects.write(repository, Draft(parents=(), tree=None, edits=edits, message="", at=AT))
    entries = objects.listing(repository, made)
    assert {entry.path: entry.oid for entry in entries} == {path: objects.blob_name(edits[path]) for path in edits}
    assert objects.blobs(repository, entries) == {objects.blob_name(data): data for data in contents}


def test_nothing_is_left_of_a_merge(repository: Repository) -> None:
    old = commit(repository, {"a.md": ("one", "two", "three")})
    one = commit(repository, {"a.md": ("ours", "two", "three")}, old)
    other = commit(repository, {"a.md": ("one", "two", "theirs")}, old)
    merged = result(repository, other, merging.merge(repository, old, one, other))
    assert merged == {"a.md": content(("ours", "two", "theirs"))}
    assert [one.name for one in Path(repository.path.parent).iterdir()] == ["own.git"]

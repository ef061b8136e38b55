"""What does not go out: by file, and by everything in the commits that would be pushed."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from memd.memory import topic
from memd.memory.layout import TEAM_LIMIT
from memd.memory.topic import TopicType
from memd.team import guard
from memd.team.nouns import HeldBack
from tests.fakes.git_objects import Bare

KEY = "AKIA" + "Z7KQ4M2PXW5TRN3B"
TOKEN = "ghp_" + "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8"


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare.made(tmp_path / "repository.git")


def memory(body: str = "Mobile freezes merges.", kind: TopicType = TopicType.PROJECT) -> bytes:
    return topic.render("freeze", "Mobile freezes merges", kind, body)


def found(bare: Bare, tip: str, excluding: str | None = None) -> set[tuple[str, str]]:
    return {(one.rule, one.path) for one in guard.outgoing(bare.repository, tip, excluding)}


def test_a_file_is_held_back_by_name_and_rule() -> None:
    assert guard.finding("a.md", memory()) is None
    assert guard.finding("a.md", memory(f"Deploy with {KEY}.")) == HeldBack(
        path="a.md", rule="aws-access-key-id", reason="it holds a secret (aws-access-key-id in line 7)"
    )
    private = guard.finding("a.md", memory(kind=TopicType.USER))
    assert private is not None
    assert private.rule == "private"


def test_a_held_name_is_told_without_its_secret_and_without_what_a_terminal_obeys() -> None:
    secret = guard.finding(f"{TOKEN}.md", memory())
    assert secret is not None
    assert TOKEN not in repr(secret)
    odd = guard.finding("\x1b[2J\n.md", memory())
    assert odd is not None
    assert odd.path.isprintable()


def test_clean_commits_may_go(bare: Bare) -> None:
    first = bare.commit({"a.md": memory()})
    second = bare.commit({"a.md": memory("Until May."), "ops/b.md": memory()}, first)
    assert found(bare, second) == set()
    assert found(bare, second, second) == set()


@pytest.mark.parametrize("name", ["README.md", "notes.md", "private.md", "freeze.txt", "token.md"])
def test_commits_that_ever_held_something_else_than_memories_are_known(bare: Bare, name: str) -> None:
    said = {
        "notes.md": b"No header.\n",
        "private.md": memory(kind=TopicType.USER),
        "token.md": memory(f"Deploy with {KEY}."),
    }
    first = bare.commit({"a.md": memory()})
    assert guard.is_all_memory(bare.repository, first)
    second = bare.commit({"a.md": memory(), name: said.get(name, memory("Else."))}, first)
    third = bare.commit({"a.md": memory("Until May."), "ops/b.md": memory()}, second)
    assert not guard.is_all_memory(bare.repository, third)
    assert guard.is_all_memory(bare.repository, bare.commit({"a.md": memory("Until May.")}, first))


FORMS = {
    "plain": f"Deploy with {KEY}.",
    "full-width": "Deploy with " + "".join(chr(ord(c) + 0xFEE0) for c in KEY),
    "two lines": f"Deploy with {KEY[:11]}\n{KEY[11:]}",
    "base64": base64.b64encode(f"the key that deploys is {KEY}".encode()).decode(),
    "zero-width": "\u2060".join(KEY),
    "utf-16": KEY.encode("utf-16-le").decode("latin-1"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_that_was_taken_out_again_is_still_in_the_history(bare: Bare, form: str) -> None:
    first = bare.commit({"a.md": memory()})
    second = bare.commit({"a.md": memory(FORMS[form])}, first)
    third = bare.commit({"a.md": memory("It is in the vault.")}, second)
    rules = found(bare, third, first)
    assert {path for _, path in rules} == {"a.md"}
    assert found(bare, third, second) == set()


def test_names_messages_and_authors_are_looked_at(bare: Bare) -> None:
    first = bare.commit({"a.md": memory()})
    name = bare.commit({f"{TOKEN}/a.md": memory()}, first)
    assert {rule for rule, _ in found(bare, name, first)} == {"github-token"}
    assert TOKEN not in repr(guard.outgoing(bare.repository, name, first))
    message = bare.commit({"a.md": memory()}, first, message=f"use {KEY}")
    assert found(bare, message, first) == {("aws-access-key-id", "")}
    author = bare.commit({"a.md": memory()}, first, variables={"GIT_AUTHOR_NAME": KEY})
    assert found(bare, author, first) == {("aws-access-key-id", "")}
    committer = bare.commit({"a.md": memory()}, first, variables={"GIT_COMMITTER_EMAIL": f"{TOKEN}@example.com"})
    assert found(bare, committer, first) == {("github-token", "")}


def test_a_deleted_file_and_a_side_branch_count(bare: Bare) -> None:
    first = bare.commit({"a.md": memory()})
    side = bare.commit({"a.md": memory(), "b.md": memory(KEY)}, first)
    gone = bare.commit({"a.md": memory()}, side)
    other = bare.commit({"a.md": memory("Until May.")}, first)
    merged = bare.commit({"a.md": memory("Until May.")}, other, gone)
    assert found(bare, merged, first) == {("aws-access-key-id", "b.md")}
    assert found(bare, merged, other) == {("aws-access-key-id", "b.md")}


def test_what_only_a_merge_has_is_looked_at(bare: Bare) -> None:
    first = bare.commit({"a.md": memory()})
    ours = bare.commit({"a.md": memory("One.")}, first)
    theirs = bare.commit({"a.md": memory("Two.")}, first)
    merged = bare.commit({"a.md": memory(f"One, two, {KEY}")}, ours, theirs)
    assert found(bare, merged, theirs) == {("aws-access-key-id", "a.md")}


def test_what_the_remote_has_already_keeps_nobody_from_pushing(bare: Bare) -> None:
    first = bare.commit({"a.md": memory()})
    theirs = bare.commit({"a.md": memory(), "b.md": memory(KEY), f"{TOKEN}.md": memory()}, first)
    ours = bare.commit({"a.md": memory("Until May.")}, first)
    whole = {"a.md": memory("Until May."), "b.md": memory(KEY), f"{TOKEN}.md": memory()}
    merged = bare.commit(whole, ours, theirs)
    assert found(bare, merged, theirs) == set()


def test_links_and_large_files_in_the_history_are_seen(bare: Bare) -> None:
    large = bare.commit({"a.md": b"x" * (TEAM_LIMIT + 1)})
    assert found(bare, large) == {("too-large", "a.md")}
    oid = bare.git("hash-object", "-w", "--stdin", stdin=f"/srv/{TOKEN}".encode())
    tree = bare.git("mktree", "-z", stdin=f"120000 blob {oid}\tlink\0".encode())
    link = bare.git("commit-tree", tree, "-m", "x")
    assert found(bare, link) == {("github-token", "link")}
    module = bare.git("mktree", "-z", "--missing", stdin=f"160000 commit {'1' * 40}\tsub\0".encode())
    assert found(bare, bare.git("commit-tree", module, "-m", "x")) == set()


def test_more_commits_than_anybody_looks_through_become_one(bare: Bare) -> None:
    tree = bare.tree({"a.md": memory()})
    who = b"committer Ana <a@example.com> 1700000000 +0000\n"
    lines = b"".join(
        b"commit refs/heads/many\n" + who + b"data 1\nx\n" + (b"M 040000 %s \n" % tree.encode() if n == 0 else b"")
        for n in range(guard.MOST_COMMITS + 1)
    )
    bare.git("fast-import", "--quiet", stdin=lines)
    tip = bare.git("rev-parse", "refs/heads/many")
    assert found(bare, tip) == {("too-many", "")}
    assert found(bare, tip, f"{tip}~1") == set()

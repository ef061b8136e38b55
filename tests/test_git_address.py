"""Which remotes and branches memd talks to."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import git_address


@pytest.mark.parametrize(
    "text",
    [
        "https://git.example.org/shop/memory.git",
        "https://me@git.example.org:8443/shop/memory.git",
        "https://x-access-token@git.example.org/shop/memory.git",
        "ssh://git@git.example.org/~/memory.git",
        "ssh://git@[2001:db8::1]:2222/memory.git",
        "git://127.0.0.1:9418/memory.git",
        "file:///srv/git/memory.git",
        "git@git.example.org:shop/memory.git",
        "git.example.org:memory.git",
        "/srv/git/memory.git",
        "~/memory.git",
    ],
)
def test_what_git_talks_to_is_taken_as_it_is(text: str) -> None:
    assert git_address.remote(f"  {text}\n") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ext::sh -c 'touch /tmp/x'",
        "fd::3",
        "http://git.example.org/memory.git",
        "ftp://git.example.org/memory.git",
        "EXT::sh",
        "https://me:secret@git.example.org/memory.git",
        "https://ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8@git.example.org/memory.git",
        "https://glpat-abcdefghij1234567890@git.example.org/memory.git",
        "ssh://-oProxyCommand=touch/x",
        "ssh://git@-oProxyCommand=touch/x",
        "ssh://-oProxyCommand=x@host/x",
        "git@-oProxyCommand=touch:x",
        "-oProxyCommand=touch:x",
        "--upload-pack=touch",
        "host:--upload-pack=touch",
        "git@host::path",
        "https:///memory.git",
        "https://host/memory.git?token=abc",
        "https://host/memory.git#abc",
        "file://host/memory.git",
        "https://host/a\u202egit",
        "memory.git",
        "https://host/a\nb",
        "https://host/a\x1b[31m",
        "x" * 3000,
    ],
)
def test_what_could_start_a_program_or_tell_a_secret_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must "):
        git_address.remote(text)


@given(st.text(max_size=40))
def test_a_branch_that_is_taken_is_one_for_git(text: str) -> None:
    try:
        name = git_address.branch(text)
    except ValueError:
        return
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True, check=False)  # noqa: S607
    assert done.returncode == 0, done.stderr


@given(st.text(max_size=30))
def test_a_project_always_gives_a_branch(name: str) -> None:
    chosen = git_address.named("memd/{name}", name)
    assert git_address.branch(chosen) == chosen


def test_a_pattern_without_a_place_is_the_branch() -> None:
    assert git_address.named("memd", "shop") == "memd"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("https://token@host/a.git", "https://host/a.git"),
        ("ssh://git@host/a.git", "ssh://git@host/a.git"),
        ("git@host:a.git", "git@host:a.git"),
        ("/srv/a@b.git", "/srv/a@b.git"),
    ],
)
def test_what_people_see_of_it(text: str, seen: str) -> None:
    assert git_address.shown(text) == seen


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("https://host/a.git", "https"),
        ("ssh://host/a.git", "ssh"),
        ("git@host:a.git", "ssh"),
        ("git://host/a.git", None),
        ("file:///srv/a.git", None),
        ("/srv/a.git", None),
        ("~/a.git", None),
    ],
)
def test_which_credentials_a_remote_may_ask_for(text: str, kind: str | None) -> None:
    assert git_address.kind(text) == kind

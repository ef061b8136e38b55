"""Keys from variables and from files: used as they are, or named as what cannot be used, never taken for none."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.agent import backends, keys, model_service
from memd.config import Settings
from memd.errors import AuthError

MODEL = "claude-sonnet-5-5"


def handed(directory: Path, said: bytes, name: str = "ANTHROPIC_API_KEY") -> dict[str, str]:
    (directory / name).write_bytes(said)
    return {keys.DIRECTORY: str(directory)}


@pytest.mark.parametrize(
    "said",
    [b"sk-1", b"sk-1\n", b" sk-1 \r\n", b"\xef\xbb\xbfsk-1\n"],
    ids=["bare", "line", "crlf", "marked"],
)
def test_a_key_in_a_file_is_what_stands_on_its_line(tmp_path: Path, said: bytes) -> None:
    assert keys.find(handed(tmp_path, said)).required() == {"ANTHROPIC_API_KEY": "sk-1"}


def test_a_file_takes_the_place_of_its_variable_and_no_other_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "LD_PRELOAD").write_text("x.so", "utf-8")
    environ = {"ANTHROPIC_API_KEY": "old", "ANTHROPIC_AUTH_TOKEN": "token"} | handed(tmp_path, b"new\n")
    assert keys.find(environ).required() == {"ANTHROPIC_API_KEY": "new", "ANTHROPIC_AUTH_TOKEN": "token"}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"sk-1\nsk-2\n", "more than one line"),
        (b"sk\0", "characters that no key has"),
        ("sk-1".encode("utf-16"), "characters that no key has"),
        ("clé".encode(), "characters that no key has"),
        (b"k" * 200_000, "more than 16,384 characters"),
    ],
    ids=["empty", "blank", "lines", "nul", "utf-16", "accent", "endless"],
)
def test_a_key_that_cannot_be_used_is_named_and_no_other_is_used_instead(tmp_path: Path, said: bytes, why: str) -> None:
    environ = handed(tmp_path, said, "ANTHROPIC_AUTH_TOKEN") | {"ANTHROPIC_API_KEY": "sk-1"}
    with pytest.raises(AuthError, match=why) as refused:
        keys.find(environ).required()
    assert str(tmp_path / "ANTHROPIC_AUTH_TOKEN") in str(refused.value)
    assert model_service.asks_a_model(Settings(), environ)
    assert backends.choose(Settings(), environ, MODEL).backend.name == "anthropic"


@pytest.mark.parametrize(
    "place",
    [
        lambda file: file.mkdir(),
        os.mkfifo,
        lambda file: file.symlink_to(file),
        lambda file: file.symlink_to("/dev/zero"),
    ],
    ids=["directory", "pipe", "loop", "endless"],
)
def test_what_is_no_file_is_named_and_holds_nobody_up(tmp_path: Path, place: Callable[[Path], None]) -> None:
    place(tmp_path / "ANTHROPIC_API_KEY")
    found = keys.find({keys.DIRECTORY: str(tmp_path)})
    assert found
    assert "ANTHROPIC_API_KEY cannot be" in (found.trouble or "")


def test_where_nothing_was_given_there_is_none_and_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for directory in ("", str(tmp_path), str(tmp_path / "none"), str(tmp_path / "file")):
        found = keys.find({keys.DIRECTORY: directory, "ANTHROPIC_API_KEY": ""})
        assert not found
        assert found.trouble is None


@pytest.mark.parametrize("said", ["sk\nsk", "\N{ZERO WIDTH NO-BREAK SPACE}sk", " "], ids=["lines", "marked", "blank"])
def test_a_variable_that_cannot_be_used_is_named_as_well(said: str) -> None:
    assert (keys.find({"ANTHROPIC_API_KEY": said}).trouble or "").startswith("$ANTHROPIC_API_KEY cannot be used")


def test_a_corrected_key_is_another_account_and_no_key_shows(tmp_path: Path) -> None:
    def account() -> str | None:
        return backends.choose(Settings(), {keys.DIRECTORY: str(tmp_path)}, MODEL).account

    handed(tmp_path, b"sk-secret\nsk-secret")
    wrong = account()
    environ = handed(tmp_path, b"sk-secret")
    assert len({wrong, account()}) == 2
    assert "sk-secret" not in repr(keys.find(environ)) + str(keys.find(handed(tmp_path, b"sk-secret\n2")).trouble)


def test_a_cloud_of_others_has_keys_of_its_own(tmp_path: Path) -> None:
    environ = handed(tmp_path, b"")
    theirs = replace(Settings(), models=replace(Settings().models, provider="bedrock"))
    assert model_service.key_trouble(Settings(), environ)
    assert model_service.key_trouble(theirs, environ) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.binary(max_size=40))
def test_whatever_stands_in_a_file_is_used_or_named(tmp_path: Path, said: bytes) -> None:
    found = keys.find(handed(tmp_path, said))
    assert found
    assert bool(found.usable) is (found.trouble is None)
    assert all(key.encode("ascii") in said for key in found.usable.values())

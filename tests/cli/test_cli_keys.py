"""A key in a file of systemd's: every command that may ask a model asks with it, or says why it cannot."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Answer, Memd, Near
from tests.fakes.anthropic_server import Server, serving, text
from tests.fakes.talk import converse

KEY = "sk-ant-from-a-credential"
COMMANDS = {
    "run": ("run", "--once"),
    "extract": ("extract", "--last"),
    "backfill": ("backfill", "--yes"),
    "dream": ("dream", "--all"),
    "recall": ("recall", "uploads retries"),
}


@pytest.fixture
def busy(near: Near) -> Near:
    """Something to do for every one of them."""
    near.save("feedback_retries.md", "Keep at most 3 retries for uploads")
    near("log", "Keep at most 5 retries for uploads", "--type", "feedback")
    return near


@pytest.fixture
def server() -> Iterator[Server]:
    """A model that finds nothing."""
    with serving(lambda _: [text("There is nothing to be done about any of this.")]) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where systemd keeps what a unit is given."""
    directory = tmp_path / "credentials"
    directory.mkdir(mode=0o700)
    return directory


def surroundings(place: Path, server: Server) -> dict[str, str]:
    return {"CREDENTIALS_DIRECTORY": str(place), "ANTHROPIC_BASE_URL": server.url, "MEMD_EXTRACT_QUIET": "0s"}


def ask(memd: Near, name: str, environ: Mapping[str, str]) -> Answer:
    """Run it; what a daemon starts is a process of its own."""
    return memd(*COMMANDS[name], environ=environ)


def to_do(memd: Near, name: str, environ: Mapping[str, str]) -> None:
    if name == "run":
        ask(memd, name, environ)  # what is older than memd is for `backfill`
    converse(memd.memory, memd.project, mtime=time.time() - 86_400 * 3 if name == "backfill" else None)


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_asked_with_the_key_in_the_file(busy: Near, server: Server, place: Path, name: str) -> None:
    (place / "ANTHROPIC_API_KEY").write_text(f"{KEY}\n", "utf-8")
    to_do(busy, name, surroundings(place, server))
    ask(busy, name, surroundings(place, server))
    sent = [one.headers for one in server.requests if one.method == "POST"]
    assert sent
    assert all(KEY in {one.get("x-api-key"), one.get("authorization", "")[7:]} for one in sent)


@pytest.mark.parametrize("name", COMMANDS)
def test_one_that_cannot_be_used_sends_nothing_and_is_named(busy: Near, server: Server, place: Path, name: str) -> None:
    (place / "ANTHROPIC_API_KEY").write_text(f"{KEY}\n{KEY}\n", "utf-8")
    environ = surroundings(place, server)
    to_do(busy, name, environ)
    before = busy.memory.joinpath("MEMORY.md").read_bytes()
    answer = ask(busy, name, environ)
    assert not server.requests
    assert busy.memory.joinpath("MEMORY.md").read_bytes() == before
    named = f"{place}/ANTHROPIC_API_KEY cannot be used as a key: it has more than one line"
    assert named in answer.out + answer.err or name == "recall"  # which has the words to go by
    assert f"NOT ASKED: {named}" in busy("status", environ=environ).out
    assert named in busy("doctor", environ=environ).out
    assert KEY not in answer.out + answer.err


def test_the_service_s_own_is_looked_at_by_doctor_and_status(managed: Memd, tmp_path: Path) -> None:
    assert managed.inside("install", "--yes").code == 0
    handed = tmp_path / "run" / "credentials" / "memd.service"
    handed.mkdir(parents=True)
    assert "nothing leaves this machine" in managed.inside("status").out
    (handed / "ANTHROPIC_API_KEY").write_text(KEY, "utf-8")
    assert "conversations go to" in managed.inside("status").out
    (handed / "ANTHROPIC_API_KEY").write_text("", "utf-8")
    for command in ("status", "doctor"):
        assert f"{handed}/ANTHROPIC_API_KEY cannot be used as a key: it is empty" in managed.inside(command).out


def test_one_that_cannot_be_used_is_not_left_out_of_the_service_unseen(
    managed: Memd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}\n{KEY}")
    answer = managed.inside("install", "--yes", "--backend", "anthropic")
    assert answer.code == 2
    assert "$ANTHROPIC_API_KEY cannot be used as a key: it has more than one line" in answer.err
    assert KEY not in answer.out + answer.err

"""What a hostile web server does to a sync: redirects, questions, and bodies without end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from memd.team.nouns import Outcome
from tests.fakes.git_objects import Bare
from tests.fakes.team_machine import Machine
from tests.fakes.web_remote import Answer, Web, serving
from tests.team import hostile


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every test begins with a copy of."""
    return hostile.agreed(tmp_path_factory.mktemp("agreed") / "root")


@pytest.fixture
def machine(agreed: Path, tmp_path: Path) -> Machine:
    """A machine on which something was edited since it agreed with its remote."""
    pair: tuple[Bare, Machine] = hostile.copied(agreed, tmp_path / "root")
    return pair[1]


def at(machine: Machine, web: Web, variables: Mapping[str, str] | None = None) -> Machine:
    """The same machine, which trusts that server."""
    environ = {**machine.environ, "GIT_SSL_CAINFO": str(web.certificate), **(variables or {})}
    return replace(machine, environ=environ, membership=replace(machine.membership, remote=web.address))


def redirects(to: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", to.replace("{path}", handler.path))
        handler.end_headers()

    return answer


def says(code: int, body: bytes = b"", **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def without_end(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
    handler.end_headers()
    while True:
        handler.wfile.write(b"001e# service=git-upload-pack\n" * 1000)


ADVERTISED = {"Content_Type": "application/x-git-upload-pack-advertisement"}
TRICKS: dict[str, Answer] = {
    "to a program": redirects("ext::sh -c touch% canary"),
    "to a file": redirects("file:///etc/passwd"),
    "to itself": redirects("{path}x"),
    "to an option": redirects("--upload-pack=touch canary"),
    "a page": says(200, b"<html>log in</html>", Content_Type="text/html"),
    "a wrong service": says(200, b"001f# service=git-receive-pack\n0000", **ADVERTISED),
    "an odd length": says(200, b"zzzz", **ADVERTISED),
    "no access": says(403, b"\x1b[2Jno"),
    "nothing there": says(404),
    "its own trouble": says(500, b"x" * 100_000),
    "come back": says(429, Retry_After="100000"),
    "another proxy": says(305, Location="http://127.0.0.1:1/"),
    "without end": without_end,
}


@pytest.mark.parametrize("name", TRICKS)
def test_a_hostile_web_server_is_contained(machine: Machine, tmp_path: Path, name: str) -> None:
    before = machine.outside()
    with serving(TRICKS[name], tmp_path / "tls") as web:
        report = hostile.contained(at(machine, web), before, 3.0)
    assert not report.in_order
    assert report.reason


@pytest.mark.parametrize("scheme", ["http", "git", "ftp", "dict"])
def test_a_redirect_to_another_kind_of_server_is_not_followed(machine: Machine, tmp_path: Path, scheme: str) -> None:
    before = machine.outside()
    with serving(says(200), tmp_path / "plain", tls=False) as other:
        there = f"{scheme}://127.0.0.1:{other.port}{{path}}"
        with serving(redirects(there), tmp_path / "tls") as web:
            report = hostile.contained(at(machine, web), before, 5.0)
        assert other.asked == []
    assert not report.in_order


def test_whoever_asks_for_a_password_gets_none(machine: Machine, tmp_path: Path) -> None:
    asks = says(401, WWW_Authenticate='Basic realm="type your password"')
    helper = tmp_path / "askpass"
    helper.write_text(f"#!/bin/sh\ntouch {machine.canary}\necho hunter2\n")
    helper.chmod(0o700)
    before = machine.outside()
    with serving(asks, tmp_path / "tls") as web:
        asking = at(machine, web, {"GIT_ASKPASS": str(helper), "SSH_ASKPASS": str(helper), "DISPLAY": ":0"})
        report = hostile.contained(asking, before, 5.0)
        assert {said for _, said in web.asked} == {""}
    assert report.outcome is Outcome.DENIED


def test_a_password_kept_for_one_server_is_not_shown_to_another(machine: Machine, tmp_path: Path) -> None:
    with serving(says(401, WWW_Authenticate='Basic realm="x"'), tmp_path / "other") as other:
        there = f"https://127.0.0.1:{other.port}{{path}}"
        with serving(redirects(there), tmp_path / "tls") as web:
            store = machine.root / "home" / ".git-credentials"
            store.write_text(f"https://ana:hunter2@127.0.0.1%3a{web.port}\n")
            (machine.root / "home" / ".gitconfig").write_text("[credential]\n\thelper = store\n")
            both = tmp_path / "both.pem"
            both.write_bytes(web.certificate.read_bytes() + other.certificate.read_bytes())
            before = machine.outside()
            report = hostile.contained(at(machine, web, {"GIT_SSL_CAINFO": str(both)}), before, 5.0)
        assert {said for _, said in other.asked} <= {""}
    assert "hunter2" not in repr(report)
    assert not report.in_order


def test_a_server_that_nobody_vouches_for_is_not_talked_to(machine: Machine, tmp_path: Path) -> None:
    before = machine.outside()
    with serving(says(200), tmp_path / "tls") as web:
        report = hostile.contained(at(machine, web, {"GIT_SSL_CAINFO": "/dev/null"}), before, 5.0)
        assert web.asked == []
    assert not report.in_order

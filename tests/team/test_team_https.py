"""Syncing by https with a password from a credential helper: real git, a real server, and every way it goes wrong."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import psutil
import pytest

from memd import config, logs
from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.team import helpers, turn
from memd.team.git import Repository
from memd.team.house import House
from memd.team.nouns import Outcome
from tests.fakes.git_remote import bare, free_port, git, silence
from tests.fakes.git_web import repositories, unauthorized
from tests.fakes.team_home import Machine, memory
from tests.fakes.team_machine import left_running
from tests.fakes.web_remote import Answer, Web, serving

LOGIN = "hunter2-and-7-dwarfs"
STORE = "[credential]\nhelper = store\n"
SNIPPET = f'[credential]\nhelper = "!f() {{ echo username=ana; echo password={LOGIN}; }}; f"\n'
PATIENCE = 1.5  # seconds, where nothing answers

People = Callable[..., Machine]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A server of repositories that all have the same login."""
    root = tmp_path_factory.mktemp("web")
    with serving(repositories(root / "repositories", f"ana:{LOGIN}"), root / "tls", lasting=True) as server:
        bare(root / "repositories" / "memory.git")
        yield server


@pytest.fixture
def address(web: Web, home: Path) -> str:
    """Of a repository of the test's own."""
    bare(web.certificate.parent.parent / "repositories" / f"{home.name}.git")
    return web.address.replace("memory", home.name)


@pytest.fixture
def person(web: Web, address: str, home: Path) -> People:
    """Somebody with settings of their own, and a password kept for the server, where there is one."""

    def make(
        name: str, settings: str, password: str | None = None, *, to: str = address, trusts: bool = True
    ) -> Machine:
        place = home / name
        place.mkdir()
        trust = f"[http]\nsslCAInfo = {web.certificate}\n" if trusts else ""
        (place / ".gitconfig").write_text(trust + settings)
        if password is not None:
            (place / ".git-credentials").write_text(f"https://ana:{password}@127.0.0.1%3a{web.port}\n")
        return Machine(home=place, remote=to, patience=20.0)

    return make


def stays_away(machine: Machine, outcome: Outcome, *words: str) -> None:
    """Sync in vain, and see that this is said, and no password is."""
    report = machine.sync()
    assert report.outcome is outcome, report
    for word in words:
        assert word in f"{report.reason} ({report.hint})"
    assert LOGIN not in repr(report)
    assert left_running() == []


def test_two_machines_share_what_they_write(person: People) -> None:
    ana, bo = person("ana", STORE, LOGIN), person("bo", f"{SNIPPET}[http]\npostBuffer = 70000\n")
    ana.write("project_a.md", memory("a", "A freeze is on Fridays."))
    assert ana.sync().sent == ("project_a.md",)
    large = memory("b", "\n".join(os.urandom(48).hex() for _ in range(2000)))  # in pieces, after that buffer
    bo.write("project_b.md", large)
    both = bo.sync()
    assert (both.sent, both.received) == (("project_b.md",), ("project_a.md",))
    assert ana.sync().received == ("project_b.md",)
    assert ana.files() == bo.files()
    assert ana.files()["project_b.md"] == large


def test_a_password_kept_in_memory_is_used(person: People, web: Web, home: Path) -> None:
    ana = person("ana", f'[credential]\nhelper = "cache --socket={home}/c/s"\n')
    stays_away(ana, Outcome.DENIED, "`cache`")
    login = f"protocol=https\nhost=127.0.0.1:{web.port}\nusername=ana\npassword={LOGIN}\n"
    place = f"--socket={home}/c/s"
    git(home, "-c", f"credential.helper=cache {place}", "credential", "approve", stdin=login.encode())
    try:
        assert ana.sync().in_order
        assert ana.sync().in_order  # what keeps it is the person's, and goes on
    finally:
        git(home, "credential-cache", place, "exit")


def test_a_helper_that_leaves_a_process_behind_holds_up_nothing(person: People, home: Path) -> None:
    ana = person("ana", f'{SNIPPET}[credential]\nhelper = "cache --socket={home}/c/s"\n')
    assert ana.sync().in_order
    assert left_running() == []


NO_PASSWORD = {
    "nobody": ("", "no credential helper"),
    "one that is not there": ("[credential]\nhelper = nothing-such\n", "`nothing-such`"),
    "one that fails": ('[credential]\nhelper = "!f() { echo error: no >&2; exit 1; }; f"\n', "of the shell's"),
    "one that asks in a terminal": ('[credential]\nhelper = "!f() { read -r x </dev/tty; }; f"\n', "of the shell's"),
    "one that reads on": ('[credential]\nhelper = "!f() { cat; read -r x; echo password=$x; }; f"\n', "of the shell's"),
    "one that knows the name alone": ('[credential]\nhelper = "!f() { echo username=ana; }; f"\n', "of the shell's"),
}


@pytest.mark.parametrize("who", NO_PASSWORD)
def test_without_a_password_nobody_is_asked(person: People, who: str) -> None:
    settings, word = NO_PASSWORD[who]
    stays_away(person("ana", settings), Outcome.DENIED, word, "`git ls-remote`")


def test_a_wrong_password_is_said_with_the_helper_it_is_from(person: People) -> None:
    stays_away(person("ana", STORE, "else"), Outcome.DENIED, "Authentication failed", "(`store`) is not taken")


def test_a_helper_that_waits_is_ended_and_named(person: People, home: Path) -> None:
    ana = person("ana", f'[credential]\nhelper = "!f() {{ echo $$ >{home}/pid; exec sleep 1000; }}; f"\n')
    ana.patience = PATIENCE
    stays_away(ana, Outcome.OFFLINE, "took longer than 1.5 s", "of the shell's", "may be waiting for somebody")
    with suppress(psutil.NoSuchProcess):
        left = psutil.Process(int((home / "pid").read_text()))
        assert left.status() == psutil.STATUS_ZOMBIE or left.cmdline() != ["sleep", "1000"]


def test_a_password_in_netrc_is_used_and_named(person: People) -> None:
    ana = person("ana", "")
    (ana.home / ".netrc").write_text(f"machine 127.0.0.1 login ana password {LOGIN}\n")
    assert ana.sync().in_order
    (ana.home / ".netrc").write_text(f"machine 127.0.0.1 login ana password {LOGIN}x\n")
    stays_away(ana, Outcome.DENIED, "~/.netrc has no password that is taken")


def test_a_server_that_nobody_vouches_for(person: People) -> None:
    stays_away(person("ana", STORE, LOGIN, trusts=False), Outcome.DENIED, "certificate", "http.sslCAInfo FILE")


def test_a_person_may_trust_one_server_blindly(person: People, web: Web) -> None:
    blind = f'[http "https://127.0.0.1:{web.port}/"]\nsslVerify = false\n'
    assert person("ana", STORE + blind, LOGIN, trusts=False).sync().in_order


def test_certificates_that_do_not_fit(person: People, address: str) -> None:
    elsewhere = address.replace("127.0.0.1", "localhost")
    stays_away(person("ana", STORE, to=elsewhere), Outcome.DENIED, "another one's certificate")
    gone = "[http]\nsslCAInfo = /nowhere.pem\n"
    stays_away(person("bo", STORE + gone, LOGIN), Outcome.DENIED, "cannot be read here")


def says(code: int, body: bytes) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@pytest.mark.parametrize(
    ("code", "body", "outcome", "word"),
    [
        (503, b"<html>\nsoon\n</html>\n", Outcome.OFFLINE, "503"),
        (403, b"no", Outcome.DENIED, "read and write there"),
        (200, b"", Outcome.MISSING, "in a browser"),
        (200, b"<html>sign in</html>", Outcome.MISSING, "in a browser"),
        (200, b"<html>\nsign in\n</html>\n", Outcome.MISSING, "in a browser"),
    ],
    ids=["503", "403", "nothing", "a line", "a page"],
)
def test_an_answer_that_is_not_git_s(
    person: People, tmp_path: Path, code: int, body: bytes, outcome: Outcome, word: str
) -> None:
    with serving(says(code, body), tmp_path / "tls", lasting=True) as other:
        settings = f"{STORE}[http]\nsslCAInfo = {other.certificate}\n"
        stays_away(person("ana", settings, LOGIN, to=other.address), outcome, word)


def test_a_page_instead_of_the_repository_changes_nothing(person: People, tmp_path: Path, address: str) -> None:
    ana = person("ana", STORE, LOGIN)
    ana.write("project_a.md", memory("a", "A freeze is on Fridays."))
    assert ana.sync().in_order
    before = ana.files()
    with serving(says(200, b"<html>sign in</html>"), tmp_path / "tls", lasting=True) as other:
        ana.remote, ana.variables = other.address, {"GIT_SSL_CAINFO": str(other.certificate)}
        stays_away(ana, Outcome.MISSING, "no git server")
    ana.remote, ana.variables = address, {}
    assert ana.sync().outcome is Outcome.NOTHING
    assert ana.files() == before


def test_a_password_does_not_follow_a_redirect_to_another_server(person: People, tmp_path: Path) -> None:
    def away(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(301)
        handler.send_header("Location", f"https://127.0.0.1:{elsewhere.port}{handler.path}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with serving(unauthorized, tmp_path / "there") as elsewhere, serving(away, tmp_path / "here") as here:
        both = tmp_path / "both.pem"
        both.write_bytes(here.certificate.read_bytes() + elsewhere.certificate.read_bytes())
        ana = person("ana", f"{STORE}[http]\nsslCAInfo = {both}\n", to=here.address)
        (ana.home / ".git-credentials").write_text(f"https://ana:{LOGIN}@127.0.0.1%3a{here.port}\n")
        stays_away(ana, Outcome.DENIED)
        assert {said for _, said in elsewhere.asked} == {""}


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
def test_a_proxy_that_is_dead_is_named(person: People, name: str) -> None:
    ana = person("ana", STORE, LOGIN)
    ana.variables = {name: f"http://ana:{LOGIN}@127.0.0.1:{free_port()}"}
    stays_away(ana, Outcome.OFFLINE, f"a proxy ({name})")


def test_a_server_that_takes_connections_and_never_answers(person: People) -> None:
    with silence() as port:
        ana = person("ana", STORE, to=f"https://127.0.0.1:{port}/x.git")
        ana.patience = PATIENCE
        stays_away(ana, Outcome.OFFLINE, "took longer than 1.5 s", "None")


def take(machine: Machine, log: io.StringIO) -> None:
    loaded = config.load(machine.environ)
    with open_ledger(loaded.paths.ledger, SystemClock()) as ledger:
        house = House(
            settings=loaded.settings, paths=loaded.paths, environ=machine.environ, ledger=ledger, clock=SystemClock(),
            log=logs.configure(log, json=True), patience=20.0,
        )  # fmt: skip
        turn.take(machine.membership, house)


def test_no_password_is_written_down(person: People) -> None:
    log = io.StringIO()
    says = f"echo error: password={LOGIN} denied >&2; echo password={LOGIN}"
    loud = f'[credential]\nhelper = "!f() {{ {says}; }}; f"\n'
    for name, settings, password in (("ana", STORE, LOGIN), ("bo", SNIPPET, None), ("cy", loud, None)):
        take(person(name, settings, password), log)
    wrong = person("di", SNIPPET.replace("ana;", "nobody;"))
    take(wrong, log)
    assert "di/project" in log.getvalue()
    homes = wrong.home.parent
    kept = {path for path in homes.rglob("*") if path.is_file() and not path.name.startswith(".git")}
    assert any(path.name == "last.json" for path in kept)
    assert LOGIN not in log.getvalue()
    assert not {path for path in kept if LOGIN.encode() in path.read_bytes()}


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ("", ()),
        (STORE, ("store",)),
        ("[credential]\nhelper = store --file ~/secret\nhelper = /usr/lib/git-core/git-credential-libsecret\n",
         ("store", "libsecret")),
        (f"{STORE}{SNIPPET}", ("store", "a command of the shell's")),
        (f'{STORE}[credential "https://h.example"]\nhelper =\nhelper = !/usr/bin/gh auth git-credential\n', ("gh",)),
        (f'{STORE}[credential "https://other.example"]\nhelper =\nhelper = gh\n', ("store",)),
        ('[credential]\nhelper = "!PW=x gh"\n', ("a command of the shell's",)),
    ],
    ids=["none", "store", "two", "snippet", "gh", "another host", "variable"],
)  # fmt: skip
def test_a_helper_has_a_name_without_secrets(home: Path, settings: str, names: tuple[str, ...]) -> None:
    (home / ".gitconfig").write_text(settings)
    repository = Repository(path=bare(home / "own.git"), environ={"HOME": str(home), "PATH": os.environ["PATH"]})
    assert helpers.named(repository, "https://me@h.example/team.git") == names

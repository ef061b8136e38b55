"""`memd team` of a remote that asks for a password: what people read where git does not get in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Near
from tests.cli.test_cli_team import Person
from tests.fakes.git_remote import bare
from tests.fakes.git_web import repositories
from tests.fakes.web_remote import Web, serving

LOGIN = "hunter2-and-7-dwarfs"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    bare(tmp_path / "repositories" / "memory.git")
    with serving(repositories(tmp_path / "repositories", f"ana:{LOGIN}"), tmp_path / "tls", lasting=True) as server:
        yield server


@pytest.fixture
def ana(near: Near, home: Path, web: Web) -> Person:
    place = home.resolve() / "ana"
    (place / "shop").mkdir(parents=True)
    (place / ".claude").mkdir()
    (place / ".gitconfig").write_text(f"[http]\nsslCAInfo = {web.certificate}\n[credential]\nhelper = store\n")
    return Person(near=near, home=place)


def keeps(person: Person, web: Web, password: str) -> None:
    (person.home / ".git-credentials").write_text(f"https://ana:{password}@127.0.0.1%3a{web.port}\n")


def test_a_password_that_is_not_taken_any_more(ana: Person, web: Web) -> None:
    keeps(ana, web, LOGIN)
    ana.write("project_freeze.md")
    assert ana("init", "--remote", web.address).code == 0
    keeps(ana, web, f"{LOGIN}-of-last-year")
    answers = [ana("sync"), ana("status"), ana("status", "--json"), ana.memd("doctor")]
    assert [one.code for one in answers[:3]] == [5, 5, 5]
    assert "(`store`) is not taken" in answers[0].out + answers[0].err
    assert "(`store`) is not taken" in answers[1].out
    assert "keyring" in answers[3].out
    assert LOGIN not in repr(answers)
    known = [path for path in ana.state.rglob("*") if path.is_file()]
    assert not [path for path in known if LOGIN.encode() in path.read_bytes()]


def test_who_cannot_join_reads_what_may_be_in_the_way(ana: Person, web: Web) -> None:
    answer = ana("init", "--remote", web.address, https_proxy="http://127.0.0.1:1")
    assert answer.code == 1
    assert "a proxy (https_proxy)" in answer.err
    denied = ana("init", "--remote", web.address)
    assert denied.code == 5
    assert "the credential helper (`store`) gives no password" in denied.err
    assert not (ana.state / "team").exists()

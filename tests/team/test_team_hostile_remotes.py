"""What a hostile service, address or environment does to a sync, looked at from outside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memd import git_address
from memd.team.nouns import Outcome
from tests.fakes.git_objects import Bare
from tests.fakes.rubbish_server import RUBBISH, listening
from tests.fakes.team_machine import Machine
from tests.team import hostile

FOREVER = {"silence", "refs without end", "rubbish without end", "a drip", "a pack without end", "progress without end"}


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every test begins with a copy of."""
    return hostile.agreed(tmp_path_factory.mktemp("agreed") / "root")


@pytest.fixture
def pair(agreed: Path, tmp_path: Path) -> tuple[Bare, Machine]:
    """A remote, and a machine on which something was edited since."""
    return hostile.copied(agreed, tmp_path / "root")


def redirected(machine: Machine, remote: str, branch: str = "memd") -> Machine:
    """The same machine, with another remote in its settings."""
    return replace(machine, membership=replace(machine.membership, remote=remote, branch=branch))


@pytest.mark.parametrize("name", RUBBISH)
def test_a_service_that_talks_rubbish_is_contained(pair: tuple[Bare, Machine], name: str) -> None:
    _, machine = pair
    before = machine.outside()
    with listening(RUBBISH[name]) as server:
        report = hostile.contained(redirected(machine, server.address), before, 2.0 if name in FOREVER else 10.0)
    assert not report.in_order
    assert report.reason
    assert "hunter2" not in report.reason


def by_turns(count: int) -> list[object]:
    """Every second one by default: they differ in spelling, and each is a whole sync."""
    return [pytest.param(place, marks=pytest.mark.deep) if place % 2 else place for place in range(count)]


ADDRESSES = (
    "ext::sh -c touch% {canary}",
    "ext::sh -c 'touch {canary}'",
    "fd::17",
    "sh::touch {canary}",
    "--upload-pack=touch {canary}",
    "-u touch {canary}",
    "-oProxyCommand=touch {canary}@host:path",
    "ssh://-oProxyCommand=touch {canary}/path",
    "ssh://-oProxyCommand=touch%20{canary}/path",
    "ssh://user@-oProxyCommand=x/path",
    "git@-oProxyCommand=x:path",
    "host:-oProxyCommand=touch {canary}",
    "http://127.0.0.1:1/x",
    "ftp://127.0.0.1:1/x",
    "file://host/share/x",
    "https://ana:hunter2-Xk9!vQ@127.0.0.1:1/x",
    "https://127.0.0.1:1/x?token=abc",
    "git://127.0.0.1:1/x\nHost: y",
    "\x1b[2J/x",
    "../x",
    "",
)


@pytest.mark.parametrize("place", range(len(ADDRESSES)))
def test_an_address_that_starts_something_is_refused(place: int) -> None:
    with pytest.raises(ValueError, match="must"):
        git_address.remote(ADDRESSES[place].format(canary="canary"))


@pytest.mark.parametrize("place", by_turns(len(ADDRESSES)))
def test_and_starts_nothing_were_it_in_the_settings_all_the_same(pair: tuple[Bare, Machine], place: int) -> None:
    _, machine = pair
    address = ADDRESSES[place].format(canary=machine.canary)
    before = machine.outside()
    report = hostile.contained(redirected(machine, address), before, 5.0)
    assert not report.in_order
    assert "hunter2" not in repr(report)


BRANCHES = (
    "--upload-pack=touch canary",
    "-d",
    "../x",
    "x/../../y",
    "@{u}",
    "@",
    "HEAD",
    "a:b",
    "+a",
    "^a",
    "a b",
    "a\nb",
    "a~1",
    "a*",
    "a.lock",
    ".a",
    "a/",
    "/a",
    "refs/heads/a",
    "a\x1b[2J",
    "x" * 300,
    "",
)


@pytest.mark.parametrize("place", [place for place, name in enumerate(BRANCHES) if name != "+a"])
def test_a_branch_that_is_no_branch_is_refused(place: int) -> None:
    with pytest.raises(ValueError, match="must"):
        git_address.branch(BRANCHES[place])


@pytest.mark.parametrize("place", by_turns(len(BRANCHES)))
def test_and_leads_nowhere_were_it_in_the_settings_all_the_same(pair: tuple[Bare, Machine], place: int) -> None:
    _, machine = pair
    before = machine.outside()
    hostile.contained(redirected(machine, machine.membership.remote, BRANCHES[place]), before, 5.0)


VARIABLES = {
    "traces": {"GIT_TRACE": "{root}/trace", "GIT_TRACE_PACKET": "{root}/trace", "GIT_TRACE2": "{root}/trace"},
    "another repository": {"GIT_DIR": "{root}/elsewhere", "GIT_WORK_TREE": "{root}/home", "GIT_INDEX_FILE": "{root}/i"},
    "other objects": {"GIT_OBJECT_DIRECTORY": "{root}/objects", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/etc"},
    "settings": {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.sshCommand",
        "GIT_CONFIG_VALUE_0": "touch {canary}",
        "GIT_CONFIG_KEY_1": "core.fsmonitor",
        "GIT_CONFIG_VALUE_1": "touch {canary}",
    },
    "settings in one": {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='touch {canary}'"},
    "programs": dict.fromkeys(
        ("GIT_EDITOR", "GIT_PAGER", "PAGER", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXTERNAL_DIFF", "EDITOR"),
        "touch {canary}",
    ),
    "other names": {"GIT_AUTHOR_NAME": "x\ny <z>", "GIT_NAMESPACE": "x", "GIT_LITERAL_PATHSPECS": "1"},
}


@pytest.mark.parametrize("name", VARIABLES)
def test_what_an_environment_says_to_git_does_not_reach_it(pair: tuple[Bare, Machine], name: str) -> None:
    _, machine = pair
    before = machine.outside()
    values = {key: value.format(root=machine.root, canary=machine.canary) for key, value in VARIABLES[name].items()}
    report = hostile.contained(replace(machine, environ={**machine.environ, **values}), before)
    assert report.outcome is Outcome.SYNCED


SETTINGS = """
[core]
    hooksPath = {root}/home/hooks
    fsmonitor = touch {canary}
    pager = touch {canary}
    alternateRefsCommand = touch {canary}
    autocrlf = true
    attributesFile = {root}/home/attributes
[init]
    templateDir = {root}/home/template
[commit]
    gpgSign = true
[push]
    gpgSign = if-asked
    followTags = true
[gpg]
    program = {root}/home/hooks/pre-push
[diff]
    external = touch {canary}
[filter "run"]
    clean = touch {canary}
    smudge = touch {canary}
    required = true
[merge "run"]
    driver = touch {canary}
[fetch]
    recurseSubmodules = true
    fsckObjects = false
[submodule]
    recurse = true
[gc]
    auto = 1
[user]
    name = Ana
    email = ana@example.com
"""


def test_what_a_person_has_git_run_is_not_run_here(pair: tuple[Bare, Machine]) -> None:
    _, machine = pair
    hooks, template = machine.root / "home" / "hooks", machine.root / "home" / "template" / "hooks"
    for place in (hooks, template):
        place.mkdir(parents=True)
        for name in ("pre-push", "reference-transaction", "post-checkout", "pre-auto-gc", "post-merge", "pre-commit"):
            (place / name).write_text(f"#!/bin/sh\ntouch {machine.canary}\n")
            (place / name).chmod(0o755)
    (machine.root / "home" / "attributes").write_text("* filter=run merge=run text eol=crlf\n")
    said = SETTINGS.format(root=machine.root, canary=machine.canary)
    (machine.root / "home" / ".gitconfig").write_text(said)
    before = machine.outside()
    assert hostile.contained(machine, before).outcome is Outcome.SYNCED
    assert machine.live()["project_mine.md"] == hostile.MINE


def _hook(bare: Bare, name: str, text: str) -> None:
    place = bare.path / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


@pytest.mark.parametrize("name", ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"])
def test_a_hook_in_a_directory_that_others_write_is_not_run(pair: tuple[Bare, Machine], name: str) -> None:
    bare, machine = pair
    _hook(bare, name, f"touch {machine.canary}")
    before = machine.outside()
    assert hostile.contained(machine, before).outcome is Outcome.SYNCED


def test_ssh_has_nobody_to_ask(pair: tuple[Bare, Machine], tmp_path: Path) -> None:
    _, machine = pair
    program, said = tmp_path / "bin" / "ssh", tmp_path / "said"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'(: </dev/tty) 2>/dev/null && echo terminal >>"{said}"\n'
        f'echo "askpass:$SSH_ASKPASS:$SSH_ASKPASS_REQUIRE" >>"{said}"\n'
        'echo "git@host: Permission denied (publickey,password)." >&2\nexit 255\n'
    )
    program.chmod(0o700)
    environ = {**machine.environ, "PATH": f"{program.parent}:{machine.environ['PATH']}", "SSH_ASKPASS": "/bin/echo"}
    before = machine.outside()
    report = hostile.contained(
        redirected(replace(machine, environ=environ), "git@host.invalid:team/memory.git"), before, 5.0
    )
    assert report.outcome is Outcome.DENIED
    assert said.read_text() == "askpass::never\n"

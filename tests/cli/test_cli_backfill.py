"""`memd backfill`: what was there before memd, once, oldest first, and no further than the caps."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from memd.clock import SystemClock
from memd.ledger import open_ledger
from tests.cli.conftest import Memd, Near
from tests.fakes.anthropic_server import Server, serving, text
from tests.fakes.long_talk import looks, sentences, times_shown
from tests.fakes.talk import converse

DAY = 86400.0
RULES = (
    "from now on always run make lint before you commit, the build server takes 40 minutes",
    "never use tabs in yaml files, the parser of the client chokes on them",
    "always write commit messages in English, the auditors read them",
)


@pytest.fixture
def memd(near: Near) -> Memd:
    """What commands do is the point here, not that a process does it."""
    return near


def old(memd: Memd, count: int = len(RULES)) -> None:
    now = time.time()
    for number, said in enumerate(RULES[:count]):
        mtime = now - (10 - number) * DAY
        converse(memd.memory, memd.project, said, session=f"0000000{number}-1111-4222-8333-444455556666", mtime=mtime)


def topics(memd: Memd) -> list[str]:
    return sorted(path.name for path in memd.memory.glob("*.md") if path.name != "MEMORY.md")


def test_it_says_what_it_costs_and_asks(memd: Memd) -> None:
    old(memd)
    looked = memd.inside("backfill", "--dry-run")
    assert looked.code == 0
    assert looked.out.startswith("3 conversations older than memd")
    assert "no cost" in looked.out
    asked = memd("backfill")
    assert asked.code == 2
    assert "--yes" in asked.err
    assert not memd.memory.exists()


def test_each_is_looked_through_once(memd: Memd) -> None:
    old(memd)
    answer = memd.inside("backfill", "--yes")
    assert answer.code == 0, answer.err
    assert "3 conversations looked through, 3 left memories, 0 failed, 0 to go" in answer.out
    assert len(topics(memd)) == 3
    assert "no conversation left" in memd.inside("backfill", "--yes").out


def test_those_that_the_daemon_noted_are_meant(memd: Memd) -> None:
    old(memd)
    assert memd("run", "--once").code == 0
    assert topics(memd) == []
    assert memd.inside("status", "--json").json["conversations"]["noted"] == 3
    assert memd.inside("backfill", "--yes").code == 0
    assert len(topics(memd)) == 3


def test_it_goes_on_where_it_was(memd: Memd) -> None:
    old(memd, 1)
    memd.inside("backfill", "--yes")
    old(memd)
    answer = memd.inside("backfill", "--yes")
    assert answer.out.startswith("2 conversations older than memd")
    assert len(topics(memd)) == 3


def test_since_leaves_the_older_ones(memd: Memd) -> None:
    old(memd)
    assert memd.inside("backfill", "--dry-run", "--since", "9d").out.startswith("2 conversations")
    assert "no conversation" in memd.inside("backfill", "--dry-run", "--since", "2d").out


def test_what_is_still_going_on_is_the_daemons(memd: Memd) -> None:
    converse(memd.memory, memd.project)
    assert "no conversation left" in memd.inside("backfill", "--yes").out


def test_a_model_is_estimated_and_held_by_the_caps(memd: Memd) -> None:
    old(memd)
    environ = {"ANTHROPIC_API_KEY": "sk-ant-api03-none", "MEMD_CAPS_DAY_PASSES": "2", "MEMD_CAPS_DAY_DOLLARS": "0"}
    answer = memd("backfill", "--dry-run", environ=environ)
    assert "claude-sonnet-5-5" in answer.out
    assert "at most" in answer.out
    assert "2 passes" in answer.out
    stopped = memd("backfill", "--yes", environ=environ)
    assert stopped.code == 6
    assert "3 to go" in stopped.out
    assert topics(memd) == []


def test_a_pause_holds(memd: Memd) -> None:
    old(memd)
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.pause()
    assert memd.inside("backfill", "--yes").code == 7


SAID = sentences(1, 550)


def long_ago(memd: Memd) -> None:
    converse(memd.memory, memd.project, "".join(SAID), session="long", mtime=time.time() - DAY)


def by_a_model(server: Server, **caps: int) -> dict[str, str]:
    """Where a part has some 8,000 tokens, and the conversation three."""
    own = {"MEMD_CAPS_PASS_TOKENS": "40000"} | {f"MEMD_CAPS_{name.upper()}": str(most) for name, most in caps.items()}
    return {"ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": server.url, **own}


@pytest.fixture
def server() -> Iterator[Server]:
    """A model that finds nothing."""
    with serving(lambda _: [text("nothing")]) as running:
        yield running


def test_a_long_conversation_is_gone_through_to_its_end(memd: Memd, server: Server) -> None:
    long_ago(memd)
    old(memd, 1)
    answer = memd.inside("backfill", "--yes", environ=by_a_model(server))
    assert answer.code == 0, answer.err
    assert "2 conversations looked through, 0 left memories, 0 failed, 0 to go" in answer.out
    assert times_shown(SAID, looks(server)) == [1] * len(SAID)
    assert len(looks(server)) == 4
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        assert not ledger.jobs()
    assert "no conversation left" in memd.inside("backfill", "--yes", environ=by_a_model(server)).out


def test_what_a_day_leaves_of_a_long_one_follows_with_the_next_call(memd: Memd, server: Server) -> None:
    long_ago(memd)
    stopped = memd.inside("backfill", "--yes", environ=by_a_model(server, day_passes=2))
    assert stopped.code == 6
    assert "0 conversations looked through, 0 left memories, 0 failed, 1 to go" in stopped.out
    answer = memd.inside("backfill", "--yes", environ=by_a_model(server))
    assert answer.code == 0, answer.err
    assert answer.out.startswith("1 conversation older than memd, 0.0 MB")
    assert "1 conversation looked through, 0 left memories, 0 failed, 0 to go" in answer.out
    assert times_shown(SAID, looks(server)) == [1] * len(SAID)


def test_the_estimate_knows_that_a_long_one_takes_several_passes(memd: Memd, server: Server) -> None:
    long_ago(memd)
    told = memd.inside("backfill", "--dry-run", environ=by_a_model(server, day_passes=1)).out
    assert "takes up to 3 days" in told

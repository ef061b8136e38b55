"""A turn longer than a pass may send, with real processes: what people are told, and what a kill in between costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.ledger import open_ledger
from memd.transcripts import cursor as cursors
from tests.acceptance.test_acceptance_model import Person, lives
from tests.fakes.anthropic_server import Json, serving, text, tool_use
from tests.fakes.long_talk import looks, said_in, sentences, times_shown

SMALL = {"MEMD_CAPS_PASS_TOKENS": "24000"}  # parts of some 3,000 tokens
SAID = sentences(1, 170)  # three parts
SAID_AT = {one.strip(): place for place, one in enumerate(SAID)}


def notes_a_sentence(request: Json) -> Sequence[Json]:
    """A model that saves the first statement of each part that it is shown."""
    if len(request["messages"]) > 1:
        return [text("done")]
    first = next(one.strip() for one in SAID if one.endswith(". ") and one.strip() in said_in(request))
    words = f"---\nname: note\ndescription: {first}\ntype: feedback\nevidence:\n  - {json.dumps(first)}\n---\n{first}\n"
    return [tool_use("Write", {"file_path": f"memory/feedback_{SAID_AT[first]}.md", "content": words})]


def inside(home: Path) -> tuple[int, bool]:
    """How many parts the ledger says are done, and whether more are to come."""
    with open_ledger(home / ".local" / "state" / "memd" / "ledger.sqlite3", SystemClock()) as ledger:
        (session,) = ledger.sessions()
    found = cursors.loads(session.cursor).inside
    return (found.part, True) if found else (0, False)


@pytest.mark.timeout(300)
def test_people_are_told_that_the_rest_follows_until_it_is_done(home: Path) -> None:
    with serving(notes_a_sentence) as server:
        person = lives(home, server.url)
        person.talks("s1", "".join(SAID))
        first = person.memd("extract", "s1", **SMALL)
        assert first.returncode == 0, first.stderr
        assert "part 1 of about 3 is done, the rest follows: the daemon goes on with it" in first.stdout
        told = person.memd("status", "--project", str(person.project), **SMALL).stdout
        assert "in the queue; it is long: part 1 of about 3 is done, the rest follows" in told
        assert "of a long conversation, the rest follows" in told
        why = ("why", "feedback_0", "--project", str(person.project))
        assert "Session s1 is not over yet: it is long: part 1 of about 3 is done" in person.memd(*why).stdout
        assert json.loads(person.memd(*why, "--json").stdout)["why"][0]["rest"] == {"parts_done": 1, "parts": 3}
        again = json.loads(person.memd("extract", "s1", "--json", **SMALL).stdout)
        assert (again["reason"], again["rest"]) == ("rest_follows", {"parts_done": 2, "parts": 3})
        person.works(**SMALL)
        assert times_shown(SAID, looks(server)) == [1] * len(SAID)
        assert inside(home) == (0, False)
        assert "the rest follows" not in person.memd(*why).stdout
        assert len(list((person.place / "memory").glob("feedback_*.md"))) == 3


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "place",
    [
        pytest.param("extract.proposed", marks=pytest.mark.deep),
        "extract.before_commit",
        pytest.param("extract.committed", marks=pytest.mark.deep),
        pytest.param("extract.read", marks=pytest.mark.deep),
        pytest.param("store.journalled", marks=pytest.mark.deep),
        pytest.param("store.applied_one", marks=pytest.mark.deep),
        pytest.param("store.appended_bullets", marks=pytest.mark.deep),
        pytest.param("store.recorded", marks=pytest.mark.deep),
        pytest.param("store.committed", marks=pytest.mark.deep),
        pytest.param("store.done", marks=pytest.mark.deep),
    ],
)
def test_killed_between_two_parts_nothing_is_skipped_and_one_part_at_most_sent_twice(home: Path, place: str) -> None:
    with serving(notes_a_sentence) as server:
        person = Person(home=home, url=server.url)
        person.talks("s1", "".join(SAID))
        assert person.memd("extract", "s1", **SMALL).returncode == 0
        assert person.process("extract", "s1", **SMALL, MEMD_FAILPOINT=f"{place}:kill").returncode == -9
        while inside(home)[1]:
            done = person.memd("extract", "s1", **SMALL)
            assert done.returncode == 0, done.stderr
        seen = looks(server)
        assert 3 <= len(seen) <= 4
        times = times_shown(SAID, seen)
        assert set(times) <= {1, 2}
        assert len(seen) == 3 or said_in(seen[1]) == said_in(seen[2])
        assert len(list((person.place / "memory").glob("feedback_*.md"))) == 3
        (log,) = (person.place / "memory").rglob("logs/*/*/*.md")
        assert log.read_text("utf-8").count(" → feedback_") == 3


@pytest.mark.timeout(120)
def test_a_cap_without_room_for_a_request_is_said_to_be_one(home: Path) -> None:
    with serving(lambda _: [text("nothing")]) as server:
        person = lives(home, server.url)
        person.talks("s1", "from now on run the linter")
        tiny = {"MEMD_CAPS_PASS_TOKENS": "500"}
        said = "[caps] pass_tokens = 500 has no room for a single request"
        done = person.memd("extract", "s1", **tiny)
        assert done.returncode == 6
        assert said in done.stderr
        assert "raise [caps] pass_tokens" in done.stderr
        assert f"NOT ASKED: {said}" in person.memd("status", **tiny).stdout
        assert said in person.memd("doctor", **tiny).stdout
        person.works(**tiny)
        assert server.requests == ()
        assert person.memd("extract", "s1").returncode == 0

"""`memd run --once` with the model's backend: real processes and the real SDK against a scripted service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memd.memory import location
from tests.fakes.anthropic_server import Answer, Failure, Hang, Json, Script, in_turn, serving, text, tool_use
from tests.fakes.claude_lines import answer, packed, prompt
from tests.fakes.claude_lines import text as said
from tests.fakes.inside import called

RULE = "from now on never mock the database in integration tests, a mocked one hid a broken migration"
TOPIC = f"""---
name: no-db-mocks
description: Integration tests never mock the database; a mocked one hid a broken migration
type: feedback
evidence:
  - "{RULE}"
---
Never mock the database in integration tests.

**Why:** a mocked one hid a broken migration.

**How to apply:** in all integration tests.
"""
WRITE = tool_use("Write", {"file_path": "memory/feedback_no_db_mocks.md", "content": TOPIC})


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody's home, with one project."""

    home: Path
    url: str

    @property
    def project(self) -> Path:
        """Its root."""
        return self.home / "shop"

    @property
    def place(self) -> Path:
        """Where Claude Code keeps what belongs to the project."""
        return self.home / ".claude" / "projects" / location.slug(str(self.project))

    @property
    def service(self) -> dict[str, str]:
        """The variables that lead to the model."""
        return {"ANTHROPIC_API_KEY": "k-1", "ANTHROPIC_BASE_URL": self.url}

    def talks(self, session: str, *words: str) -> None:
        """Let a conversation be written, one turn for each of the words."""
        self.place.mkdir(parents=True, exist_ok=True)
        self.project.mkdir(exist_ok=True)
        extra = {"cwd": str(self.project), "sessionId": session}
        lines = [
            line
            for number, each in enumerate(words)
            for line in (
                prompt(f"{session}-h{number}", each, **extra),
                answer(f"{session}-a{number}", f"{session}-m{number}", said("Done."), **extra),
            )
        ]
        (self.place / f"{session}.jsonl").write_bytes(packed(*lines))

    def memd(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command line to its end, in this process; what memd starts itself are processes."""
        done = called(*arguments, cwd=self.home, environ={**self.service, **settings})
        assert "Traceback" not in done.stderr
        return done

    def process(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """The same as a process; how long that may take is the test's limit, which ends it too."""
        environ = {**os.environ, **self.service, **settings}
        command = [sys.executable, "-m", "memd.cli.main", *arguments]
        done = subprocess.run(command, env=environ, cwd=self.home, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        return done

    def works(self, **settings: str) -> list[tuple[str, str | None]]:
        """Let the daemon do what is due; gives every pass's outcome and reason, the oldest first."""
        done = self.memd("run", "--once", **settings)
        assert done.returncode == 0, done.stderr
        return [(run["outcome"], run["reason"]) for run in reversed(self.json("history")["runs"])]

    def json(self, *arguments: str) -> Any:  # noqa: ANN401 - any document
        """What a reading command says, for programs."""
        return json.loads(self.memd(*arguments, "--json", "--project", str(self.project)).stdout)


def lives(home: Path, url: str) -> Person:
    """A person whose daemon has run once already: what came before it is not looked at."""
    person = Person(home=home, url=url)
    (home / ".claude" / "projects").mkdir(parents=True)
    person.memd("run", "--once")
    return person


def test_what_a_model_writes_becomes_a_memory_with_its_evidence_and_its_price(home: Path) -> None:
    with serving(in_turn([WRITE])) as server:
        person = lives(home, server.url)
        person.talks("s1", RULE)
        done = person.process("run", "--once")
        assert done.returncode == 0, done.stderr
        [run] = json.loads(person.process("history", "--json", "--project", str(person.project)).stdout)["runs"]
        assert (run["outcome"], run["reason"]) == ("saved", None)
        assert (person.place / "memory" / "feedback_no_db_mocks.md").read_text() == TOPIC.replace(
            f'evidence:\n  - "{RULE}"\n', ""
        )
        assert "feedback_no_db_mocks.md" in (person.place / "memory" / "MEMORY.md").read_text()
        assert RULE in person.memd("why", "feedback_no_db_mocks", "--project", str(person.project)).stdout
        (spent,) = json.loads(person.memd("cost", "--json").stdout)["spent"]
        assert (spent["project"], spent["kind"], spent["passes"]) == (str(person.project), "extract", 1)
        assert spent["requests"] == len(server.requests) == 2
        assert spent["dollars"] > 0


def test_nothing_is_asked_where_a_gate_says_no(home: Path) -> None:
    with serving(in_turn([WRITE])) as server:
        person = lives(home, server.url)
        person.talks("s1", RULE)
        assert person.works(MEMD_PROJECTS_EXCLUDE=str(person.project)) == [("skipped", "project_excluded")]
        assert server.requests == ()


@pytest.mark.timeout(180)
def test_refused_credentials_are_tried_once_until_they_change(home: Path) -> None:
    good = in_turn([WRITE])

    def script(_request: Json) -> Answer:
        key = server.requests[-1].headers.get("x-api-key") or server.requests[-1].headers.get("authorization", "")
        return good(_request) if "k-2" in key else Failure(status=401, kind="authentication_error")

    with serving(script) as server:
        person = lives(home, server.url)
        for session in ("s1", "s2", "s3"):
            person.talks(session, f"{session}: {RULE}")
        person.works()
        person.works()
        assert len(server.requests) == 1
        assert "refused" in person.memd("cost").stderr
        by_hand = person.memd("extract", "--last", "--all")
        assert by_hand.returncode == 5
        assert len(server.requests) == 1
        assert person.memd("extract", "--last", "--all", ANTHROPIC_API_KEY="k-2").returncode == 0


def test_a_busy_service_is_left_alone_until_the_time_it_names(home: Path) -> None:
    busy = Failure(status=429, kind="rate_limit_error", headers={"retry-after": "7200"})
    with serving(lambda _request: busy) as server:
        person = lives(home, server.url)
        for session in ("s1", "s2", "s3"):
            person.talks(session, f"{session}: {RULE}")
        person.works()
        person.works()
        assert len(server.requests) == 1
        assert person.json("status")["conversations"]["waiting"] == 3


@pytest.mark.timeout(180)
def test_a_spent_day_leaves_the_rest_for_tomorrow(home: Path) -> None:
    with serving(in_turn()) as server:
        person = lives(home, server.url)
        for session in ("s1", "s2", "s3", "s4"):
            person.talks(session, f"{session}: {RULE}")
        assert person.works(MEMD_CAPS_DAY_PASSES="2") == [("nothing", None)] * 2
        assert len(server.requests) == 2
        assert person.works(MEMD_CAPS_DAY_PASSES="2") == [("nothing", None)] * 2
        assert len(server.requests) == 2
        assert person.memd("extract", "s1", MEMD_CAPS_DAY_PASSES="2").returncode == 6
        failed = [("failed", "BudgetError")]  # by hand, just now
        done = person.works()  # the rest waited for midnight, or for a higher cap
        assert done[:3] == [("nothing", None)] * 2 + failed
        assert {*done[3:]} == {("nothing", None)}


SCRIPTS: dict[str, Script] = {
    "prose": in_turn([text("I saved everything, trust me.")], otherwise=[text("All done and well.")]),
    "outside": in_turn([tool_use("Write", {"file_path": "../../../.bashrc", "content": "evil"})]),
    "secret": in_turn(
        [
            tool_use(
                "Write", {"file_path": "memory/x.md", "content": TOPIC.replace("tests.", "AKIA" + "Q3EGRIDHI7XBZ5QA")}
            )
        ]
    ),
    "hang": lambda _request: Hang(),
}


# Each is a process that loads the SDK; what else a model may try is tested without (tests/agent, tests/extract).
@pytest.mark.parametrize(
    "name", [*(pytest.param(one, marks=pytest.mark.deep) for one in ("prose", "outside")), "secret"]
)
def test_a_model_that_errs_leaves_nothing(name: str, home: Path) -> None:
    with serving(SCRIPTS[name]) as server:
        person = lives(home, server.url)
        person.talks("s1", RULE)
        assert person.works() == [("nothing", None)]
        assert not (home / ".bashrc").exists()
        assert not list((person.place / "memory").glob("*.md"))

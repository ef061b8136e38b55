"""`memd extract`: a pass by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from memd.clock import SystemClock
from memd.ledger import JobRequest, Session, open_ledger
from memd.transcripts import cursor as cursors
from memd.transcripts.model import Cursor
from tests.cli.conftest import COMMAND, Answer, Memd
from tests.fakes import claude_lines as lines

RULE = "from now on always run `make lint` before you commit, the build server takes 40 minutes to tell me"


def converse(memd: Memd, said: str = RULE, *, session: str = lines.SESSION, mtime: float | None = None) -> Path:
    """Write one conversation that is over."""
    path = memd.memory.parent / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    records = (
        lines.prompt(f"h-{session}", said),
        lines.answer(f"a-{session}", f"m-{session}", lines.text("Will do.")),
    )
    path.write_bytes(lines.packed(*({**record, "cwd": str(memd.project), "sessionId": session} for record in records)))
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path


def topics(memd: Memd) -> list[Path]:
    return sorted(path for path in memd.memory.glob("*.md") if path.name != "MEMORY.md")


def check_saved(memd: Memd, answer: Answer) -> None:
    [topic] = topics(memd)
    assert (answer.code, answer.json) == (
        0,
        {
            "schema_version": 1,
            "run": 1,
            "memory_dir": str(memd.memory),
            "outcome": "saved",
            "reason": None,
            "files": [topic.name, "MEMORY.md"],
        },
    )


def test_a_conversation_by_its_id(memd: Memd) -> None:
    converse(memd)
    check_saved(memd, memd("extract", lines.SESSION, "--json"))


def test_by_the_beginning_of_its_id(memd: Memd) -> None:
    converse(memd)
    converse(memd, "hello", session="9999")
    check_saved(memd, memd.inside("extract", lines.SESSION[:6], "--json"))


def test_by_its_path(memd: Memd) -> None:
    check_saved(memd, memd.inside("extract", str(converse(memd)), "--json"))


def test_a_transcript_that_lies_elsewhere(memd: Memd) -> None:
    elsewhere = converse(memd).rename(memd.home / f"{lines.SESSION}.jsonl")
    check_saved(memd, memd.inside("extract", str(elsewhere), "--json"))


def test_the_last_one_is_this_project_s_and_with_all_anybody_s(memd: Memd) -> None:
    converse(memd, mtime=1.0)
    other = memd.home / "other"
    other.mkdir()
    place = memd.memory.parents[1] / "other" / "0ther.jsonl"
    place.parent.mkdir(parents=True)
    said = lines.prompt("h", RULE) | {"cwd": str(other), "sessionId": "0ther"}
    place.write_bytes(lines.packed(said))
    answer = memd.inside("extract", "--last", "--dry-run")
    assert answer.err == f"conversation {lines.SESSION} of {memd.project}\n"
    assert "conversation 0ther of" in memd.inside("extract", "--last", "--all", "--dry-run").err
    assert "conversation 0ther of" in memd.inside("extract", "--last", "--project", str(other), "--dry-run").err
    assert memd.inside("extract", lines.SESSION, "--all").code == 2


def test_a_project_in_which_nobody_spoke_has_no_last_one(memd: Memd) -> None:
    converse(memd)
    (memd.home / "new").mkdir()
    answer = memd.inside("extract", "--last", "--project", str(memd.home / "new"))
    assert answer.code == 2
    assert f"no conversation of {memd.home / 'new'} has been written yet" in answer.err
    assert "--all" in answer.err


def test_the_last_one(memd: Memd) -> None:
    converse(memd)
    converse(memd, "hello", session="9999", mtime=1.0)
    check_saved(memd, memd.inside("extract", "--last", "--json"))


def test_people_see_what_was_saved_and_where(memd: Memd) -> None:
    converse(memd)
    answer = memd.inside("extract", "--last")
    [topic] = topics(memd)
    assert answer.out == f"saved:\n  {topic}\n  {memd.memory}/MEMORY.md\n"


def test_a_dry_run_shows_the_files_and_writes_none(memd: Memd) -> None:
    converse(memd)
    answer = memd.inside("extract", "--last", "--dry-run", "--json")
    [(name, text)] = answer.json["texts"].items()
    assert (answer.json["outcome"], answer.json["files"]) == ("saved", [name])
    assert "make lint" in text
    assert not memd.memory.exists()
    assert not memd.history.exists()
    check_saved(memd, memd.inside("extract", "--last", "--json"))


@pytest.mark.parametrize("noted_reason", [None, "backfill"])
def test_a_dry_run_leaves_the_ledger_as_it_was(memd: Memd, noted_reason: str | None) -> None:
    path = converse(memd)
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        if noted_reason is not None:  # the daemon found it there, older than itself
            ledger.note_session(
                Session(
                    key=f"claude-code:{lines.SESSION}",
                    agent="claude-code",
                    session_id=lines.SESSION,
                    path=str(path),
                    cursor=cursors.dumps(Cursor(offset=path.stat().st_size)),
                    size=path.stat().st_size,
                    settled=path.stat().st_size,
                    noted_reason=noted_reason,
                )
            )
        before = list(ledger.sessions())
    assert memd.inside("extract", "--last", "--dry-run", "--json").json["outcome"] == "saved"
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        assert list(ledger.sessions()) == before


def test_what_was_dealt_with_is_taken_again_only_on_request(memd: Memd) -> None:
    converse(memd)
    memd.inside("extract", "--last")
    assert memd.inside("extract", "--last").out == "skipped: nothing new in it\n"
    again = memd.inside("extract", "--last", "--again", "--json")
    assert again.json["outcome"] in {"nothing", "saved"}
    assert len(topics(memd)) == 1


def test_memory_that_is_off_stays_off_by_hand_too(memd: Memd) -> None:
    converse(memd)
    answer = memd.inside("extract", "--last", "--json", environ={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"})
    assert (answer.code, answer.json["outcome"], answer.json["reason"]) == (0, "skipped", "memory_off")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name one conversation"),
        (("abc", "--last"), "name one conversation"),
        (("no-such-session",), "no conversation with an id that starts with 'no-such-session'"),
        (("s",), "2 conversations with an id that starts with 's'"),
    ],
)
def test_what_cannot_be_meant_is_refused(memd: Memd, arguments: tuple[str, ...], said: str) -> None:
    converse(memd, session="s1")
    converse(memd, session="s2")
    answer = memd.inside("extract", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"memd: {said}")


def test_without_any_conversation_it_says_where_it_looked(memd: Memd) -> None:
    answer = memd.inside("extract", "--last")
    assert answer.code == 2
    assert str(memd.home / ".claude" / "projects") in answer.err


def test_rubbish_in_a_transcript_is_no_traceback(memd: Memd) -> None:
    path = converse(memd)
    path.write_bytes(os.urandom(4096) + b"\n" + path.read_bytes() + b'{"type":"user"')
    check_saved(memd, memd.inside("extract", "--last", "--json"))


def test_two_projects_with_one_slug_are_refused_with_the_way_out(memd: Memd) -> None:
    memd.inside("extract", str(converse(memd)))
    twin = memd.home / "shop@"  # "shop@" and "shop-" both become "shop-"
    other = memd.home / "shop-"
    for number, directory in enumerate((twin, other)):
        directory.mkdir()
        session = f"twin-{number}"
        path = converse(memd, session=session)
        records = [json.loads(line) | {"cwd": str(directory)} for line in path.read_bytes().splitlines()]
        path.write_bytes(lines.packed(*records))
    assert memd.inside("extract", "twin-0").code == 0
    refused = memd.inside("extract", "twin-1")
    assert refused.code == 7
    assert "autoMemoryDirectory" in refused.err


def queued(memd: Memd) -> list[tuple[str, int]]:
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        return [(job.state, job.attempts) for job in ledger.jobs()]


@pytest.mark.parametrize(
    ("failpoint", "code"),
    [("files.before_append:error=ENOSPC", 1), ("files.before_append:error=EACCES", 1)],
    ids=["disk-full", "may-not-write"],
)
def test_what_passes_leaves_the_job_in_the_queue(memd: Memd, failpoint: str, code: int) -> None:
    converse(memd)
    memd.memory.mkdir()
    answer = memd("extract", "--last", environ={"MEMD_FAILPOINT": failpoint})
    assert (answer.code, answer.out) == (code, "")
    assert f"{memd.memory}/logs/" in answer.err
    assert "it stays queued" in answer.err
    assert queued(memd) == [("queued", 0)]
    assert memd.inside("extract", "--last").code == 0
    assert (queued(memd), len(topics(memd))) == ([], 1)


def test_a_busy_project_leaves_the_job_in_the_queue(memd: Memd) -> None:
    converse(memd)
    converse(memd, "hello", session="9999", mtime=1.0)
    with open_ledger(memd.state / "ledger.sqlite3", SystemClock()) as ledger:
        ledger.note_session(
            Session(key="claude-code:9999", agent="claude-code", session_id="9999", path="/t", cwd="/elsewhere")
        )
        ledger.enqueue(JobRequest(session_key="claude-code:9999"))
        other = ledger.claim(lease=60.0)
        assert other is not None
        assert ledger.bind(other, str(memd.memory))
        answer = memd("extract", "--last")
    assert (answer.code, answer.out) == (4, "")
    assert "it stays queued" in answer.err
    assert queued(memd) == [("leased", 0), ("queued", 0)]


def test_what_does_not_pass_ends_the_job_and_says_why(memd: Memd) -> None:
    path = converse(memd)
    records = [json.loads(line) | {"cwd": "relative"} for line in path.read_bytes().splitlines()]
    path.write_bytes(lines.packed(*records))
    answer = memd.inside("extract", "--last", "--all")
    assert (answer.code, queued(memd)) == (7, [])
    assert "no absolute path" in answer.err


def test_it_says_whose_conversation_it_takes(memd: Memd) -> None:
    converse(memd)
    assert memd.inside("extract", "--last").err == f"conversation {lines.SESSION} of {memd.project}\n"


def test_what_was_logged_is_not_logged_again(memd: Memd) -> None:
    converse(memd, "The nightly build takes about forty minutes these days. Let us keep the tests fast please.")
    memd.inside("extract", "--last")
    logged = {path: path.read_bytes() for path in memd.memory.rglob("logs/*/*/*.md")}
    memd.inside("extract", "--last", "--again")
    assert {path: path.read_bytes() for path in memd.memory.rglob("logs/*/*/*.md")} == logged


def test_asked_to_end_it_clears_up_and_the_conversation_waits(memd: Memd) -> None:
    converse(memd)
    environ = {**os.environ, "MEMD_FAILPOINT": "extract.proposed:stop"}
    process = subprocess.Popen([*COMMAND, "extract", lines.SESSION], cwd=memd.project, env=environ)
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    process.terminate()
    process.send_signal(signal.SIGCONT)
    assert process.wait(timeout=30) == 128 + signal.SIGTERM
    (run,) = memd.inside("history", "--json").json["runs"]
    assert (run["outcome"], run["reason"]) == ("skipped", "stopped")
    assert topics(memd) == []
    assert not list((memd.state / "scratch").glob("*"))
    assert memd.inside("extract", lines.SESSION, "--json").json["outcome"] == "saved"

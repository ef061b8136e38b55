"""The conversations that memd is not done with: which they are, and what each waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memd.cli import rest
from memd.cli.words import counted, iso, short_id, shown, soon
from memd.daemon.waiting import QUEUED
from memd.ledger import Job, Ledger
from memd.ledger.nouns import EXTRACT
from memd.transcripts.model import Inside

AT_WORK = "at_work"
_SHOWN = 5  # of them, to people
_WHY = {
    "growing": "is being written to",
    "no_turn": "nobody has spoken in it yet",
    "quiet": "is over after {} more of silence",
    "stalled": "its last turn broke off; given up in {}",
    "working": "the agent is at work",
    "min_interval": "had a pass lately; the next one in {} ([extract] min_interval)",
    QUEUED: "in the queue",
    "retry": "in the queue, tried again in {}",
    "no_room": "in the queue: no room in [caps], tried again in {}, or where they are raised",
    AT_WORK: "is being extracted",
}
_OTHERWISE = "is over; looked at in {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A conversation with something in it that no pass has dealt with."""

    session: str  # its id
    project: str | None
    reason: str
    until: float | None  # when that changes if nothing happens, seconds since the epoch; None: only an event can
    inside: Inside | None = None  # how far passes have come in a long one


def unfinished(pending: Iterable[Mapping[str, Any]], ledger: Ledger | None, now: float) -> tuple[Unfinished, ...]:
    """What the daemon has in view, and what is in the queue, the soonest first."""
    if ledger is None:
        return ()
    jobs = {job.session_key: job for job in ledger.jobs() if job.kind == EXTRACT and job.session_key}
    queued = [_job(job, key, ledger, now) for key, job in jobs.items()]
    known = {one.session for one in queued}
    seen = [_open(one, ledger, now) for one in pending if one["session"] not in known and one["reason"] != QUEUED]
    return (*queued, *seen)


def _job(job: Job, key: str, ledger: Ledger, now: float) -> Unfinished:
    later = job.state == "queued" and job.not_before > now
    waits = "no_room" if job.put_off else "retry"
    reason = waits if later else QUEUED if job.state == "queued" else AT_WORK
    until = job.not_before if later else None
    return Unfinished(
        session=key.partition(":")[2],
        project=_project(ledger, key=key),
        reason=reason,
        until=until,
        inside=rest.rest(ledger, key),
    )


def _open(one: Mapping[str, Any], ledger: Ledger, now: float) -> Unfinished:
    until = None if one["seconds"] is None else now + one["seconds"]
    project = _project(ledger, path=one["path"])
    return Unfinished(session=one["session"], project=project, reason=one["reason"], until=until)


def _project(ledger: Ledger, *, key: str | None = None, path: str = "") -> str | None:
    session = ledger.session_at(path) if key is None else ledger.session(key)
    return None if session is None else session.root or session.cwd


def lines(found: tuple[Unfinished, ...], now: float) -> Iterator[str]:
    """For people: `memd off` and `memd extract` take what each begins with."""
    for one in found[:_SHOWN]:
        project = f" ({shown(Path(one.project).name)})" if one.project else ""
        time = soon((one.until or now) - now)
        more = f"; {rest.in_words(one.inside)}" if one.inside else ""
        yield f"{short_id(one.session)}{project}: {_WHY.get(one.reason, _OTHERWISE).format(time)}{more}"
    if len(found) > _SHOWN:
        yield f"and {counted(len(found) - _SHOWN, 'other')}: `memd status --json` lists them"


def described(found: tuple[Unfinished, ...]) -> list[dict[str, Any]]:
    """Put them into the shape that programs get."""
    return [
        {"session": one.session, "project": one.project, "reason": one.reason, "until": iso(one.until)}
        | rest.described(one.inside)
        for one in found
    ]

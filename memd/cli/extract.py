"""`memd extract`: a pass by hand, now, over one conversation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from memd import logs, worker
from memd.cli import rest
from memd.cli.here import here
from memd.cli.output import json_option, print_json, project_option
from memd.cli.runs import reason_in_words
from memd.cli.words import shortened, shown
from memd.clock import SystemClock
from memd.daemon.tracker import key_of
from memd.errors import LeaseLostError, LockedError, MemdError, RefusedError, TransientError, UsageError
from memd.extract import off_record, proposal, window
from memd.extract import run as passes
from memd.extract.gate import LEFT_OUT
from memd.extract.house import House
from memd.extract.proposal import Proposal
from memd.extract.window import Window
from memd.ledger import JobRequest, Outcome, Run, Session, open_ledger
from memd.memory import location
from memd.memory.decision import Dropped, Held
from memd.transcripts import claude_code
from memd.transcripts.model import Inside, TranscriptFile, TurnState

QUEUED = "it stays queued and is tried again later; `memd status` shows it"


@click.command()
@click.argument("conversation", metavar="[SESSION|PATH]", required=False)
@click.option("--last", is_flag=True, help="The conversation of this project that was written to last.")
@click.option("--all", "everywhere", is_flag=True, help="With --last: of any project.")
@project_option
@click.option("--again", is_flag=True, help="Also what earlier passes dealt with.")
@click.option("--dry-run", is_flag=True, help="Show what would be saved; write nothing.")
@click.option("--yes", is_flag=True, hidden=True, help="Accepted by every command that writes; this one never asks.")
@json_option
def extract(  # noqa: PLR0913 - one parameter an option
    conversation: str | None,
    *,
    last: bool,
    everywhere: bool,
    directory: str,
    again: bool,
    dry_run: bool,
    yes: bool,  # noqa: ARG001 - as above
    as_json: bool,
) -> int:
    """Save what one conversation taught, without waiting for it to end.

    Waiting times and "the agent wrote memory itself" do not apply; whether memory is on does.
    """
    _require_one(conversation, last=last, everywhere=everywhere)
    place = here()
    with open_ledger(place.paths.ledger, SystemClock()) as ledger:
        if ledger.paused_at() is not None and not dry_run:
            raise RefusedError("memd is paused, so nothing is extracted", hint="`memd resume` lets it go on")
        house = worker.build(place.environ, place.loaded, ledger, SystemClock(), logs.configure(sys.stderr, json=False))
        worker.recover(house)
        root = None if everywhere or not last else place.memory_dir(directory).root
        found = find(conversation, house) if root is None else _last_of(root, house)
        session = session_of(found, house, dry_run=dry_run)
        click.echo(f"conversation {shown(session.session_id)} of {_whose(session)}", err=True)
        if dry_run:
            new = _window(session, house, again=again)
            would = proposal.propose(new, house, by_hand=True)
            return _show_proposal(would, passes.reason_of(would, new, house), as_json=as_json)
        run = _run(session, house, again=again)
        return _show_run(run, rest.rest(ledger, session.key), as_json=as_json)


def _require_one(conversation: str | None, *, last: bool, everywhere: bool) -> None:
    """Raise UsageError unless the options name one conversation."""
    if (conversation is None) is not last:
        raise UsageError("name one conversation: its session id, its transcript, or --last")
    if everywhere and not last:
        raise UsageError("--all goes with --last")


def look_at_last(house: House) -> tuple[Session, Proposal]:
    """What a pass over the conversation that was written to last would save; nothing is written. Raises MemdError."""
    session = session_of(find(None, house), house, dry_run=True)
    return session, proposal.propose(_window(session, house, again=False), house, by_hand=True)


def find(conversation: str | None, house: House) -> TranscriptFile:
    """Look a conversation up by path, session id or the beginning of one; None: the last. Raises UsageError."""
    if conversation is not None and (path := Path(conversation).absolute()).is_file():
        return TranscriptFile(agent=claude_code.AGENT, session_id=path.stem, path=path)
    known = list(house.transcripts.discover())
    if conversation is None:
        if not known:
            raise UsageError("no conversation has been written yet", hint=_roots(house))
        return max(known, key=_written_at)
    found = [one for one in known if one.session_id.startswith(conversation)]
    if len(found) != 1:
        what = "no conversation" if not found else f"{len(found)} conversations"
        raise UsageError(f"{what} with an id that starts with {conversation!r}", hint=_roots(house))
    return found[0]


def _last_of(root: Path, house: House) -> TranscriptFile:
    """The conversation of one project that was written to last. Raises UsageError."""
    newest = sorted(house.transcripts.discover(), key=_written_at, reverse=True)
    found = next((one for one in newest if project_of(one, house) == root), None)
    if found is None:
        hint = f"--last --all takes the last one of any project; {_roots(house)}"
        raise UsageError(f"no conversation of {shortened(shown(str(root)))} has been written yet", hint=hint)
    return found


def project_of(found: TranscriptFile, house: House) -> Path | None:
    """The root that a conversation belongs to: as the ledger has it, else by where it takes place."""
    known = house.ledger.session(key_of(found))
    if known is not None and known.root is not None:
        return Path(known.root)
    try:
        cwd = house.transcripts.tail(found.path).cwd
        if cwd is None or not Path(cwd).is_absolute():
            return None
        return location.canonical_root(Path(cwd), worktrees=house.settings.projects.worktrees)
    except (OSError, ValueError):  # deleted meanwhile, or a directory that no disk can hold
        return None


def _written_at(found: TranscriptFile) -> float:
    try:
        return found.path.stat().st_mtime
    except OSError:
        return 0.0


def _roots(house: House) -> str:
    return "memd reads " + ", ".join(map(str, house.transcripts.roots()))


def session_of(found: TranscriptFile, house: House, *, dry_run: bool) -> Session:
    """The conversation as the ledger knows it, which it does from now on, unless nothing is to be written.

    One that is older than memd and was never read is read from its start.
    """
    today = seen(found, house)
    if not dry_run:
        house.ledger.note_session(today)
    known = house.ledger.session(today.key)
    if known is None:
        return today
    session = replace(known, path=today.path, cwd=today.cwd or known.cwd, size=today.size, mtime_ns=today.mtime_ns)
    if session.noted_reason is None or session.last_pass_at is not None:
        return session
    if not dry_run:
        house.ledger.rewind(session.key)
    return replace(session, cursor=None, settled=None, noted_reason=None)


def _whose(session: Session) -> str:
    return shortened(shown(session.root or session.cwd or "a project that it does not name"))


def seen(found: TranscriptFile, house: House) -> Session:
    """The conversation as its transcript stands there. Raises UsageError where it is none."""
    status, tail = found.path.stat(), house.transcripts.tail(found.path)
    if tail.turn is TurnState.NONE and tail.session_id is None:
        raise UsageError(f"{found.path} holds no conversation", hint=_roots(house))
    return Session(
        key=key_of(found),
        agent=found.agent,
        session_id=found.session_id,
        path=str(found.path),
        cwd=tail.cwd,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
    )


def _window(session: Session, house: House, *, again: bool) -> Window:
    off_record.catch_up(house, but=session.key)
    return window.read(session, house, again=again, watermark=session.size)


def _run(session: Session, house: House, *, again: bool) -> Run:
    request = JobRequest(session_key=session.key, by_hand=True, again=again, watermark=session.size)
    return carry_out(request, house)


def carry_out(request: JobRequest, house: House) -> Run:
    """Queue the job and do it here. Raises LockedError where somebody else is at it."""
    job = house.ledger.claim(lease=worker.LEASE, only=house.ledger.enqueue(request))
    if job is None:
        raise LockedError("another pass is at work on this project", hint=QUEUED)
    try:
        return passes.run(job, house)
    except LeaseLostError:
        raise
    except Exception as error:
        if not worker.put_back(job, house, error):
            reason = "refused" if isinstance(error, RefusedError) else type(error).__name__
            worker.give_up(job, house, reason, error)
            raise
        if not isinstance(error, MemdError):
            raise TransientError(_told(error), hint=QUEUED) from error
        error.hint = QUEUED if error.hint is None else f"{error.hint}; {QUEUED}"
        raise


def _told(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'system'}: {error.strerror or error}"
    return str(error)


def _show_proposal(found: Proposal, reason: str | None, *, as_json: bool) -> int:
    files = {change.path: (change.after or b"").decode() for change in found.decision.accepted}
    if as_json:
        bullets = [asdict(bullet) for bullet in found.bullets]
        print_json(
            {
                **_summary(found.outcome, reason, list(files)),
                "texts": files,
                "bullets": bullets,
                **_not_live(found),
                **rest.described(found.rest),
            }
        )
        return 0
    click.echo(_sentence(found.outcome, reason, only_notes=not files, would=True))
    for path, text in files.items():
        click.echo(f"\n{path}\n\n{text}")
    for bullet in found.bullets:
        click.echo(f"log: [{bullet.type}] {bullet.text}")
    not_saved: tuple[Held | Dropped, ...] = (*found.decision.held, *found.decision.dropped)
    for one in not_saved:
        click.echo(f"not saved: {one.path} ({one.reason})")
    _say_left_out(found.outcome, reason)
    _say_rest(found.rest)
    return 0


def _not_live(found: Proposal) -> dict[str, Any]:
    def rows(those: Sequence[Held | Dropped]) -> list[dict[str, str]]:
        return [{"path": one.path, "reason": one.reason, "detail": one.detail} for one in those]

    return {"held": rows(found.decision.held), "dropped": rows(found.decision.dropped)}


def _show_run(run: Run, left: Inside | None, *, as_json: bool) -> int:
    if as_json:
        said = _summary(run.outcome, run.reason, list(run.files)) | rest.described(left)
        print_json({"run": run.id, "memory_dir": run.memory_dir, **said})
    else:
        click.echo(_sentence(run.outcome, run.reason, only_notes=not run.files, would=False))
        for file in run.files:
            click.echo(f"  {run.memory_dir}/{file}")
        _say_left_out(run.outcome, run.reason)
        _say_rest(left)
    return 1 if run.outcome == Outcome.FAILED else 0


def _say_rest(left: Inside | None) -> None:
    if left is not None:
        click.echo(f"{rest.in_words(left)}: the daemon goes on with it, and so does this command, called again")


def _summary(outcome: str | None, reason: str | None, files: list[str]) -> dict[str, Any]:
    return {"outcome": outcome, "reason": reason, "files": files}


def _sentence(outcome: str | None, reason: str | None, *, only_notes: bool, would: bool) -> str:
    """Say what came of it in words."""
    if outcome == Outcome.SAVED:
        what = "noted in the daily log: worth remembering, not yet a memory" if only_notes else "saved:"
        return f"would be {what}" if would else what
    said = reason_in_words(reason or outcome or "", outcome)
    return f"{outcome}: {said}" if outcome != Outcome.NOTHING else said


def _say_left_out(outcome: str | None, reason: str | None) -> None:
    """What was not saved beside what was; where nothing was, the sentence says so."""
    if outcome == Outcome.SAVED and (reason or "").startswith(LEFT_OUT):
        click.echo(reason_in_words(reason or "", outcome))

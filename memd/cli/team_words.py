"""How team memory is put before people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from memd import git_address
from memd.cli.words import ago, counted, shown
from memd.errors import AuthError, LockedError, MemdError
from memd.memory.membership import Membership
from memd.team.last import Last
from memd.team.nouns import PASSING, HeldBack, Outcome, RemoteError, SyncReport
from memd.team.unshared import Left

TROUBLES = {
    Outcome.OFFLINE: "offline",
    Outcome.DENIED: "no access",
    Outcome.MISSING: "no such repository",
    Outcome.REFUSED: "refused",
    Outcome.UNWRITABLE: "cannot be written",
    Outcome.FAILED: "failed",
    Outcome.BUSY: "busy",
}
_CODES = {Outcome.DENIED: AuthError.exit_code, Outcome.BUSY: LockedError.exit_code}
_NAMED = 5  # files in a line
_BY_ITSELF = "it is tried again by itself"
_TO_DO = {
    Outcome.OFFLINE: f"nothing is lost, and {_BY_ITSELF}",
    Outcome.DENIED: "`git ls-remote` of it must work here without a question",
    Outcome.MISSING: "is the address right, and may you see the repository?",
    Outcome.REFUSED: "look at the branch: a rule of the repository, or what is in it, is in the way",
    Outcome.UNWRITABLE: "make room, or give yourself the right to write there",
    Outcome.FAILED: "`memd team sync` tells more",
    Outcome.BUSY: _BY_ITSELF,
}


def place(one: Membership) -> str:
    """Where the memories are shared: remote and branch."""
    return f"{remote(one)}, branch {shown(one.branch)}"


def remote(one: Membership) -> str:
    """The remote, as people may see it."""
    return shown(git_address.shown(one.remote))


def exit_code(outcome: Outcome) -> int:
    """What a command answers after a sync that ended so."""
    if outcome in {Outcome.NOTHING, Outcome.SYNCED}:
        return 0
    return _CODES.get(outcome, MemdError.exit_code)


def named(paths: Sequence[str]) -> str:
    """A few of these files, and how many more there are."""
    few = ", ".join(shown(path) for path in paths[:_NAMED])
    return few if len(paths) <= _NAMED else f"{few} and {len(paths) - _NAMED} more"


def held_back(one: HeldBack) -> str:
    """Which file stays here, why, and what to do."""
    if not one.path:
        return f"{shown(one.reason)} [{one.rule}]: it is not sent; the files go without that history"
    return f"{shown(one.path)}: {shown(one.reason)} [{one.rule}]; once that is mended, it is sent by itself"


def unshared(left: Left) -> Iterator[str]:
    """What stays here whatever becomes of it, and why: a few lines, and how many more there would be."""
    yield from (f"{shown(one.path)}: {shown(one.reason)}" for one in left.named[:_NAMED])
    more = len(left.named[_NAMED:]) + left.others
    if more:
        yield f"and {more} more (--json names them)"


def not_shared(left: Left) -> Iterator[str]:
    """The same among what a command says of files."""
    yield from (f"not shared {line}" for line in unshared(left))


def described_unshared(left: Left) -> dict[str, Any]:
    """Put it into the shape that programs get."""
    return {"not_shared": [asdict(one) for one in left.named], "not_shared_others": left.others}


def trouble(outcome: Outcome, reason: str | None, hint: str | None) -> str:
    """What is wrong, in one sentence, and what to do."""
    why = f": {shown(reason)}" if reason else ""
    return f"{TROUBLES.get(outcome, outcome)}{why} ({shown(hint or _TO_DO.get(outcome, _BY_ITSELF))})"


def standing(known: Last | None, now: float, waiting: int) -> str:
    """How it stands with the remote, in a few words; `waiting`: how many files it does not have as they are here."""
    if known is None:
        return "not synced yet"
    if known.failures:
        since = ago(known.failing_since or known.at, now)
        lasting = since if since == "just now" else f"for {since.removesuffix(' ago')}"
        return f"{TROUBLES.get(known.outcome, known.outcome).upper()} {lasting}"
    return f"{counted(waiting, 'file')} to send, shared" if waiting else "in step"


def report(done: SyncReport) -> Iterator[str]:
    """What one sync did, a line each."""
    if done.sent:
        yield f"sent      {counted(len(done.sent), 'file')}: {named(done.sent)}"
    if done.received:
        yield f"received  {counted(len(done.received), 'file')}: {named(done.received)}"
    yield from _oddities(done)
    if not done.in_order:
        yield f"NOT DONE  {trouble(done.outcome, done.reason, done.hint)}"
    elif not (done.sent or done.received):
        yield "in step   nothing to send, nothing to receive"


def _oddities(done: SyncReport) -> Iterator[str]:
    """What a person may want to look at."""
    way = "" if done.run_id is None else f" (`memd diff {done.run_id}`)"
    for clash in done.conflicts:
        yield f"conflict  {shown(clash.path)}: the other edit stands, yours is in the history{way}"
    for held in done.held:
        yield f"held back {held_back(held)}"
    for refused in done.refused:
        yield f"not taken {shown(refused.path)}, of the remote: {shown(refused.reason)}"
    if done.rewritten:
        yield "rewritten the remote's history is another one than before; what was here stays"
    if done.restored:
        yield "restored  team/ was gone and was made anew"
    if done.repaired:
        yield f"repaired  memd's own repository was damaged; it is set aside as {shown(done.repaired)}"


def refuse(error: RemoteError) -> MemdError:
    """The same error with the exit code that belongs to it."""
    kind = AuthError if error.outcome is Outcome.DENIED else MemdError
    said = TROUBLES.get(error.outcome, str(error.outcome))
    to_do = "nothing was changed; try again when it can be reached" if error.outcome in PASSING else None
    return kind(f"{said}: {shown(str(error))}", hint=error.hint or to_do or _TO_DO.get(error.outcome))

"""The sync that finds nothing new, which most are: one question to the remote, and hardly a module loaded for it."""

from __future__ import annotations

from collections.abc import Mapping

from memd.memory.membership import Membership
from memd.team import base as bases
from memd.team import last, remote
from memd.team.account import Before
from memd.team.git import Repository
from memd.team.nouns import DamagedError, Outcome, RemoteError, SyncReport

_WHOLE = 3600.0  # seconds after which every file is looked at again, whatever its date says


def look(one: Membership, was: Before, environ: Mapping[str, str], now: float) -> SyncReport | None:
    """The report where both sides are as they were, or the remote cannot be asked; None: it takes a whole sync.

    Only where nothing has changed in `team/` since the last one, which went well, so that no edit waits meanwhile; and
    where nobody has synced while the remote was asked, as it is for them to say what came of that.
    """
    report = _asked(one, was, environ, now)
    return report if report is not None and last.load(one) == was.known else None


def _asked(one: Membership, was: Before, environ: Mapping[str, str], now: float) -> SyncReport | None:
    known = was.known
    if known is None or known.failures or known.shape != was.shape:
        return None
    if known.whole_at is None or not 0 <= now - known.whole_at < _WHOLE:
        return None
    base = bases.load(one.directory)
    if base.unsent or base.aside or base.coming is not None or base.remote is None or not one.repository.is_dir():
        return None
    try:
        tip = remote.tip(Repository(path=one.repository, environ=environ), one)
    except RemoteError as error:
        return SyncReport(outcome=error.outcome, reason=str(error), hint=error.hint)
    except DamagedError:  # which a whole sync repairs
        return None
    return SyncReport(outcome=Outcome.NOTHING, held=known.held, refused=known.refused) if tip == base.remote else None

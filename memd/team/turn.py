"""One turn for one team memory: whether it may be at all, the sync, and what is remembered of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from memd.config import Paths, Settings
from memd.memory import claude_settings, enabled, membership
from memd.memory.enabled import Enabled
from memd.memory.membership import Membership
from memd.team import last
from memd.team import sync as syncs
from memd.team.house import House
from memd.team.last import Last
from memd.team.nouns import Outcome, SyncReport

_PAUSE = 0.25  # seconds between two looks whether somebody else's sync is over


def switch(one: Membership, paths: Paths, settings: Settings, environ: Mapping[str, str]) -> Enabled:
    """Whether memory is on there, and why: a project that memd stays out of is synced with nobody."""
    is_excluded = enabled.excluded(one.project, settings.projects.exclude, home=paths.home)
    scopes = claude_settings.scopes(
        one.project, environ=environ, home=paths.home, managed=claude_settings.managed_file()
    )
    return enabled.enabled(
        environ=environ,
        settings_say=claude_settings.enabled(scopes),
        disabled_by="excluded" if is_excluded else None,
    )


def take(one: Membership, house: House) -> SyncReport:
    """Sync, and remember how it went. Raises OSError where that cannot be written down."""
    if one.joined is None:
        one = membership.note(one, house.clock.now())
    before, stood = last.load(one), last.shape(one)
    report = syncs.run(house, one)
    if report.outcome is Outcome.BUSY:  # whoever is at work there writes it down
        return report
    shape = last.taken_in(report, stood, last.shape(one))
    known = last.after(before, report, at=house.clock.now().timestamp(), shape=shape)
    last.save(one, known)
    _tell(house.log.bind(project=str(one.project)), before, known, report)
    return report


def before_dream(project: Path, memory_dir: Path, house: House) -> None:
    """Take in what the others wrote, where the memory that is dreamt about is shared.

    A remote that is away holds no dream up for long; whoever syncs there right now is waited for.
    """
    one = membership.find(house.paths, house.settings, root=project, memory_dir=memory_dir)
    if one is None or not switch(one, house.paths, house.settings, house.environ).on:
        return
    house.tell("asking the team's remote")
    began = house.clock.monotonic()
    with suppress(OSError):  # what cannot be written down keeps nobody from dreaming
        while take(one, house).outcome is Outcome.BUSY and house.clock.monotonic() - began < house.patience:
            time.sleep(_PAUSE)


def _tell(log: FilteringBoundLogger, before: Last | None, known: Last, report: SyncReport) -> None:
    """Log what is new: an outage once when it begins and once when it is over, whatever its length."""
    was = None if before is None else before.outcome
    if not report.in_order and (before is None or before.failures == 0 or was != report.outcome):
        log.warning("team_sync_failed", outcome=report.outcome, reason=report.reason)
    elif report.in_order and before is not None and before.failures:
        log.info("team_sync_restored", failures=before.failures)
    if report.sent or report.received or report.conflicts:
        log.info(
            "team_synced", sent=len(report.sent), received=len(report.received), conflicts=len(report.conflicts),
            run=report.run_id,
        )  # fmt: skip
    if report.rewritten:
        log.warning("team_remote_rewritten")
    if report.repaired:
        log.warning("team_repository_set_aside", path=report.repaired)
    if known.held and (before is None or before.held != known.held):
        log.warning("team_held_back", files=len(known.held), rules=sorted({one.rule for one in known.held}))

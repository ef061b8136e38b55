"""Whether a model may be asked to choose memories just now, and what pays for it."""

from __future__ import annotations

from collections.abc import Mapping

from memd.agent import backends, model_service, money
from memd.agent.money import Purse
from memd.clock import Clock
from memd.ledger import Ledger
from memd.ledger.nouns import RECALL
from memd.settings import Settings


def purse(settings: Settings, environ: Mapping[str, str], ledger: Ledger, clock: Clock, project: str) -> Purse | None:
    """What pays for a project's questions, by its root; None: no model is set up."""
    if not model_service.asks_a_model(settings, environ):
        return None
    account = backends.choose(settings, environ, settings.models.recall).account
    if account is None:
        return None
    return Purse(ledger=ledger, clock=clock, settings=settings, account=account, project=project, kind=RECALL)


def may_ask(paying: Purse | None) -> bool:
    """Whether it is worth starting to ask: there is a model, no cap of the day is reached, and the service answers."""
    return paying is not None and money.wait(paying) is None

"""What requests may cost, by the settings' prices; nothing here asks anybody, or loads much."""

from __future__ import annotations

from collections.abc import Sequence

from memd.agent.meter import SHORTEST
from memd.ledger.nouns import DREAM, EXTRACT, RECALL
from memd.settings import Price, Settings

MILLION = 1_000_000
_LEAST = 8_000  # tokens of a first request: instructions, tools, a few memories' descriptions, the smallest part


def of(model: str | None, prices: Sequence[Price]) -> Price | None:
    """A model's price, where it has one."""
    return next((price for price in prices if price.model == model), None)


def most(price: Price | None, sent: int, answered: int) -> float:
    """Dollars where the service counts all tokens that are sent as the dearest kind of input; 0 without a price."""
    return 0.0 if price is None else (sent * dearest(price) + answered * price.output) / MILLION


def dearest(price: Price) -> float:
    """What a million tokens that are sent may cost."""
    return max(price.input, price.cache_read, price.cache_write)


def of_kind(settings: Settings, kind: str) -> Price | None:
    """The price of the model that does a kind of work."""
    models = settings.models
    return of({DREAM: models.dream, RECALL: models.recall}.get(kind, models.extract), settings.prices)


def too_small(settings: Settings, kind: str = EXTRACT) -> str | None:
    """What is wrong with a cap in which no pass has room, however often it is tried; None: nothing is."""
    caps = settings.caps
    if caps.pass_tokens < _LEAST:
        return f"[caps] pass_tokens = {caps.pass_tokens:,} has no room for a single request, which takes {_LEAST:,}"
    own = ("dream_dollars", caps.dream_dollars) if kind == DREAM else ("pass_dollars", caps.pass_dollars)
    day = () if kind == RECALL else (("day_dollars", caps.day_dollars),)  # a question is shorter than a pass's request
    cost = least(settings, kind)
    for name, cap in (own, *day):
        if cost > cap:
            return f"[caps] {name} = {cap:g} has no room for a single request, which may cost ${cost:.2f}"
    return None


def least(settings: Settings, kind: str) -> float:
    """What the smallest request of a pass may cost, in dollars; 0 without a price."""
    return most(of_kind(settings, kind), _LEAST, SHORTEST)

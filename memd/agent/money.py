"""Whether a model may be asked now, what one pass may spend, and what came of asking.

The ledger keeps the sums, `meter` counts one pass, `circuit` has the rules for a service that fails; here they meet.
Dollars are the settings' prices times the service's own count of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memd.agent import circuit, packing
from memd.agent.meter import CAPS_HINT, RAISE, Caps, Meter, Usage, too_small
from memd.clock import Clock
from memd.errors import AuthError, BudgetError, MemdError, TooSmallCapError, TransientError
from memd.ledger import Ledger
from memd.ledger.spend import Circuit, Spent
from memd.settings import Price, Settings, Spending

_MILLION = 1_000_000
_LASTING = 5_000  # tokens of instructions and tools, with which every request begins
_REQUESTS = 3  # that a pass should have room for: it reads, it writes, it is done


@dataclass(frozen=True, slots=True, kw_only=True)
class Purse:
    """What one pass needs to spend money."""

    ledger: Ledger
    clock: Clock
    settings: Settings
    account: str  # marks the service and the credentials it is asked with, and tells neither
    project: str  # its root
    kind: str

    @property
    def day(self) -> str:
        """The local date."""
        return self.clock.now().date().isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Why nothing may be spent now, and for how many seconds."""

    reason: str
    seconds: float


def dollars(usage: Usage, prices: Sequence[Price]) -> float | None:
    """What requests cost; None: their model has no price."""
    price = next((price for price in prices if price.model == usage.model), None)
    if price is None:
        return None
    cost = usage.input_tokens * price.input + usage.output_tokens * price.output
    cost += usage.cache_read_tokens * price.cache_read + usage.cache_write_tokens * price.cache_write
    return cost / _MILLION


def room(caps: Spending) -> int:
    """How many tokens of a conversation a pass is shown at once: requests with it stay within its cap."""
    return max(packing.SMALLEST, min(packing.BUDGET, caps.pass_tokens // _REQUESTS - _LASTING))


def admit(purse: Purse) -> None:
    """Let a pass begin. Raises BudgetError, AuthError or TransientError, with the time to wait where it is known."""
    if said := too_small(purse.settings.caps.pass_tokens):
        raise TooSmallCapError(said, hint=RAISE)
    if said := used_up(purse):
        raise BudgetError(said, hint=CAPS_HINT)
    fared, now = purse.ledger.circuit(), purse.ledger.now()
    if not fared.is_open(purse.account, now):
        return
    if fared.until is None:
        raise AuthError(fared.reason, hint="it is asked again once the credentials or the settings have changed")
    raise TransientError(fared.reason, retry_after=fared.until - now)


def wait(purse: Purse | None) -> Wait | None:
    """How long nothing may be spent, so that nobody begins what cannot be done; None: go on."""
    if purse is None:
        return None
    if said := too_small(purse.settings.caps.pass_tokens):
        return Wait(reason=said, seconds=circuit.PAUSE)
    if said := used_up(purse):
        return Wait(reason=said, seconds=seconds_to_tomorrow(purse.clock))
    fared, now = purse.ledger.circuit(), purse.ledger.now()
    if not fared.is_open(purse.account, now):
        return None
    return Wait(reason=fared.reason or "", seconds=circuit.PAUSE if fared.until is None else fared.until - now)


def used_up(purse: Purse) -> str | None:
    """Which cap of the day is reached; None: none is."""
    spent, caps = purse.ledger.spent_on(purse.day), purse.settings.caps
    if spent.dollars >= caps.day_dollars:
        return f"${spent.dollars:.2f} of ${caps.day_dollars:.2f} are spent today"
    if spent.passes >= caps.day_passes:
        return f"{spent.passes} of {caps.day_passes} passes were made today"
    if spent.requests >= caps.day_requests:
        return f"{spent.requests} of {caps.day_requests} requests were sent today"
    return None


def seconds_to_tomorrow(clock: Clock) -> float:
    """How long a spent day still lasts, a day with a clock change included."""
    now = clock.now()
    midnight = (now + timedelta(days=1)).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
    return max(1.0, midnight.astimezone(None).timestamp() - now.timestamp())


def meter(purse: Purse, *, cap: float | None = None, is_pass: bool = True) -> Meter:
    """Count one pass, or a question that is none. `cap` is in dollars, where it is not that of an extraction.

    The day's caps are asked before every request, by which the pass itself is known: it does not stop itself.
    """
    caps, prices = purse.settings.caps, purse.settings.prices
    most = Caps(input_tokens=caps.pass_tokens, dollars=caps.pass_dollars if cap is None else cap)
    begun = [False]

    def record(usage: Usage) -> None:
        purse.ledger.spend(_spent(purse, usage, dollars(usage, prices), first=is_pass and not begun[0]))
        begun[0] = True

    def left() -> str | None:
        spent = purse.ledger.spent_on(purse.day)
        own = begun[0] and spent.passes <= caps.day_passes and spent.requests < caps.day_requests
        return None if own and spent.dollars < caps.day_dollars else used_up(purse)

    return Meter(most, price=lambda usage: dollars(usage, prices), record=record, day_left=left)


def _spent(purse: Purse, usage: Usage, cost: float | None, *, first: bool) -> Spent:
    return Spent(
        day=purse.day,
        project=purse.project,
        kind=purse.kind,
        model=usage.model or "unknown",
        passes=int(first),
        requests=usage.requests,
        input=usage.input_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        output=usage.output_tokens,
        dollars=cost or 0.0,
        unpriced=usage.requests if cost is None else 0,
    )


def asking(purse: Purse, ask: Callable[[], Usage]) -> Usage:
    """Ask a model where `admit` lets it, and write down how the service fared. Raises what either raises."""
    admit(purse)
    before = purse.ledger.circuit()
    try:
        used = ask()
    except MemdError as error:
        _set(purse, before, circuit.after_error(before, error, purse.account, purse.ledger.now()))
        raise
    _set(purse, before, circuit.after_answer(before, used, purse.account, purse.ledger.now()))
    return used


def _set(purse: Purse, before: Circuit, after: Circuit) -> None:
    if after != before:
        purse.ledger.set_circuit(after)

"""Whether a model may be asked now, what one pass may spend, and what came of asking.

The ledger keeps the sums, `meter` counts one pass, `circuit` has the rules for a service that fails; here they meet.
Dollars are the settings' prices times the service's own count of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memd.agent import circuit, packing, prices
from memd.agent.meter import CAPS_HINT, SHORTEST, Caps, Meter, Settle, Usage, remedy
from memd.clock import Clock
from memd.errors import AuthError, BudgetError, MemdError, TooSmallCapError, TransientError
from memd.ledger import Ledger
from memd.ledger.nouns import DREAM, EXTRACT
from memd.ledger.spend import Circuit, Day, Refused, Spent, circuit_of
from memd.settings import Price, Settings, Spending

_LASTING = 5_000  # tokens of instructions and tools, with which every request begins
_REQUESTS = 3  # that a pass should have room for: it reads, it writes, it is done
_PAID = 2  # of them, at the most that they may cost
_PASSES = "passes"  # under which it is kept what the day had left when one of them found no room
_CENT = 0.01  # dollars


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

    @property
    def circuit(self) -> str:
        """Whose luck with the service counts."""
        return circuit_of(self.kind)

    @property
    def is_pass(self) -> bool:
        """Whether it pays for passes, and not for questions beside them."""
        return self.kind in {EXTRACT, DREAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Why nothing may be spent now, and for how many seconds."""

    reason: str
    seconds: float


def dollars(usage: Usage, known: Sequence[Price]) -> float | None:
    """What requests cost; None: their model has no price."""
    price = prices.of(usage.model, known)
    if price is None:
        return None
    cost = usage.input_tokens * price.input + usage.output_tokens * price.output
    cost += usage.cache_read_tokens * price.cache_read + usage.cache_write_tokens * price.cache_write
    return cost / prices.MILLION


def room(settings: Settings, *, spent: float = 0.0) -> int:
    """How many tokens of a conversation a pass is shown at once: requests with it stay within its caps.

    And within what the day has left of its dollars, once so many were `spent`.
    """
    caps, price = settings.caps, prices.of_kind(settings, EXTRACT)
    left = min(caps.pass_dollars, caps.day_dollars - spent)
    most = caps.pass_tokens // _REQUESTS
    if price is not None and (each := prices.most(price, _PAID, 0)):
        most = min(most, int((left - prices.most(price, 0, _PAID * SHORTEST)) / each))
    return max(packing.SMALLEST, min(packing.BUDGET, most - _LASTING))


def admit(purse: Purse) -> None:
    """Let a pass begin. Raises BudgetError, AuthError or TransientError, with the time to wait where it is known."""
    if said := prices.too_small(purse.settings, purse.kind):
        raise TooSmallCapError(said, hint=remedy(said))
    if said := used_up(purse):
        raise BudgetError(said, hint=CAPS_HINT)
    fared, now = purse.ledger.circuit(purse.circuit), purse.ledger.now()
    if not fared.is_open(purse.account, now):
        return
    if fared.until is None:
        raise AuthError(fared.reason, hint="it is asked again once the credentials or the settings have changed")
    raise TransientError(fared.reason, retry_after=fared.until - now)


def wait(purse: Purse | None) -> Wait | None:
    """How long nothing may be spent, so that nobody begins what cannot be done; None: go on."""
    if purse is None:
        return None
    if said := prices.too_small(purse.settings, purse.kind):
        return Wait(reason=said, seconds=circuit.PAUSE)
    if said := used_up(purse):
        return Wait(reason=said, seconds=seconds_to_tomorrow(purse.clock))
    fared, now = purse.ledger.circuit(purse.circuit), purse.ledger.now()
    if not fared.is_open(purse.account, now):
        return None
    return Wait(reason=fared.reason or "", seconds=circuit.PAUSE if fared.until is None else fared.until - now)


def used_up(purse: Purse) -> str | None:
    """Which cap of the day is reached; None: none is."""
    return _reached(_today(purse), purse.settings.caps, begins=True, more=_next(purse))


def _reached(spent: Day, caps: Spending, *, begins: bool, more: float = 0.0) -> str | None:
    """Which cap a further request would go beyond, or might, where it may cost `more` dollars.

    A pass that has begun is one of the day's passes itself.
    """
    if spent.dollars >= caps.day_dollars:
        return f"${spent.dollars:.2f} of ${caps.day_dollars:.2f} are spent today"
    if more > caps.day_dollars:
        return f"a request may cost ${more:.2f}, and [caps] day_dollars = {caps.day_dollars:g} never has room for it"
    if spent.dollars + more > caps.day_dollars:
        return f"${spent.dollars:.2f} of ${caps.day_dollars:.2f} are spent today, and a request may cost ${more:.2f}"
    if begins and spent.passes >= caps.day_passes:
        return f"{spent.passes} of {caps.day_passes} passes were made today"
    if spent.requests >= caps.day_requests:
        return f"{spent.requests} of {caps.day_requests} requests were sent today"
    return None


def _today(purse: Purse) -> Day:
    return purse.ledger.spent_on(purse.day)


def put_off(purse: Purse) -> None:
    """Remember what the day had left when a pass found no room in that: see `has_more`."""
    left = purse.settings.caps.day_dollars - _today(purse).dollars
    purse.ledger.note_refused(Refused(kind=_PASSES, day=purse.day, account=_terms(purse), dollars=left))


def has_more(purse: Purse | None) -> bool:
    """Whether a pass that found no room may find some now: another day, other caps, or what was booked cost less."""
    said = None if purse is None else purse.ledger.refused(_PASSES)
    if purse is None or said is None or (said.day, said.account) != (purse.day, _terms(purse)):
        return True
    return purse.settings.caps.day_dollars - _today(purse).dollars > said.dollars + _CENT


def _terms(purse: Purse) -> str:
    return f"{purse.account} {purse.settings.caps}"


def _next(purse: Purse) -> float:
    """What the next request may cost at the least: that of one pass was too long for the day, others are shorter."""
    return prices.least(purse.settings, purse.kind) if purse.is_pass else _refused(purse)


def _refused(purse: Purse) -> float:
    """What a request of this kind may cost that the day had no room for, so that none is tried only to be refused."""
    said = purse.ledger.refused(purse.kind)
    return said.dollars if said is not None and (said.day, said.account) == (purse.day, purse.account) else 0.0


def seconds_to_tomorrow(clock: Clock) -> float:
    """How long a spent day still lasts, a day with a clock change included."""
    now = clock.now()
    midnight = (now + timedelta(days=1)).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
    return max(1.0, midnight.astimezone(None).timestamp() - now.timestamp())


def meter(purse: Purse, *, cap: float | None = None, is_pass: bool = True) -> Meter:
    """Count one pass, or a question that is none. `cap` is in dollars, where it is not that of an extraction.

    Each request takes its place among the day's before it is sent, at what it may cost; its answer puts that right.
    """
    caps, price = purse.settings.caps, prices.of_kind(purse.settings, purse.kind)
    most = Caps(input_tokens=caps.pass_tokens, dollars=caps.pass_dollars)
    most = most if cap is None else replace(most, dollars=cap, named="dream_dollars")
    most = _of_day(most, purse) if is_pass else most
    begins = [True]

    def book(estimate: Usage) -> Settle:
        settle = _booked(purse, estimate, begins=begins[0], passes=int(begins[0] and is_pass))
        begins[0] = False
        return settle

    def left() -> str | None:
        return _reached(_today(purse), caps, begins=begins[0])

    return Meter(
        most,
        price=lambda usage: dollars(usage, purse.settings.prices),
        most=lambda sent, answered: prices.most(price, sent, answered),
        book=book,
        day_left=left,
    )


def _of_day(most: Caps, purse: Purse) -> Caps:
    """A pass's caps, within what the day has left: its end is planned for, and no surprise in the middle."""
    day = purse.settings.caps.day_dollars
    if most.dollars is not None and day < most.dollars:
        most = replace(most, dollars=day, named="day_dollars")
    return replace(most, today=max(0.0, day - _today(purse).dollars))


def _booked(purse: Purse, estimate: Usage, *, begins: bool, passes: int) -> Settle:
    """Count a request at the most that it may cost, which must not go beyond the day's cap, whatever it does cost.

    A pass is one only where something may have been answered.
    """
    most = _most(estimate, purse.settings.prices)
    held = replace(_spent(purse, estimate, passes), dollars=most)
    if said := purse.ledger.reserve(held, lambda day: _reached(day, purse.settings.caps, begins=begins, more=most)):
        purse.ledger.note_refused(Refused(kind=purse.kind, day=purse.day, account=purse.account, dollars=most))
        raise BudgetError(said, hint=CAPS_HINT)

    def settle(usage: Usage) -> None:
        purse.ledger.settle(held, _spent(purse, usage, passes if usage.all_input or usage.output_tokens else 0))

    return settle


def _most(estimate: Usage, known: Sequence[Price]) -> float:
    return prices.most(prices.of(estimate.model, known), estimate.all_input, estimate.output_tokens)


def _spent(purse: Purse, usage: Usage, passes: int) -> Spent:
    cost = dollars(usage, purse.settings.prices)
    return Spent(
        day=purse.day,
        project=purse.project,
        kind=purse.kind,
        model=usage.model or "unknown",
        passes=passes,
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
    try:
        used = ask()
    except MemdError as error:
        failed = error
        _fared(purse, lambda before, now: circuit.after_error(before, failed, purse.account, now))
        raise
    _fared(purse, lambda before, now: circuit.after_answer(before, used, purse.account, now, short=not purse.is_pass))
    return used


def _fared(purse: Purse, after: Callable[[Circuit, float], Circuit]) -> None:
    now = purse.ledger.now()
    purse.ledger.change_circuit(lambda before: after(before, now), purse.circuit)

"""The circuit breaker of a model's service: when it is left alone, and for how long. Pure.

The ledger keeps its state (`Circuit`), `money` asks it before every pass.
"""

from __future__ import annotations

from dataclasses import replace

from memd.agent.meter import Usage
from memd.errors import AuthError, BudgetError, MemdError, TransientError
from memd.ledger.spend import Circuit

FAILURES = 5  # in a row, after which the service is left alone for a while
PAUSE = 3600.0  # seconds
_TINY = 4  # tokens of an answer that says nothing


def after_error(before: Circuit, error: MemdError, account: str, now: float) -> Circuit:
    """Refused credentials stop everything, a named time is waited for, and five failures in a row are enough."""
    if isinstance(error, BudgetError):
        return before
    if isinstance(error, AuthError):
        return Circuit(reason=str(error), mark=account)
    after = Circuit(failures=_failures(before, account) + 1, mark=account)
    if isinstance(error, TransientError) and error.retry_after:
        return replace(after, reason=str(error), until=now + error.retry_after)
    return _enough(after, str(error), now)


def after_answer(before: Circuit, used: Usage, account: str, now: float, *, short: bool = False) -> Circuit:
    """An answer closes the circuit, unless there is nothing in it: a broken service goes on charging for those.

    `short`: nothing may be a right answer to what was asked.
    """
    if not short and used.requests and used.output_tokens <= _TINY * used.requests:
        after = Circuit(failures=_failures(before, account) + 1, mark=account)
        return _enough(after, "the model's service answers with next to nothing", now)
    return Circuit(mark=account) if used.requests else before


def _failures(circuit: Circuit, account: str) -> int:
    return circuit.failures if circuit.mark == account else 0


def _enough(circuit: Circuit, reason: str, now: float) -> Circuit:
    if circuit.failures < FAILURES:
        return circuit
    return replace(circuit, reason=f"{reason}, {circuit.failures} times in a row", until=now + PAUSE)

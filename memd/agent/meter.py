"""What a pass may spend, and what it has spent, in the service's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memd.errors import BudgetError, TooSmallCapError

RAISE = "raise [caps] pass_tokens, or leave it out"
CAPS_HINT = "[caps] in the settings; `memd cost` shows what was spent on what"


_LEAST = 8_000  # tokens of a first request: instructions, tools, a few memories' descriptions, the smallest part


def too_small(pass_tokens: int) -> str | None:
    """What is wrong with a cap in which no pass has room, however often it is tried; None: nothing is."""
    if pass_tokens >= _LEAST:
        return None
    return f"[caps] pass_tokens = {pass_tokens:,} has no room for a single request, which takes {_LEAST:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Requests to a model and their tokens. The three kinds of input are disjoint, as the Messages API counts them."""

    model: str | None = None
    requests: int = 0
    input_tokens: int = 0  # neither read from the service's cache nor written to it
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0

    @property
    def all_input(self) -> int:
        """Every token that was sent, whatever it cost."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    def __add__(self, other: Usage) -> Usage:
        """Both together; the model is the later one's."""
        return Usage(
            model=other.model or self.model,
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The most that one pass may spend; None: as much as it likes."""

    input_tokens: int | None = None
    dollars: float | None = None


Settle = Callable[[Usage], None]  # told what a request cost; what it is never told of cost its estimate


class Meter:
    """Counts one pass's requests. Asked before each of them, which is booked, and told after each of them."""

    def __init__(
        self,
        caps: Caps = Caps(),
        *,
        price: Callable[[Usage], float | None] = lambda _usage: None,
        book: Callable[[Usage], Settle] = lambda _estimate: lambda _usage: None,
        day_left: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`price` gives dollars, None for a model without a price.

        `book` keeps a request for good, as its estimate until it is settled, or raises BudgetError where the day has no
        room for it. `day_left` says which of the day's caps is used up, None while none is.
        """
        self.used = Usage()
        self._caps = caps
        self._price = price
        self._book = book
        self._day_left = day_left

    def admit(self, tokens: int) -> None:
        """Raise BudgetError where there is no room for a request of about `tokens` input tokens: do not begin it."""
        if reason := self._day_left():
            raise BudgetError(reason, hint=CAPS_HINT)
        self.within(tokens)

    def within(self, tokens: int) -> None:
        """Raise BudgetError where the pass's own caps have no room for a request, whatever the day allows.

        TooSmallCapError where the pass could not even begin: no later day changes that.
        """
        most = self._caps.input_tokens
        if most is not None and tokens > most and not self.used.requests:
            raise TooSmallCapError(f"[caps] pass_tokens = {most:,}, but the first request has {tokens:,}", hint=RAISE)
        if reason := self._pass_left(tokens):
            raise BudgetError(reason, hint=CAPS_HINT)

    def book(self, estimate: Usage) -> Settle:
        """Take a request's place before it is sent. Raises BudgetError where the day has none left."""
        settle = self._book(estimate)

        def answered(usage: Usage) -> None:
            self.used += usage
            settle(usage)

        return answered

    def _pass_left(self, tokens: int) -> str | None:
        most = self._caps.input_tokens
        if most is not None and self.used.all_input + tokens > most:
            return f"the pass would send more than {most:,} tokens"
        spent = self._price(self.used)
        if self._caps.dollars is not None and spent is not None and spent >= self._caps.dollars:
            return f"the pass has spent ${spent:.2f} of ${self._caps.dollars:.2f}"
        return None

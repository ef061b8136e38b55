"""What a pass may spend, and what it has spent, in the service's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memd.errors import BudgetError, TooSmallCapError

CAPS_HINT = "[caps] in the settings; `memd cost` shows what was spent on what"
_PASS = 2  # requests that a pass needs: it reads, and it writes
SHORTEST = 1_024  # tokens of an answer in which a model still comes to write a memory down


def remedy(said: str) -> str:
    """What to do about a cap that is too small; what is said of it begins with its name."""
    return f"raise {said.partition(' = ')[0]}, or leave it out"


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
    named: str = "pass_dollars"  # what the cap in dollars is called in the settings
    today: float | None = None  # dollars that the day had left when the pass began


Settle = Callable[[Usage], None]  # told what a request cost; what it is never told of cost its estimate


class Meter:
    """Counts one pass's requests. Asked before each of them, which is booked, and told after each of them."""

    def __init__(
        self,
        caps: Caps = Caps(),
        *,
        price: Callable[[Usage], float | None] = lambda _usage: None,
        most: Callable[[int, int], float] = lambda _sent, _answered: 0.0,
        book: Callable[[Usage], Settle] = lambda _estimate: lambda _usage: None,
        day_left: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`price` gives dollars, None for a model without a price; `most` what requests may cost, by tokens.

        `book` keeps a request for good, as its estimate until it is settled, or raises BudgetError where the day has no
        room for it. `day_left` says which of the day's caps is used up, None while none is.
        """
        self.used = Usage()
        self._caps = caps
        self._price = price
        self._most = most
        self._book = book
        self._day_left = day_left

    def admit(self, tokens: int) -> None:
        """Raise BudgetError where there is no room for a request of about `tokens` input tokens: do not begin it."""
        if reason := self._day_left():
            raise BudgetError(reason, hint=CAPS_HINT)
        self.within(tokens)

    def within(self, tokens: int, answer: int = SHORTEST) -> None:
        """Raise BudgetError where the pass's own caps have no room for a request, whatever the day allows.

        `answer` is how many tokens it has to be able to get. TooSmallCapError where the pass could not even begin: no
        later day changes that.
        """
        if not self.used.requests and (said := self._never(tokens, answer)):
            raise TooSmallCapError(said, hint=remedy(said))
        if reason := self._pass_left(tokens, answer):
            raise BudgetError(reason, hint=CAPS_HINT)

    def answer(self, tokens: int, longest: int) -> int:
        """How many tokens the answer to a request may have, so that the pass keeps to its caps. Raises as `within`."""
        self.within(tokens, min(longest, SHORTEST))
        left, each = self._dollars_left(), self._most(0, 1)
        if left is None or not each:
            return longest
        return min(longest, int((left - self._most(tokens, 0)) / each))

    def room(self) -> int | None:
        """How many tokens a further request may have, if it is to get an answer; None: as many as it likes."""
        rooms = [] if self._caps.input_tokens is None else [self._caps.input_tokens - self.used.all_input]
        left, each = self._dollars_left(), self._most(1, 0)
        if left is not None and each:
            rooms.append(int((left - self._most(0, SHORTEST)) / each))
        return min(rooms, default=None)

    def is_last(self, tokens: int) -> bool:
        """Whether a request of so many tokens may be the last that has room: one more like it might have none."""
        most, left = self._caps.input_tokens, self._dollars_left()
        if most is not None and self.used.all_input + 2 * tokens > most:
            return True
        return left is not None and 2 * self._most(tokens, SHORTEST) > left

    def book(self, estimate: Usage) -> Settle:
        """Take a request's place before it is sent. Raises BudgetError where the day has none left."""
        settle = self._book(estimate)

        def answered(usage: Usage) -> None:
            self.used += usage
            settle(usage)

        return answered

    def _never(self, tokens: int, answer: int) -> str | None:
        """Which cap has no room for a pass's first request."""
        caps, cost = self._caps, self._most(tokens, answer)
        if caps.input_tokens is not None and tokens > caps.input_tokens:
            return f"[caps] pass_tokens = {caps.input_tokens:,}, but the first request has {tokens:,}"
        if caps.dollars is not None and cost > caps.dollars:
            return f"[caps] {caps.named} = {caps.dollars:g}, but the first request may cost ${cost:.2f}"
        return None

    def _pass_left(self, tokens: int, answer: int) -> str | None:
        """Which cap a request would go beyond, or might."""
        most, left = self._caps.input_tokens, self._dollars_left()
        if most is not None and self.used.all_input + tokens > most:
            return f"the pass would send more than {most:,} tokens"
        cost, cap = self._most(tokens, answer), self._caps.dollars or 0.0
        if left is not None and not self.used.requests and min(_PASS * cost, cap) > left:
            return f"${left:.2f} are left of today's dollars, and a pass may cost ${min(_PASS * cost, cap):.2f}"
        if left is not None and (left <= 0 or cost > left):
            spent = (self._price(self.used) or 0.0) if self.used.requests else 0.0
            return f"the pass has spent ${spent:.2f} of ${left + spent:.2f}, and a request may cost ${cost:.2f}"
        return None

    def _dollars_left(self) -> float | None:
        """What the pass may still spend; None: nobody counts that."""
        spent, cap = self._price(self.used) if self.used.requests else 0.0, self._caps.dollars
        if cap is None or spent is None:
            return None
        return cap - spent if self._caps.today is None else min(cap, self._caps.today) - spent

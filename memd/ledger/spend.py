"""The ledger's part about money: what models were asked, and whether they may be asked now."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace

from memd.ledger.nouns import DREAM, EXTRACT
from memd.ledger.part import Part

_CIRCUIT = "circuit"  # the name of its row among the single values
_ADD = """
INSERT INTO spend(
  day, project, kind, model, passes, requests, input, cache_read, cache_write, output, dollars, unpriced)
VALUES(:day, :project, :kind, :model, :passes, :requests, :input, :cache_read, :cache_write, :output, :dollars,
  :unpriced)
ON CONFLICT(day, project, kind, model) DO UPDATE SET passes = passes + excluded.passes,
  requests = requests + excluded.requests, input = input + excluded.input,
  cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
  output = output + excluded.output, unpriced = unpriced + excluded.unpriced,
  dollars = round(dollars + excluded.dollars, 9)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was spent on one day, for one project, kind of pass and model. Tokens as the service counted them."""

    day: str  # local date, YYYY-MM-DD
    project: str  # its root
    kind: str
    model: str
    passes: int = 0  # that sent at least one request
    requests: int = 0
    input: int = 0  # tokens neither read from the service's cache nor written to it
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    dollars: float = 0.0  # of the requests that have a price
    unpriced: int = 0  # requests to a model without a price


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """All that was spent on one local date."""

    dollars: float
    passes: int
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The latest request of its kind that a day had no room for."""

    kind: str
    day: str  # local date, YYYY-MM-DD
    account: str  # a mark of the service, the model and the credentials
    dollars: float  # the most that it may cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """How the model's service has fared; `reason` is set while it is not to be asked."""

    failures: int = 0  # in a row
    reason: str | None = None
    until: float | None = None  # seconds since the epoch; None with a reason: until somebody changes something
    mark: str = ""  # of the settings and credentials it was asked with

    def is_open(self, account: str, now: float) -> bool:
        """Whether the service is not to be asked. Another account or other settings begin anew."""
        return self.reason is not None and self.mark == account and (self.until is None or now < self.until)


def circuit_of(kind: str = EXTRACT) -> str:
    """Whose luck with the service counts: all passes share one circuit, a question beside them has its own."""
    return _CIRCUIT if kind in {EXTRACT, DREAM} else f"{_CIRCUIT}:{kind}"


_COUNTED = tuple(one.name for one in fields(Spent) if one.name not in {"day", "project", "kind", "model"})


class Spend(Part):
    """Sums by day, project, kind of pass and model."""

    def spend(self, spent: Spent) -> None:
        """Add to the sums; on the disk before the next request may be sent."""
        with self._write() as db:
            db.execute(_ADD, asdict(spent))

    def reserve(self, estimate: Spent, refuse: Callable[[Day], str | None]) -> str | None:
        """Count a request before it is sent, at what it may cost, unless `refuse` gives a reason against it.

        The day's sums and the entry are one transaction: whoever reserves next sees it. What is never settled, because
        its process died, stays spent. Returns the reason; None: it may be sent.
        """
        with self._write() as db:
            reason = refuse(self.spent_on(estimate.day))
            if reason is None:
                db.execute(_ADD, asdict(estimate))
        return reason

    def settle(self, estimate: Spent, cost: Spent) -> None:
        """Put what a request cost in the place of what was reserved for it: same day, project, kind and model."""
        self.spend(replace(estimate, **{name: getattr(cost, name) - getattr(estimate, name) for name in _COUNTED}))

    def note_refused(self, request: Refused) -> None:
        """Keep what was refused, in the place of the last of its kind."""
        self.set_meta(f"refused:{request.kind}", json.dumps(asdict(request)))

    def refused(self, kind: str) -> Refused | None:
        """What was refused last; None: nothing, or what is written makes no sense."""
        said = self.meta(f"refused:{kind}")
        try:
            return Refused(**json.loads(said)) if said else None
        except (ValueError, TypeError):
            return None

    def spent_on(self, day: str) -> Day:
        """Everything of one local date."""
        row = self._db.execute(
            "SELECT total(dollars), coalesce(sum(passes), 0), coalesce(sum(requests), 0) FROM spend WHERE day = ?",
            (day,),
        ).fetchone()
        return Day(dollars=row[0], passes=row[1], requests=row[2])

    def spent_since(self, day: str) -> tuple[Spent, ...]:
        """The sums from a local date on, oldest first."""
        rows = self._db.execute("SELECT * FROM spend WHERE day >= ? ORDER BY day, project, kind, model", (day,))
        return tuple(Spent(**dict(row)) for row in rows)

    def circuit(self, of: str = _CIRCUIT) -> Circuit:
        """How the service has fared; a closed one where nothing is known, or what is written makes no sense."""
        said = self.meta(of)
        try:
            return Circuit(**json.loads(said)) if said else Circuit()
        except (ValueError, TypeError):
            return Circuit()

    def set_circuit(self, circuit: Circuit, of: str = _CIRCUIT) -> None:
        """Write down how the service fares now."""
        self.set_meta(of, json.dumps(asdict(circuit)))

    def change_circuit(self, change: Callable[[Circuit], Circuit], of: str = _CIRCUIT) -> None:
        """Go on from how the service has fared by now, others' requests included: nobody's failure is lost."""
        with self._write():
            before = self.circuit(of)
            after = change(before)
            if after != before:
                self.set_circuit(after, of)

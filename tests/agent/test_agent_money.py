"""Caps, prices and the circuit, on a real ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent import circuit, money, prices
from memd.agent.meter import Caps, Meter, Usage
from memd.agent.money import Purse
from memd.errors import AuthError, BudgetError, LockedError, MemdError, TooSmallCapError, TransientError
from memd.ledger import Ledger, open_ledger
from memd.ledger.spend import Circuit
from memd.settings import Price, Settings, Spending
from tests.fakes.clock import FakeClock

MODEL = "claude-sonnet-5-5"
BIG = Usage(model=MODEL, requests=1, input_tokens=50_000, output_tokens=1_000)  # 11 cents


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 3, 5, 12, tzinfo=ZoneInfo("Europe/Berlin")))


@pytest.fixture
def ledger(tmp_path: Path, clock: FakeClock) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3", clock) as opened:
        yield opened


@pytest.fixture
def purse(ledger: Ledger, clock: FakeClock) -> Purse:
    return Purse(ledger=ledger, clock=clock, settings=Settings(), account="a", project="/home/me/shop", kind="extract")


def pay(meter: Meter, usage: Usage = BIG) -> None:
    meter.book(usage)(usage)


def with_caps(purse: Purse, caps: Spending) -> Purse:
    return replace(purse, settings=Settings(caps=caps))


def test_dollars_are_tokens_times_prices() -> None:
    usage = Usage(
        model=MODEL,
        requests=1,
        input_tokens=1_000_000,
        cache_read_tokens=1_000_000,
        cache_write_tokens=1_000_000,
        output_tokens=1_000_000,
    )
    assert money.dollars(usage, Settings().prices) == pytest.approx(2 + 0.2 + 2.5 + 10)
    assert money.dollars(replace(usage, model="unheard-of"), Settings().prices) is None


def test_a_pass_is_stopped_at_its_dollars(purse: Purse) -> None:
    meter = money.meter(purse)
    for _ in range(3):
        meter.admit(1)
        pay(meter)
    with pytest.raises(BudgetError, match=r"\$0\.33 of \$0\.25"):
        meter.admit(1)


def test_no_further_request_is_sent_that_could_pass_the_pass_s_dollars(purse: Purse) -> None:
    meter = money.meter(purse)
    assert meter.answer(30_000, 8_192) == 8_192
    pay(meter)
    pay(meter)  # 22 cents
    assert 2_490 <= meter.answer(2_000, 8_192) <= 2_500  # half a cent to ask, and what is left to answer
    with pytest.raises(BudgetError, match=r"has spent \$0\.22 of \$0\.25, and a request may cost \$0\.04"):
        meter.answer(10_000, 8_192)


@pytest.mark.parametrize(("kind", "cap"), [("extract", "pass_dollars = 0.25"), ("dream", "dream_dollars = 0.5")])
def test_a_cap_in_which_the_first_request_has_no_room_is_named(purse: Purse, kind: str, cap: str) -> None:
    meter = money.meter(replace(purse, kind=kind), cap=0.5 if kind == "dream" else None)
    with pytest.raises(TooSmallCapError, match=rf"{cap}, but the first request may cost \$0\.51"):
        meter.within(199_999)


def test_so_is_one_that_never_has_room(purse: Purse) -> None:
    poor = with_caps(purse, Spending(pass_dollars=0.03))
    with pytest.raises(TooSmallCapError, match=r"pass_dollars = 0\.03 has no room for a single request"):
        money.admit(poor)
    assert money.wait(poor) is not None
    assert money.wait(with_caps(purse, Spending(pass_dollars=0.031))) is None


@given(st.lists(st.tuples(st.integers(0, 60_000), st.integers(1, 8_192), st.floats(0, 1)), max_size=20))
def test_whatever_is_answered_a_pass_keeps_to_its_dollars(asked: list[tuple[int, int, float]]) -> None:
    price = prices.of(MODEL, Settings().prices)
    meter = Meter(
        Caps(dollars=0.25),
        price=lambda usage: money.dollars(usage, Settings().prices),
        most=lambda sent, answered: prices.most(price, sent, answered),
    )
    for tokens, longest, share in asked:
        try:
            answer = meter.answer(tokens, longest)
        except BudgetError:
            continue
        usage = Usage(model=MODEL, requests=1, cache_write_tokens=tokens, output_tokens=int(answer * share))
        meter.book(usage)(usage)
    assert (money.dollars(meter.used, Settings().prices) or 0.0) <= 0.25 + 1e-9


@pytest.mark.parametrize(("output", "tokens"), [(10.0, 30_000), (75.0, 1_570), (0.0, 30_000)])
def test_what_a_dear_model_is_shown_leaves_room_for_a_second_request(output: float, tokens: int) -> None:
    price = Price(model=MODEL, input=output / 5, output=output, cache_read=output / 50, cache_write=output / 4)
    settings = Settings(prices=(price,), caps=Spending(pass_dollars=0.4 if output > 10 else 0.25))
    assert money.room(settings) == tokens


def test_a_pass_is_stopped_at_its_tokens_where_there_is_no_price(purse: Purse) -> None:
    meter = money.meter(purse)
    pay(meter, Usage(model="unheard-of", requests=1, input_tokens=199_000, output_tokens=9))
    meter.admit(1_000)
    with pytest.raises(BudgetError, match="200,000 tokens"):
        meter.admit(1_001)


def test_every_request_stands_in_the_ledger_at_once(purse: Purse) -> None:
    meter = money.meter(purse)
    pay(meter)
    pay(meter)
    (spent,) = purse.ledger.spent_since("2026-03-05")
    assert (spent.project, spent.kind, spent.model) == ("/home/me/shop", "extract", MODEL)
    assert (spent.passes, spent.requests, spent.input, spent.unpriced) == (1, 2, 100_000, 0)
    assert spent.dollars == pytest.approx(0.22)


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        (Spending(day_passes=2), "passes were made today"),
        (Spending(day_requests=2), "requests were sent today"),
    ],
    ids=["passes", "requests"],
)
def test_a_spent_day_lets_nothing_begin_until_midnight(
    purse: Purse, clock: FakeClock, caps: Spending, message: str
) -> None:
    poor = with_caps(purse, caps)
    for _ in range(2):
        money.admit(poor)
        pay(money.meter(poor))
    with pytest.raises(BudgetError, match=message):
        money.admit(poor)
    clock.advance(money.seconds_to_tomorrow(clock) + 1)
    money.admit(poor)


def test_no_request_is_sent_that_could_pass_the_day_s_dollars(purse: Purse, clock: FakeClock) -> None:
    poor = with_caps(purse, Spending(day_dollars=0.26))
    first = money.meter(poor).book(BIG)  # at most 13.5 cents, should all of it be written to a cache
    with pytest.raises(BudgetError, match=r"\$0\.14 of \$0\.26 are spent today, and a request may cost \$0\.14"):
        money.meter(poor).book(BIG)
    with pytest.raises(BudgetError, match=r"\$0\.12 are left of today's dollars, and a pass may cost \$0\.2"):
        money.meter(poor).within(40_000)  # it would end in its middle
    money.admit(poor)  # a shorter one has room
    first(BIG)  # 11 cents
    money.admit(poor)
    money.meter(poor).book(BIG)
    assert poor.ledger.spent_on(poor.day).dollars <= 0.26
    clock.advance(money.seconds_to_tomorrow(clock) + 1)
    money.admit(poor)


def test_a_day_s_cap_in_which_no_request_has_room_says_so_until_it_is_raised(purse: Purse) -> None:
    poor = with_caps(purse, Spending(day_dollars=0.03))
    assert prices.too_small(poor.settings) == (
        "[caps] day_dollars = 0.03 has no room for a single request, which may cost $0.03"
    )
    assert money.wait(poor) is not None
    assert money.wait(with_caps(purse, Spending(day_dollars=0.2))) is None


def test_a_pass_for_which_no_day_has_room_names_the_cap_and_stops_nobody_else(purse: Purse) -> None:
    poor = with_caps(purse, Spending(day_dollars=0.1))
    with pytest.raises(TooSmallCapError, match=r"day_dollars = 0\.1, but the first request may cost \$0\.14"):
        money.meter(poor).within(50_000)
    assert money.wait(poor) is None
    assert money.room(poor.settings) < money.room(Settings())
    assert money.room(Settings(), spent=1.95) < money.room(Settings())


def test_what_found_no_room_is_tried_again_where_there_is_more(purse: Purse, clock: FakeClock) -> None:
    assert money.has_more(purse)
    settle = money.meter(purse).book(BIG)
    money.put_off(purse)
    assert not money.has_more(purse)
    assert money.has_more(with_caps(purse, Spending(day_dollars=3.0)))
    settle(BIG)
    assert money.has_more(purse)
    money.put_off(purse)
    clock.advance(86_400)
    assert money.has_more(purse)


def test_a_model_without_a_price_is_not_held_up_by_dollars(purse: Purse) -> None:
    poor = replace(purse, settings=Settings(caps=Spending(day_dollars=0.01), prices=()))
    pay(money.meter(poor), replace(BIG, model="unheard-of"))
    assert money.wait(poor) is None


def test_the_last_pass_of_a_day_may_finish(purse: Purse) -> None:
    poor = with_caps(purse, Spending(day_passes=1))
    meter = money.meter(poor)
    meter.admit(1)
    pay(meter)
    meter.admit(1)


def test_a_day_that_runs_out_stops_the_pass_under_way(purse: Purse) -> None:
    poor = with_caps(purse, Spending(day_requests=2, pass_dollars=9.0))
    meter, other = money.meter(poor), money.meter(poor)
    pay(meter)
    pay(other)
    with pytest.raises(BudgetError, match="requests were sent today"):
        meter.admit(1)


@pytest.mark.parametrize(
    ("start", "hours"), [("2026-03-29T00:30", 22.5), ("2026-10-25T00:30", 24.5), ("2026-03-05T00:30", 23.5)]
)
def test_tomorrow_comes_when_the_local_date_changes(start: str, hours: float, monkeypatch: pytest.MonkeyPatch) -> None:
    import time  # noqa: PLC0415 - the zone is set for this test alone

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        local = FakeClock(datetime.fromisoformat(start).astimezone())
        assert money.seconds_to_tomorrow(local) == hours * 3600
    finally:
        monkeypatch.undo()
        time.tzset()


def ask(purse: Purse, answer: Usage | MemdError) -> None:
    def asked() -> Usage:
        if isinstance(answer, MemdError):
            raise answer
        return answer

    try:
        money.asking(purse, asked)
    except MemdError as error:
        assert error is answer  # noqa: PT017 - both ways are right here


def test_refused_credentials_close_the_door_until_they_change(purse: Purse, clock: FakeClock) -> None:
    ask(purse, AuthError("refused"))
    clock.advance(30 * 86_400)
    with pytest.raises(AuthError):
        money.admit(purse)
    money.admit(replace(purse, account="b"))


def test_a_named_time_is_waited_for(purse: Purse, clock: FakeClock) -> None:
    ask(purse, TransientError("busy", retry_after=7_200))
    clock.advance(7_000)
    with pytest.raises(TransientError) as caught:
        money.admit(purse)
    assert caught.value.retry_after == pytest.approx(200)
    clock.advance(201)
    money.admit(purse)


@pytest.mark.parametrize(
    "failure",
    [TransientError("down"), MemdError("400"), Usage(model=MODEL, requests=1, output_tokens=2)],
    ids=["unreachable", "does not take the request", "tiny answer"],
)
def test_five_failures_in_a_row_are_enough_for_an_hour(
    purse: Purse, clock: FakeClock, failure: Usage | MemdError
) -> None:
    for _ in range(4):
        ask(purse, failure)
        money.admit(purse)
    ask(purse, failure)
    with pytest.raises(TransientError, match="5 times in a row"):
        money.admit(purse)
    clock.advance(3_601)
    money.admit(purse)
    ask(purse, failure)
    with pytest.raises(TransientError, match="6 times"):  # one try was enough to see
        money.admit(purse)


def test_an_answer_in_between_counts_anew(purse: Purse) -> None:
    down: list[Usage | MemdError] = [TransientError("down")] * 4
    for answer in (*down, BIG, *down):
        ask(purse, answer)
    money.admit(purse)


def test_what_was_not_asked_says_nothing_about_the_service() -> None:
    before = Circuit(failures=3, mark="a")
    assert circuit.after_error(before, BudgetError("spent"), "a", 0.0) == before
    assert circuit.after_answer(before, Usage(), "a", 0.0) == before


@given(
    st.lists(
        st.sampled_from(
            [TransientError("x"), TransientError("x", retry_after=60), AuthError("x"), LockedError("x"), BIG]
        )
    )
)
def test_the_circuit_is_never_open_after_an_answer(answers: list[Usage | MemdError]) -> None:
    state, now = Circuit(), 0.0
    for answer in answers:
        now += 1
        if isinstance(answer, MemdError):
            state = circuit.after_error(state, answer, "a", now)
        else:
            state = circuit.after_answer(state, answer, "a", now)
            assert not state.is_open("a", now)
        if isinstance(answer, AuthError):
            assert state.is_open("a", now + 1e9)


def test_a_broken_note_about_the_circuit_is_no_trouble(ledger: Ledger) -> None:
    ledger.set_circuit(Circuit(reason="x", mark="a"))
    assert ledger.circuit().reason == "x"
    ledger._db.execute("UPDATE meta SET value = '[' WHERE name = 'circuit'")  # noqa: SLF001 - damage
    assert ledger.circuit() == Circuit()

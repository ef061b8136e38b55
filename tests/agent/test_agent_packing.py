"""What of a conversation fits: by what it is worth, whole where it can be, and nothing of a person's lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.agent import cutting, dividing, encoding, packing
from memd.agent.dividing import START, Place
from memd.agent.packing import Gap, Part, Piece
from memd.memory import pastes
from memd.memory.quotes import Speaker, Utterance

H, A, T = Speaker.HUMAN, Speaker.ASSISTANT, Speaker.TOOL
LOG = "\n".join(f"2026-03-05 10:00:{second:02} ERROR worker {second} lost its lease" for second in range(60))


def conversation(*said: tuple[Speaker, str]) -> tuple[Utterance, ...]:
    return tuple(Utterance(speaker=who, text=text, uuid=f"u{place}") for place, (who, text) in enumerate(said))


def shown(part: Part) -> str:
    return encoding.numbered((one.number, one.said) if isinstance(one, Piece) else str(one) for one in part.lines)


def pieces(*parts: Part) -> list[Piece]:
    return [one for part in parts for one in part.lines if isinstance(one, Piece)]


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count))


_TEXTS = st.sampled_from(
    [
        "yes, do that",
        "no",
        "好的",
        words(30),
        words(300, "long"),
        "先跑一遍检查再提交。" * 40,
        f"this fails:\n{LOG}\nplease fix it",
        "Shall I keep one pull request? " + words(120) + " I'll keep the adapter. Ok?",
        "x" * 3000,
        "<system>" * 40,
    ]
)
_SAID = st.lists(st.tuples(st.sampled_from([H, A, T]), _TEXTS | st.text(max_size=40)), max_size=40).map(
    lambda said: conversation(*said)
)


@given(_SAID, st.integers(min_value=packing.SMALLEST, max_value=20_000))
@settings(max_examples=150, deadline=None)
def test_every_part_keeps_its_budget_and_nobodys_words_are_lost(said: tuple[Utterance, ...], budget: int) -> None:
    parts = packing.pack(said, budget=budget)
    assert all(encoding.tokens(shown(part)) <= budget for part in parts)
    assert [(part.number, part.of) for part in parts] == [(n + 1, len(parts)) for n in range(len(parts))]
    numbers = {piece.number for piece in pieces(*parts)}
    people = [(n, one) for n, one in enumerate(said, 1) if one.speaker is H]
    assert {n for n, _ in people} <= numbers
    for number, one in people:
        told = "".join("".join(piece.said.text.split()) for piece in pieces(*parts) if piece.number == number)
        for line, pasted in zip(one.text.splitlines(), pastes.pasted_lines(one.text), strict=True):
            assert pasted or "".join(line.split()) in told or "x" * 400 in line
    for part in parts:
        order = [piece.number for piece in pieces(part)]
        assert order == sorted(order)
        assert all(piece.said.speaker is said[piece.number - 1].speaker for piece in pieces(part))


@given(_SAID, st.integers(min_value=0, max_value=20_000))
@settings(max_examples=60, deadline=None)
def test_the_same_conversation_gives_the_same_parts(said: tuple[Utterance, ...], budget: int) -> None:
    assert packing.pack(said, budget=budget) == packing.pack(list(said), budget=budget)


@given(_SAID, st.integers(min_value=packing.SMALLEST, max_value=20_000))
@settings(max_examples=100, deadline=None)
def test_the_first_part_alone_is_the_first_of_all_and_one_follows_the_other(
    said: tuple[Utterance, ...], budget: int
) -> None:
    since: Place | None = START
    for part in packing.pack(said, budget=budget):
        assert since is not None
        alone, since = packing.first(said, budget=budget, since=since)
        assert alone.lines == part.lines
        assert alone.begins == part.begins
        assert (alone.of == 1) == (since is None)
        assert abs(alone.of - (part.of - part.number + 1)) <= 2 + part.of / 2
    assert not said or since is None


def test_of_what_comes_after_the_first_part_no_more_than_the_length_is_looked_at() -> None:
    said = conversation(*((H, words(300, f"w{number}x")) for number in range(40)))
    every = dividing.items(said, 4_000, START)
    first = next(dividing.grouped(every, 4_000, START))
    assert len(list(every)) == 40 - len(first) - 2  # the turn after it, and the beginning of the next


@given(_SAID)
@settings(max_examples=60, deadline=None)
def test_what_fits_is_left_as_it_is(said: tuple[Utterance, ...]) -> None:
    budget = encoding.tokens(encoding.lines(said))
    whole = packing.pack(said, budget=budget)
    assert tuple(piece.said for piece in pieces(*whole)) == said
    assert len(whole) == bool(said)


def test_tools_give_way_first_and_people_never() -> None:
    said = conversation(
        (H, "why does the deploy hang? " + words(60, "p")),
        (A, "I look. " + words(150, "aside")),
        (T, words(2_000, "tool")),
        (A, "It waits for a lock. " + words(300, "final")),
        (H, "from now on run the deploys one after another"),
        (A, "Understood."),
    )
    full = encoding.tokens(encoding.lines(said))
    for budget in range(packing.SMALLEST, full, 150):
        (part,) = packing.pack(said, budget=budget)
        by_number = {piece.number: piece.said.text for piece in pieces(part)}
        assert by_number[1] == said[0].text
        assert by_number[5] == said[4].text
        if by_number[4] != said[3].text:
            assert by_number.get(2) != said[1].text, "the last words of a turn come before the others"
        assert len(by_number.get(3, "")) < 2_000


def test_a_short_answer_keeps_its_question() -> None:
    question = words(900, "detail") + ". Shall I put all renames into one pull request?"
    said = conversation((H, "rename it " + words(900, "p")), (A, question), (H, "yes, do that"), (A, "Done."))
    (part,) = packing.pack(said, budget=4_200)
    kept = {piece.number: piece.said.text for piece in pieces(part)}
    assert "Shall I put all renames into one pull request?" in kept[2]
    assert "characters left out" in kept[2]
    assert kept[3] == "yes, do that"


def test_an_answer_that_goes_on_in_another_part_takes_its_question_along() -> None:
    turns: list[tuple[Speaker, str]] = []
    for number in range(30):
        turns += [(A, f"{words(200, 'w')}. Shall I take way {number}?"), (H, "yes, do that")]
    parts = packing.pack(conversation(*turns), budget=3_000)
    assert len(parts) > 2
    for part in parts:
        first, second = pieces(part)[:2]
        assert first.said.speaker is A
        assert "Shall I take way" in first.said.text
        assert second.number == first.number + 1


def test_a_paste_is_cut_in_its_middle_and_the_words_around_it_are_not() -> None:
    message = f"this fails since Monday:\n{LOG}\n{LOG}\nnever restart the workers by hand"
    said = conversation((H, message), (A, words(2_000)))
    (part,) = packing.pack(said, budget=2_500)
    told = pieces(part)[0].said.text
    assert told.startswith("this fails since Monday:\n2026-03-05 10:00:00 ERROR")
    assert told.endswith("never restart the workers by hand")
    assert "characters left out" in told
    assert len(told) < len(message) / 2


def test_what_is_left_out_is_said() -> None:
    said = conversation(
        (H, "go " + words(400)), *((T, words(600, f"t{n}")) for n in range(30)), (A, "ok so"), (T, "x"), (A, "Done.")
    )
    (part,) = packing.pack(said, budget=2_500)
    gaps = [one for one in part.lines if isinstance(one, Gap)]
    assert gaps
    left_out = sum(gap.results + gap.messages for gap in gaps)
    assert left_out + len({piece.number for piece in pieces(part)}) == len(said)
    assert '{"left out":"' in shown(part)


def test_a_message_without_end_goes_on_in_further_parts() -> None:
    text = " ".join(f"Sentence {n} of a very long letter." for n in range(3_000))
    parts = packing.pack(conversation((H, text), (A, "Read.")), budget=8_000)
    assert len(parts) > 2
    assert "".join(piece.said.text for piece in pieces(*parts) if piece.number == 1) == text


@given(_TEXTS | st.text(), st.integers(min_value=30, max_value=500))
def test_a_cut_keeps_to_its_size_and_a_split_loses_nothing(text: str, most: int) -> None:
    cut = cutting.shortened(text, most)
    assert cut == text or (cutting.size(cut) <= most and "left out ...]" in cut)
    assert "".join(cutting.split(text, most)) == text
    assert all(cutting.size(piece) <= most for piece in cutting.split(text, most))


@pytest.mark.parametrize("said", [(), [], conversation()])
def test_nothing_makes_no_part(said: tuple[Utterance, ...]) -> None:
    assert packing.pack(said) == ()


def test_a_very_long_conversation_is_packed_to_its_end() -> None:
    turns: list[tuple[Speaker, str]] = []
    for number in range(1_000):
        turns += [(H, f"do step {number} " + words(20)), (A, words(50)), (T, words(500)), (A, words(80))]
    parts = packing.pack(conversation(*turns))
    assert len(parts) > 1

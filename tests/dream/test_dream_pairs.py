"""What is compared at all: nothing that is one fact is left out, and many statements take no longer than they must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memd.agent.offline.dreaming import alike, merging, pairs
from memd.agent.offline.dreaming.pages import Page
from memd.dream import guard
from memd.memory import topic, words
from memd.memory.quotes import EvidenceClass
from memd.memory.sameness import Sameness
from memd.memory.topic import TopicType

WORDS = [
    *("keep", "upload", "uploads", "uploading", "retry", "retries", "parallel", "billing", "service", "services"),
    *(
        "at",
        "most",
        "3",
        "5",
        "17",
        "not",
        "never",
        "don't",
        "always",
        "the",
        "is",
        "it",
        "so",
        "it’s",
        "now",
        "instead",
    ),
    *("`lint`", "a_b", "make", "lint", "test", "Monday", "English", "Deploys", "deploy", "2026-03-01"),
    *("日志", "用英文写日志", "不要"),
]
STATEMENTS = st.builds(
    lambda said, end: " ".join(said) + end,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
    st.sampled_from(["", ".", "!", "。"]),
)
BASE = st.lists(st.sampled_from(WORDS), min_size=3, max_size=9)


@st.composite
def near_alike(draw: st.DrawFn) -> list[str]:
    """A few statements, most of them one with a word changed, left out or added."""
    base, found = draw(BASE), []
    for _ in range(draw(st.integers(2, 12))):
        said = list(base)
        for _ in range(draw(st.integers(0, 2))):
            place = draw(st.integers(0, len(said)))
            said[place : place + draw(st.integers(0, 1))] = draw(st.lists(st.sampled_from(WORDS), max_size=1))
        found.append(" ".join(said) + draw(st.sampled_from(["", "."])))
    return found + draw(st.lists(STATEMENTS, max_size=4))


def is_other(one: str, other: str) -> bool:
    return alike.judge(one, other) is alike.judge(other, one) is Sameness.OTHER


@settings(max_examples=150)
@given(near_alike())
@example(["it is so", "so is it"])
@example(["", ""])
@example(["`lint` lint keep", "`lint` 3 keep"])
@example(["`lint` keep keep keep", "lint keep keep keep"])
def test_what_is_not_compared_is_something_else(said: list[str]) -> None:
    found = list(pairs.neighbours(said))
    assert found == sorted(set(found), key=lambda pair: (pair[1], pair[0]))
    assert all(first < second for first, second in found)
    left_out = set(every(said)) - set(found)
    assert all(is_other(said[one], said[other]) for one, other in left_out)


def every(said: Sequence[str]) -> list[tuple[int, int]]:
    return [(one, other) for other in range(len(said)) for one in range(other)]


def page(number: int, text: str) -> Page:
    return Page(
        path=f"{number:04}.md", data=b"there", kind=TopicType.FEEDBACK, name="a", description=text,
        body=topic.body(text), at=float(number % 7), evidence_class=EvidenceClass.HUMAN,
    )  # fmt: skip


@settings(max_examples=60)
@given(near_alike())
def test_topics_are_merged_as_if_each_were_compared_with_each(said: list[str]) -> None:
    said = [text for text in said if text.strip(".")]
    quick, plain = ([page(number, text) for number, text in enumerate(said)] for _ in range(2))
    assert list(merging.merge(quick)) == list(merging.merge(plain, near=every))
    assert [(one.path, one.gone, one.body) for one in quick] == [(one.path, one.gone, one.body) for one in plain]


def test_of_two_thousand_that_look_alike_few_are_compared() -> None:
    things = [
        "retries",
        "uploads",
        "crates",
        "reports",
        "invoices",
        "carriers",
        "schemas",
        "caches",
        "workers",
        "queues",
    ]
    said = [
        f"Bound the number of parallel {things[number % 10]} for the {things[number // 10 % 10]} service at {number}"
        for number in range(2_000)
    ]
    assert len(list(pairs.neighbours(said))) < 2_000 * 100


def plain_survivor(path: str, data: bytes, after: Mapping[str, bytes]) -> str | None:
    """The same without any index."""
    old = topic.parse(data)
    lines = [old.description, old.body.strip()]  # of one line each
    best: tuple[float, str] | None = None
    for other, text in after.items():
        new = topic.parse(text)
        there = words.content_words(f"{new.name.replace('-', ' ')}\n{new.description}\n{new.body}")
        kept = sum(
            len(line.encode())
            for line in lines
            if len(words.content_words(line) & there) >= 0.7 * len(words.content_words(line))
        )
        share = kept / max(sum(len(line.encode()) for line in lines), 1)
        if other != path and new.type == old.type and 2 * share > 1 and (best is None or (-share, other) < best):
            best = (-share, other)
    return None if best is None else best[1]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md", "d.md"]), STATEMENTS, min_size=2), st.booleans())
def test_the_survivor_is_the_one_that_holds_most(texts: dict[str, str], is_project: bool) -> None:  # noqa: FBT001
    files = {
        path: topic.render(
            path[0], text, TopicType.PROJECT if is_project and path == "b.md" else TopicType.FEEDBACK, text
        )
        for path, text in texts.items()
    }
    for path, data in files.items():
        after = {other: text for other, text in files.items() if other != path}
        assert guard.survivor(path, data, after) == plain_survivor(path, data, after)
        assert guard.survivor(path, data, files) == plain_survivor(path, data, files)

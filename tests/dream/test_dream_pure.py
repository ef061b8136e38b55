"""The rules without a disk: what is alike, what is over, what is lost, what an account says."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.agent import fates
from memd.agent.fates import Claim, Fate
from memd.agent.offline.dreaming import alike, over
from memd.dream import backlog, guard, tidy
from memd.memory import index_lines, topic
from memd.memory.sameness import Sameness
from memd.memory.topic import TopicType
from memd.memory.topic_header import TopicHeader

TODAY = date(2026, 4, 1)
WORDS = st.lists(st.sampled_from(["deploy", "crates", "uploads", "tests", "3", "5", "not", "`lint`", "日志", "before"]),
                 min_size=1, max_size=8).map(" ".join)  # fmt: skip


def data(text: str, kind: TopicType = TopicType.FEEDBACK) -> bytes:
    return topic.render("name", text, kind, topic.body(text))


@given(WORDS)
def test_a_text_says_itself(text: str) -> None:
    assert alike.judge(text, text) is Sameness.SAID


@given(WORDS, WORDS)
def test_two_that_differ_in_a_number_a_name_or_a_denial_are_never_merged(one: str, other: str) -> None:
    def signs(text: str) -> tuple[int, set[str]]:
        return text.split().count("not"), set(text.split()) & {"3", "5", "`lint`"}

    if signs(one) != signs(other):
        assert alike.judge(one, other) in {Sameness.OTHER, Sameness.DIFFERENT}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Merges to main are frozen until 2026-03-01", date(2026, 3, 1)),
        ("The demo for Acme is on 2026-03-02", date(2026, 3, 2)),
        ("国庆前必须上线导出，截止 2026-03-10", date(2026, 3, 10)),
        ("2026年3月1日 之前 完成迁移", date(2026, 3, 1)),
        ("Merges to main are frozen until 2026-03-25", None),  # two weeks of grace
        ("Merges are frozen from 2026-03-01 until 2026-05-01", None),
        ("On 2026-01-10 we decided to release weekly", None),
        ("Since 2026-01-10 every release is signed", None),
        ("The outage of 2026-01-10 came from a full disk, before the release", None),
        ("从 2026-01-10 起一律走新的发布流程", None),
        ("Release notes are in the wiki", None),
        ("Merges are frozen until 2026-13-77", None),
    ],
)
def test_what_is_over(text: str, day: date | None) -> None:
    assert over.over(text, TODAY) == day


def test_what_is_lost_counts_what_no_other_topic_says() -> None:
    before = {f"{name}.md": data(f"Ship the {name} on Mondays") for name in ("crates", "boxes", "bags", "bottles")}
    assert guard.loss(before, before).topics == 0
    merged = {"all.md": data("Ship the crates, the boxes, the bags and the bottles on Mondays")}
    assert guard.loss(before, merged).topics == 0
    assert not guard.loss(before, {path: one for path, one in before.items() if path != "bags.md"}).is_too_much
    assert guard.loss(before, {"bags.md": before["bags.md"]}).is_too_much
    assert guard.loss(before, {}).topics == 4


def test_with_two_topics_nothing_is_too_much_and_another_type_keeps_nothing() -> None:
    before = {"a.md": data("Ship the crates on Mondays"), "b.md": data("Ship the boxes on Fridays")}
    assert not guard.loss(before, {}).is_too_much
    assert (
        guard.survivor("a.md", before["a.md"], {"c.md": data("Ship the crates on Mondays", TopicType.PROJECT)}) is None
    )
    assert guard.survivor("a.md", before["a.md"], {"c.md": data("Ship the crates on Mondays!")}) == "c.md"


@given(st.dictionaries(st.sampled_from("abcdef"), WORDS, max_size=6), st.sets(st.sampled_from("abcdef")))
def test_a_loss_is_never_more_than_there_was(texts: dict[str, str], gone: set[str]) -> None:
    before = {f"{name}.md": data(text) for name, text in texts.items()}
    lost = guard.loss(before, {path: one for path, one in before.items() if path[0] not in gone})
    assert 0 <= lost.topics <= lost.of_topics == len(before)
    assert 0 <= lost.bytes <= lost.of_bytes


CLAIMS = st.builds(
    lambda fate, number, into, why: Claim(fate=fate, number=number, into=into, why=why),
    st.sampled_from([Fate.DISTILLED, Fate.MERGED, Fate.DROPPED]),
    st.integers(1, 999),
    st.none() | st.sampled_from(["feedback_a.md", "project_b.md"]),
    st.sampled_from(["", "said once", "over"]),
)


@given(st.lists(CLAIMS, unique_by=lambda claim: claim.number))
def test_an_account_is_read_as_it_was_written(claims: list[Claim]) -> None:
    assert fates.parse(fates.render(claims).encode()) == tuple(claims)


@given(st.binary(max_size=300))
def test_any_bytes_are_an_account(raw: bytes) -> None:
    for claim in fates.parse(raw):
        assert (claim.number is None) != (claim.path is None)


def test_of_two_claims_about_one_note_the_last_counts() -> None:
    raw = b"- [dropped] 1: known\n* [distilled] 1 -> feedback_a.md\nprose\n- [removed] 2\n- [removed] a.md: over\n"
    assert fates.parse(raw) == (
        Claim(fate=Fate.DISTILLED, number=1, into="feedback_a.md"),
        Claim(fate=Fate.REMOVED, path="a.md", why="over"),
    )


@given(st.text(max_size=40))
def test_any_cursor_is_read_or_begins_anew(text: str) -> None:
    assert isinstance(backlog.loads(text), backlog.Cursor)


def test_a_cursor_survives_the_ledger() -> None:
    cursor = backlog.Cursor(logs={"logs/x.md": backlog.Seen(size=3, digest="ab")}, carried={"x": 2}, aside=("y", "z"))
    assert backlog.loads(backlog.dumps(cursor)) == cursor


@given(st.lists(st.sampled_from(["# Ours", "prose", "", "- [A](a.md) — " + "long " * 60, "- [B](b.md) — x",
                                 "- [Gone](gone.md) — y", "- [A](a.md) — again"]), max_size=12))  # fmt: skip
def test_a_tidied_index_is_tidy_and_keeps_what_people_wrote(rows: list[str]) -> None:
    headers = [
        TopicHeader(path=f"{name}.md", name=name, description="d", type=TopicType.USER, mtime=1.0) for name in "ab"
    ]
    once = tidy.tidied("\n".join(rows).encode(), headers, set())
    assert tidy.tidied(once, headers, set()) == once
    lines = once.decode().splitlines()
    entries = [entry for line in lines if (entry := index_lines.parse_line(line))]
    assert sorted(entry.path for entry in entries) == ["a.md", "b.md"]
    assert all(len(line) <= 150 for line in lines if index_lines.parse_line(line))
    assert [line for line in lines if line in {"# Ours", "prose"}] == [
        row for row in rows if row in {"# Ours", "prose"}
    ]

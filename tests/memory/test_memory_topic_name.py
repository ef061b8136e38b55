"""File names of new topics."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.topic import TopicType
from memd.memory.topic_name import filename


@pytest.mark.parametrize(
    ("kind", "title", "expected"),
    [
        (TopicType.FEEDBACK, "No DB mocks!", "feedback_no_db_mocks.md"),
        (TopicType.USER, "Café, don't", "user_cafe_dont.md"),
        (TopicType.PROJECT, "ＦＵＬＬ width", "project_full_width.md"),
        (TopicType.PROJECT, "Réunion à 5h", "project_reunion_a_5h.md"),
        (TopicType.FEEDBACK, "提交之前先跑测试", "feedback_ti_jiao_zhi_qian_xian_pao_ce_shi.md"),
        (TopicType.FEEDBACK, "数据库不要用 mock", "feedback_shu_ju_ku_bu_yao_yong_mock.md"),
        (TopicType.USER, "Привет мир", "user_privet_mir.md"),
        (TopicType.REFERENCE, "a" * 100, f"reference_{'a' * 48}.md"),
        (TopicType.PROJECT, "word " * 30, f"project_{'_'.join(['word'] * 9)}.md"),
    ],
)
def test_names_are_readable(kind: TopicType, title: str, expected: str) -> None:
    assert filename(kind, title) == expected


def test_titles_that_cannot_be_spelled_get_a_stable_mark() -> None:
    name = filename(TopicType.FEEDBACK, "\U0001f9ea\ue000 pytest")
    assert filename(TopicType.FEEDBACK, " \U0001f9ea\ue000  PYTEST ") == name
    assert re.fullmatch(r"user_[0-9a-f]{8}\.md", filename(TopicType.USER, "!!!"))
    assert filename(TopicType.FEEDBACK, "先跑 pytest") == filename(TopicType.FEEDBACK, " 先跑  PYTEST ")
    assert filename(TopicType.FEEDBACK, "先跑 pytest") != filename(TopicType.FEEDBACK, "不要跑 pytest")


@given(title=st.text(max_size=120), kind=st.sampled_from(TopicType), clashes=st.integers(0, 12))
def test_names_are_legal_and_new(title: str, kind: TopicType, clashes: int) -> None:
    taken: list[str] = []
    for _ in range(clashes + 1):
        name = filename(kind, title, taken)
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}\.md", name)
        assert name not in taken
        taken.append(name)

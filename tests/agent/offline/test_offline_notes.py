"""How a rule stands in its note: whole, with its own reason or none, and named after what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent.offline import sentences
from memd.memory.topic import Topic

Save = Callable[..., dict[str, Topic]]


@pytest.mark.parametrize(
    ("text", "statement", "name"),
    [
        (
            "One more thing before I go: whenever you bump the version, also update the Helm chart, I forgot it twice",
            "Whenever you bump the version, also update the Helm chart.",
            "feedback_update_helm_chart.md",
        ),
        (
            "oh and whenever you touch the schema, also regenerate the client, from now on",
            "Whenever you touch the schema, also regenerate the client.",
            "feedback_regenerate_client.md",
        ),
        (
            "I've told you three times: use pnpm in this repo, never npm",
            "Use pnpm in this repo, never npm.",
            "feedback_use_pnpm_in_repo.md",
        ),
        (
            "from now on always spell the product name ShopKit, marketing insists on it",
            "Always spell the product name ShopKit.",
            "feedback_spell_product_name_shopkit.md",
        ),
        (
            "Correction: from now on we deploy on Thursdays only",
            "We deploy on Thursdays only.",
            "feedback_deploy_on_thursdays_only.md",
        ),
    ],
)
def test_a_rule_is_whole_and_without_its_lead(text: str, statement: str, name: str, save: Save) -> None:
    ((path, saved),) = save(text).items()
    assert saved.body.split("\n")[0] == statement
    assert path == name


@pytest.mark.parametrize(
    "text",
    [
        "whenever you bump the version, also update the chart",
        "改接口的时候，顺便把文档也更新一下",
        "每次升版本，顺便更新一下 Helm chart",
    ],
)
def test_a_condition_is_not_cut_off(text: str) -> None:
    assert [one.text for one in sentences.split(text)] == [text]


@pytest.mark.parametrize(
    "text", ["use tabs in go files, also run the linter first", "提交信息用英文，顺便把测试也补上"]
)
def test_another_point_still_is(text: str) -> None:
    assert len(sentences.split(text)) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("remember: all prices are in cents, never floats", "not stated"),
        ("always use pnpm please, never npm, as I keep saying", "not stated"),
        ("我说过很多次了，变量名不要用拼音", "not stated"),
        (
            "keep pull requests small from now on - reviewing your 40-file ones is a pain",
            "Reviewing your 40-file ones is a pain.",
        ),
        ("以后变量名不要用拼音！外包看不懂", "外包看不懂。"),
        ("客户那边都用老版 Excel，所以导出的 CSV 必须带 BOM，记住这一点", "客户那边都用老版 Excel。"),
        ("客户那边都用老版 Excel，导出的 CSV 必须带 BOM，记住", "客户那边都用老版 Excel。"),
        (
            "remember: the legacy client chokes on nulls, so always send empty strings",
            "The legacy client chokes on nulls.",
        ),
    ],
)
def test_a_reason_is_one_or_none_is_stated(text: str, why: str, save: Save) -> None:
    (saved,) = save(text).values()
    assert f"**Why:** {why}\n" in saved.body


def test_what_follows_from_a_reason_names_the_rule(save: Save) -> None:
    (saved,) = save("客户那边都用老版 Excel，所以导出的 CSV 必须带 BOM，记住这一点").values()
    assert saved.name == "导出的 CSV 必须带 BOM"
    assert saved.description == "导出的 CSV 必须带 BOM；客户那边都用老版 Excel"
    assert saved.body.startswith("导出的 CSV 必须带 BOM。\n")

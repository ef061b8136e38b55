"""What no longer holds gives way: to its opposite, to a correction, to a request to forget it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.memory.topic import Topic, TopicType
from memd.memory.workspace import Workspace

Save = Callable[..., dict[str, Topic]]
TUESDAYS = "remember: deploy on Tuesdays only, ops isn't around the rest of the week"


@pytest.mark.parametrize(
    ("before", "after", "statement", "name", "why"),
    [
        (
            "导出的 CSV 必须带 BOM，记住",
            "老客户已经换了新版 Excel，以后导出的 CSV 不用带 BOM 了",
            "导出的 CSV 不用带 BOM 了。",
            "导出的 CSV 不用带 BOM 了",
            "老客户已经换了新版 Excel。",
        ),
        (
            TUESDAYS,
            "Correction: we deploy on Thursdays now, not Tuesdays.",
            "We deploy on Thursdays now, not Tuesdays.",
            "deploy-on-thursdays",
            "not stated",
        ),
        (
            TUESDAYS,
            "Correction: from now on we deploy on Thursdays only",
            "We deploy on Thursdays only.",
            "deploy-on-thursdays-only",
            "not stated",
        ),
    ],
)
def test_the_opposite_takes_its_place(before: str, after: str, statement: str, name: str, why: str, save: Save) -> None:
    (path,) = save(before)
    ((same, saved),) = save(after).items()
    assert same == path
    assert saved.name == name
    assert saved.body.split("\n\n")[:2] == [statement, f"**Why:** {why}"]


def test_the_index_shows_the_new_rule(save: Save, space: Workspace) -> None:
    save(TUESDAYS)
    save("Correction: we deploy on Thursdays now, not Tuesdays.")
    index = (space.memory / "MEMORY.md").read_text(encoding="utf-8")
    assert index == "- [Deploy on Thursdays](feedback_deploy_on_tuesdays_only.md) — now, not Tuesdays\n"


def test_a_title_that_somebody_gave_stays(save: Save, space: Workspace) -> None:
    save(TUESDAYS)
    index = space.memory / "MEMORY.md"
    index.write_text("- [Deploys](feedback_deploy_on_tuesdays_only.md) — mine\n", encoding="utf-8")
    save("Correction: we deploy on Thursdays now, not Tuesdays.")
    assert index.read_text(encoding="utf-8").startswith("- [Deploys](feedback_deploy_on_tuesdays_only.md) — ")


def test_where_things_are_is_news_too(save: Save) -> None:
    (path,) = save("Bugs are tracked in Linear, project SHOP: https://linear.app/acme/shop")
    ((same, saved),) = save("we're not in Linear anymore; we moved to Jira (project SHOP) last week").items()
    assert (same, saved.type) == (path, TopicType.REFERENCE)
    assert saved.body == "We're not in Linear anymore. We moved to Jira (project SHOP) last week."
    assert saved.name == "moved-to-jira-project-shop"


@pytest.mark.parametrize(
    "other",
    [
        "from now on never use npm in the docs folder",
        "remember: all weights are in grams, never floats",
        "I'm not on call any more",
    ],
)
def test_another_rule_stands_beside_it(other: str, save: Save) -> None:
    (path,) = save("remember: all prices are in cents, never floats")
    before = save("thanks")[path].body
    assert save(other)[path].body == before


@pytest.mark.parametrize(
    ("rule", "request_"),
    [
        (
            "remember: always run make e2e before you push, CI doesn't run it",
            "forget the make e2e rule, we don't have e2e tests any more",
        ),
        ("以后提交信息必须用中文，客户要看", "把提交信息那条规则忘了吧，客户换人了"),
    ],
)
def test_asked_to_forget_it_is_gone(rule: str, request_: str, save: Save, space: Workspace) -> None:
    assert len(save(rule)) == 1
    assert save(request_) == {}
    assert "](" not in (space.memory / "MEMORY.md").read_text(encoding="utf-8")


def test_a_request_that_two_memories_answer_takes_out_neither(save: Save) -> None:
    save("remember: always run make e2e before you push")
    there = save("from now on the nightly make e2e report goes to the qa channel, always")
    if len(there) == 1:
        pytest.fail("two memories are needed")
    assert set(save("forget the make e2e rule")) == set(there)


def test_another_rule_in_its_place_is_kept(save: Save) -> None:
    save("remember: always run make e2e before you push")
    (saved,) = save("forget the make e2e rule, always run make unit before you push instead").values()
    assert "make unit" in saved.body

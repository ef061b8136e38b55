"""A weekday in a rule comes again every week; in news it is one day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from memd.agent.offline import dates
from memd.memory.topic import Topic, TopicType

TUESDAY = date(2026, 5, 12)

Save = Callable[..., dict[str, Topic]]

EVERY_WEEK = (
    "remember: no releases on Friday, nobody is on call at the weekend",
    "from now on never merge on Friday afternoon",
    "only deploy on Tuesday",
    "don't push to main on Friday",
    "we always release on Thursday",
    "always send me the summary by Friday",
    "no deploys on Fri please",
    "from now on, deploy Monday to Thursday",
    "nobody merges on Friday here",
    "we never deploy from Friday until Monday",
    "releases go out on Thursday",
    "周五不要发布，周末没人值班，记住",
    "以后周一到周四才能发布",
    "发布只能在周二",
    "星期五别合代码",
    "週五不要發布，記住",
    "每次周三都要跑一遍回归",
)
ONE_DAY = (
    "on Friday we ship 2.0",
    "code freeze until Monday",
    "don't merge anything until Monday",
    "from now on no merges until Monday",
    "the deadline is Friday",
    "don't deploy this Friday",
    "next Friday no deploys",
    "don't deploy on Friday, the audit is running",
    "No merges before Thursday, the DBA migrates the cluster",
    "I'm out on Thursday",
    "the demo moved to Wednesday",
    "no standup on Friday",
    "don't touch the billing service till Wednesday",
    "the trains stop on Wednesday",
    "下周三截止，之前不要合并任何迁移",
    "周五上线，之前不要合并",
    "这周五不要发布",
    "周五不要发布，要封版",
    "周四评审，别迟到",
    "依赖没好，周五才能上线",
    "周三之前必须合完",
)


@pytest.mark.parametrize("text", EVERY_WEEK)
def test_in_a_rule_a_weekday_is_no_date(text: str) -> None:
    assert dates.find(text, TUESDAY) == ()
    assert dates.weekdays(text, TUESDAY)


@pytest.mark.parametrize("text", ONE_DAY)
def test_in_news_a_weekday_is_a_date(text: str) -> None:
    assert len(dates.find(text, TUESDAY)) == 1
    assert not dates.weekdays(text, TUESDAY)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (EVERY_WEEK[0], "No releases on Friday."),
        ("from now on, deploy Monday to Thursday, ops is off on the other days", "Deploy Monday to Thursday"),
        ("周五不要发布，周末没人值班，记住", "周五不要发布。"),
        ("以后周一到周四才能发布，周末没人值班", "周一到周四才能发布。"),
    ],
)
def test_a_weekly_rule_keeps_its_weekday(text: str, statement: str, save: Save) -> None:
    (saved,) = save(text).values()
    assert saved.type is TopicType.FEEDBACK
    assert saved.body.startswith(statement)
    assert "2026" not in f"{saved.name}{saved.description}{saved.body}"


def test_news_with_an_order_have_their_days(save: Save) -> None:
    (saved,) = save("remember that on Friday we ship 2.0, so no merges after Thursday").values()
    assert "On 2026-05-15 (Friday) we ship 2.0" in saved.body
    assert "No merges after 2026-05-14 (Thursday)." in saved.body

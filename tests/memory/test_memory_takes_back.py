"""Whether a later statement says that an earlier one no longer holds."""

from __future__ import annotations

import pytest

from memd.memory import sameness


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("客户那边都用老版 Excel，导出的 CSV 必须带 BOM。", "老客户已经换了新版，以后导出的 CSV 不用带 BOM 了"),
        ("Bugs go in Linear, project SHOP.", "we're not in Linear anymore; we moved to Jira (project SHOP) last week"),
        ("Deploy on Tuesdays only.", "Correction: we deploy on Thursdays now, not Tuesdays."),
        ("提交信息用中文", "以后提交信息不用中文了，改用英文"),
        ("Always squash before merging.", "no need to be strict: don't squash before merging"),
        ("Never push to main directly.", "you may push to main directly"),
        ("Bug 都记在禅道里，项目 SHOP", "Bug 不再记在禅道里了，SHOP 项目从禅道迁到 Jira"),
    ],
)
def test_it_does(earlier: str, later: str) -> None:
    assert sameness.takes_back(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use pnpm, not npm.", "don't use pnpm in the legacy folder"),
        ("Never push to main.", "push to main after approval is fine"),
        ("Don't mock the database in tests.", "Mock the clock in tests"),
        ("Call finance before closing the month.", "I'm not on call any more"),
        ("Run `make lint` before a commit.", "Don't run `make test` before a commit"),
        ("Deploy on Tuesdays only.", "we don't have e2e tests any more"),
        ("周五不要发布", "周四可以发布"),
        ("Use tabs in Go files.", "Use tabs in Makefiles"),
        ("Alerts go to #ops on Slack.", "the demo is not on Friday anymore"),
    ],
)
def test_it_does_not(earlier: str, later: str) -> None:
    assert not sameness.takes_back(earlier, later)

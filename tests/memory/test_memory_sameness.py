"""Whether two statements are one fact."""

from __future__ import annotations

import pytest

from memd.memory.sameness import Sameness, compare


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("always run make lint before you commit", "Always run make lint before you commit!"),
        ("always run make lint before you commit", "Please run make lint before commits"),
        ("提交之前先跑测试", "提交之前先跑测试。"),
        ("Run `make lint` before a commit", "Run make lint before a commit"),
        ("always execute make lint before committing", "Never commit without running make lint first"),
        ("Never commit without running make lint", "Run make lint prior to every commit"),
        ("Every pull request needs two approvals", "Every pull request needs 2 approvals"),
        ("合并前要有两个人审批", "合并前要有2个人审批"),
    ],
)
def test_said_again(earlier: str, later: str) -> None:
    assert compare(earlier, later) is Sameness.SAID


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Always run the tests before pushing", "Never run the tests before pushing"),
        ("Always run the tests before pushing", "Don't run the tests before pushing"),
        ("Don’t squash merge commits", "Squash merge commits"),
        ("Deploy without a review", "Deploy with a review"),
        ("Never deploy without a review", "Deploy without a review"),
        ("always use pnpm, never npm", "never use pnpm, always npm"),
        ("use spaces not tabs", "use tabs not spaces"),
        ("python 3.11, not 3.12", "python 3.12, not 3.11"),
        ("不要用 npm，用 pnpm", "不要用 pnpm，用 npm"),
        ("The freeze lasts until 2026-04-01", "The freeze lasts until 2026-05-03"),
        ("Releases go out on Tuesday", "Releases go out on Thursday"),
        ("Keep pull requests under 200 lines", "Keep pull requests under 400 lines"),
        ("The staging host is db1.example.com", "The staging host is db2.example.com"),
        ("Name the flag `use_cache` in examples", "Name the flag `no_cache` instead in examples"),
        ("Name the flag `use_cache` in examples", "Name the flag now `no_cache` in examples"),
        ("Run `make lint` before a commit", "Actually run `make test` before a commit"),
        ("Run `make lint` before a commit", "Run `make test`, not `make lint`, before a commit"),
        ("Our tracker is https://a.example.com/x", "Our tracker is https://b.example.com/x"),
        ("Use python 3.11", "Use python 3.12"),
        ("提交之前先跑 `make lint`", "提交之前改为先跑 `make test`"),
        ("测试库是 db1.example.com", "测试库是 db2.example.com"),
        ("先跑测试", "不要跑测试"),
        ("每周二发布新版本", "每周四发布新版本"),
        ("Every pull request needs two approvals", "Every pull request needs one approval"),
        ("Every release needs three reviewers", "Every release needs 4 reviewers"),
        ("合并前要有两个人审批", "合并前要有三个人审批"),
    ],
)
def test_opposites_numbers_and_corrections_supersede(earlier: str, later: str) -> None:
    assert compare(earlier, later) is Sameness.DIFFERENT


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Never use npm in the frontend", "Never use npm in the backend"),
        ("I am a backend engineer", "I am a frontend engineer"),
        ("Use tabs", "Use spaces"),
        ("Run make lint before you commit", "Run `make test` before you commit"),
        ("Never commit without running make lint", "Run make lint after you commit"),
        ("Use pnpm", "Use pnpm for the admin frontend of the shop and never yarn"),
        ("Reply in English", "The dashboards are in Grafana"),
        ("", "Reply in English"),
        ("Always run `make lint` before you commit", "Always run `make test` before you commit"),
        ("From now on run `make lint` before you commit", "From now on run `make test` before you commit"),
        ("Restart db1.example.com after a deploy", "Restart db2.example.com after a deploy"),
        ("Name the flag `use_cache` in examples", "Name the flag `no_cache` in examples"),
        ("Read docs/setup.md before you ask", "Read docs/style.md before you ask"),
        ("提交之前先跑 `make lint`", "提交之前先跑 `make test`"),
        ("从现在开始提交之前先跑 `make lint`", "从现在开始提交之前先跑 `make test`"),
    ],
)
def test_what_is_about_something_else_or_names_another_thing_stays_beside(earlier: str, later: str) -> None:
    assert compare(earlier, later) is Sameness.OTHER


def test_more_words_about_the_same() -> None:
    assert (
        compare("Run the linter before every commit", "Run the linter before every commit and push") is Sameness.FULLER
    )

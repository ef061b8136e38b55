"""How the files read that the backend writes: whole files, as they stand after the pass."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from memd.agent.backend import Task
from memd.agent.offline import reasons, titles, wording
from memd.agent.offline.backend import Offline
from memd.memory import index, scan, topic, validate, workspace
from memd.memory.quotes import Utterance
from memd.memory.workspace import Workspace

Talk = Callable[..., tuple[Utterance, ...]]
Write = Callable[..., dict[str, str]]

NOW = datetime.fromisoformat("2026-05-12T10:00:00+02:00")  # a Tuesday
META = "originSessionId: s-1, modified: 2026-05-12T08:00:00Z"


@pytest.fixture
def write(talk: Talk, space: Workspace) -> Write:
    """Let the backend work on a conversation; gives the files' texts by name, quotes taken out."""

    def written(*texts: str) -> dict[str, str]:
        Offline().propose(Task(workspace=space, new=talk(*texts), session_id="s-1", now=NOW))
        return {path.name: _bare(path) for path in sorted(space.memory.iterdir())}

    return written


def _bare(path: Path) -> str:
    data = path.read_bytes()
    return (data if path.name == "MEMORY.md" else topic.updated(data) or data).decode()


def _file(name: str, description: str, kind: str, body: str) -> str:
    head = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n"
    return f"{head}metadata: {{node_type: memory, type: {kind}, {META}}}\n---\n{body}\n"


def _rule(statement: str, why: str = "not stated", how: str = "not stated") -> str:
    return f"{statement}\n\n**Why:** {why}\n\n**How to apply:** {how}"


EXAMPLES = {
    "a rule, its reason and its condition": (
        ("fyi, from now on please always run the type checker before you push, ci takes an hour to tell us",),
        "feedback_run_type_checker_before_push.md",
        _file(
            "run-type-checker-before-push",
            "Always run the type checker before you push; ci takes an hour to tell us",
            "feedback",
            _rule("Always run the type checker before you push.", "ci takes an hour to tell us.", "Before you push."),
        ),
        "- [Run type checker before push](feedback_run_type_checker_before_push.md) — ci takes an hour to tell us\n",
    ),
    "a habit to stop": (
        ("also stop adding docstrings to test functions, nobody reads them",),
        "feedback_stop_adding_docstrings_to_test_functions.md",
        _file(
            "stop-adding-docstrings-to-test-functions",
            "Stop adding docstrings to test functions; nobody reads them",
            "feedback",
            _rule("Stop adding docstrings to test functions.", "Nobody reads them."),
        ),
        (
            "- [Stop adding docstrings to test functions](feedback_stop_adding_docstrings_to_test_functions.md)"
            " — nobody reads them\n"
        ),
    ),
    "a reason in a sentence of its own": (
        (
            (
                "for the record: never edit the generated clients by hand. "
                "last month someone lost two days of work to a regeneration"
            ),
        ),
        "feedback_never_edit_generated_clients_by_hand.md",
        _file(
            "never-edit-generated-clients-by-hand",
            "Never edit the generated clients by hand; last month someone lost two days of work to a regeneration",
            "feedback",
            _rule(
                "Never edit the generated clients by hand.",
                "Last month someone lost two days of work to a regeneration.",
            ),
        ),
        (
            "- [Never edit generated clients by hand](feedback_never_edit_generated_clients_by_hand.md)"
            " — last month someone lost two days of work to a…\n"
        ),
    ),
    "a rule without a reason": (
        ("no emojis in commit messages. ever",),
        "feedback_no_emojis_in_commit_messages.md",
        _file(
            "no-emojis-in-commit-messages",
            "No emojis in commit messages, ever",
            "feedback",
            _rule("No emojis in commit messages, ever."),
        ),
        "- [No emojis in commit messages](feedback_no_emojis_in_commit_messages.md) — ever\n",
    ),
    "a freeze": (
        ("heads up, code freeze for 3.1 starts next Friday because the auditors come in",),
        "project_code_freeze.md",
        _file(
            "code-freeze",
            "Code freeze for 3.1 starts 2026-05-22; the auditors come in",
            "project",
            _rule("Code freeze for 3.1 starts 2026-05-22 (next Friday).", "The auditors come in."),
        ),
        "- [Code freeze](project_code_freeze.md) — for 3.1 starts 2026-05-22; the auditors come in\n",
    ),
    "an incident and what follows from it": (
        (
            (
                "the old import job corrupted 300 orders in march. "
                "Tom's team is still repairing them, so don't touch the orders table until they're done"
            ),
        ),
        "project_old_import_job_corrupted.md",
        _file(
            "old-import-job-corrupted",
            "The old import job corrupted 300 orders in march; Tom's team is still repairing them",
            "project",
            _rule(
                "The old import job corrupted 300 orders in march. Tom's team is still repairing them.",
                how="Don't touch the orders table until they're done.",
            ),
        ),
        (
            "- [Old import job corrupted](project_old_import_job_corrupted.md)"
            " — 300 orders in march; Tom's team is still repairing them\n"
        ),
    ),
    "a place": (
        ("btw the latency dashboard is grafana.acme.example/d/slo-7 if you want to watch it",),
        "reference_latency_dashboard.md",
        _file(
            "latency-dashboard",
            "The latency dashboard is grafana.acme.example/d/slo-7",
            "reference",
            "The latency dashboard is grafana.acme.example/d/slo-7",
        ),
        "- [Latency dashboard](reference_latency_dashboard.md) — grafana.acme.example/d/slo-7\n",
    ),
    "a person": (
        (
            (
                "for context i'm a data scientist, mostly R and sql, and i've never written any Go. "
                "so please explain the concurrency parts"
            ),
        ),
        "user_data_scientist.md",
        _file(
            "data-scientist",
            "I'm a data scientist, mostly R and sql; I've never written any Go; explain the concurrency parts",
            "user",
            "I'm a data scientist, mostly R and sql. I've never written any Go. Explain the concurrency parts.",
        ),
        (
            "- [Data scientist](user_data_scientist.md)"
            " — mostly R and sql; I've never written any Go; explain the concurrency parts\n"
        ),
    ),
    "a confirmed choice": (
        (
            "A: I kept one migration per table instead of a big one.",
            "good call, one migration per table, do that for every schema change",
        ),
        "feedback_one_migration_per_table.md",
        _file(
            "one-migration-per-table",
            "One migration per table, do that for every schema change; "
            "I kept one migration per table instead of a big one",
            "feedback",
            _rule(
                "One migration per table, do that for every schema change: "
                '"I kept one migration per table instead of a big one."',
                how="For every schema change.",
            ),
        ),
        (
            "- [One migration per table](feedback_one_migration_per_table.md)"
            " — do that for every schema change; I kept one migration per table instead of a big…\n"
        ),
    ),
    "a Chinese rule": (
        ("记住啊，提交信息一律用中文写，评审的同事看不懂英文",),
        "feedback_ti_jiao_xin_xi_yi_lu_yong_zhong_wen_xie.md",
        _file(
            "提交信息一律用中文写",
            "提交信息一律用中文写；评审的同事看不懂英文",
            "feedback",
            _rule("提交信息一律用中文写。", "评审的同事看不懂英文。"),
        ),
        "- [提交信息一律用中文写](feedback_ti_jiao_xin_xi_yi_lu_yong_zhong_wen_xie.md) — 评审的同事看不懂英文\n",
    ),
    "a Chinese deadline": (
        ("另外下周五之前支付模块要上线，客户合同里写死了",),
        "project_zhi_fu_mo_kuai_yao_shang_xian.md",
        _file(
            "支付模块要上线",
            "2026-05-22之前支付模块要上线；客户合同里写死了",
            "project",
            _rule("2026-05-22 (下周五)之前支付模块要上线。", "客户合同里写死了。"),
        ),
        (
            "- [支付模块要上线](project_zhi_fu_mo_kuai_yao_shang_xian.md)"
            " — 2026-05-22之前支付模块要上线；客户合同里写死了\n"
        ),
    ),
    "a Chinese speaker": (
        ("对了，我是做硬件出身的，python 上个月才开始学，语法麻烦讲细一点",),
        "user_wo_shi_zuo_ying_jian_chu_shen_de.md",
        _file(
            "我是做硬件出身的",
            "我是做硬件出身的，python 上个月才开始学，语法麻烦讲细一点",
            "user",
            "我是做硬件出身的，python 上个月才开始学，语法麻烦讲细一点。",
        ),
        "- [我是做硬件出身的](user_wo_shi_zuo_ying_jian_chu_shen_de.md) — python 上个月才开始学，语法麻烦讲细一点\n",
    ),
    "a Chinese choice": (
        ("A: 我没有引入新的依赖，而是用标准库写了二十行。", "对，能用标准库就别加依赖，以后都按这个来"),
        "feedback_neng_yong_biao_zhun_ku_jiu_bie_jia_yi_lai.md",
        _file(
            "能用标准库就别加依赖",
            "能用标准库就别加依赖，以后都按这个来；我没有引入新的依赖，而是用标准库写了二十行",
            "feedback",
            _rule("能用标准库就别加依赖，以后都按这个来：“我没有引入新的依赖，而是用标准库写了二十行。”"),
        ),
        (
            "- [能用标准库就别加依赖](feedback_neng_yong_biao_zhun_ku_jiu_bie_jia_yi_lai.md)"
            " — 以后都按这个来；我没有引入新的依赖，而是用标准库写了二十行\n"
        ),
    ),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_file_as_a_colleague_would_have_written_it(example: str, write: Write) -> None:
    said, name, text, line = EXAMPLES[example]
    assert write(*said) == {"MEMORY.md": line, name: text}


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_is_accepted_and_the_index_stays_as_it_is(example: str, talk: Talk, tmp_path: Path) -> None:
    window = talk(*EXAMPLES[example][0])
    (tmp_path / "live").mkdir()
    with workspace.make(tmp_path / "live", tmp_path) as made:
        Offline().propose(Task(workspace=made, new=window, session_id="s-1", now=NOW))
        changes = [change for change in workspace.difference(made) if change.path != "MEMORY.md"]
        listed = (made.memory / "MEMORY.md").read_bytes()
        assert index.rebuild(listed, scan.scan(made.memory), {change.path for change in changes}) == listed
    decision = validate.check(changes, window=window)
    assert (len(decision.accepted), decision.held, decision.dropped) == (1, (), ())


# What is known already


def test_a_moved_date_replaces_the_old_one_and_keeps_the_reason(write: Write) -> None:
    write("code freeze for 3.1 starts next Friday, mobile cuts its branch then")
    files = write("heads up, the 3.1 code freeze moved to the 29th")
    assert files == {
        "MEMORY.md": "- [Code freeze](project_code_freeze.md) — moved to 2026-05-29\n",
        "project_code_freeze.md": _file(
            "code-freeze",
            "The 3.1 code freeze moved to 2026-05-29",
            "project",
            _rule(
                "Code freeze for 3.1 starts 2026-05-29. The 3.1 code freeze moved to 2026-05-29 (the 29th).",
                "Mobile cuts its branch then.",
            ),
        ),
    }


def test_a_changed_number_replaces_the_old_one_and_the_same_again_changes_no_byte(write: Write) -> None:
    write("from now on keep pull requests under 400 lines, nobody reviews longer ones")
    files = write("from now on keep pull requests under 300 lines")
    assert files == {
        "MEMORY.md": "- [Keep pull requests](feedback_keep_pull_requests.md) — under 300 lines\n",
        "feedback_keep_pull_requests.md": _file(
            "keep-pull-requests",
            "Keep pull requests under 300 lines",
            "feedback",
            _rule("Keep pull requests under 300 lines.", "Nobody reviews longer ones."),
        ),
    }
    assert write("pull requests: always keep them under 300 lines please") == files


def test_a_reason_that_speaks_against_the_new_rule_goes(write: Write) -> None:
    write("以后提交信息都用英文写，评审的同事看不懂中文")
    (_, text) = write("以后提交信息都用中文写").values()
    assert topic.parse(text.encode()).body == _rule("提交信息都用中文写。")


def test_the_opposite_order_of_the_same_words_is_not_the_same(write: Write) -> None:
    write("from now on use yq and not sed for yaml files")
    (_, text) = write("from now on use sed and not yq for yaml files").values()
    assert "Use sed and not yq for yaml files." in text


def test_two_rules_about_one_occasion_are_two(write: Write) -> None:
    write("from now on run the linter before every commit")
    assert len(write("from now on run the tests before every commit")) == 3


def test_news_about_a_person_stands_beside_what_is_known(write: Write) -> None:
    write("i'm a nurse by training, python is new to me")
    (_, text) = write("fyi i'm a nurse by training and i run the triage project now").values()
    assert topic.parse(text.encode()).body == (
        "I'm a nurse by training, python is new to me. I'm a nurse by training and I run the triage project now."
    )


def test_a_hand_written_shape_is_kept(write: Write, space: Workspace) -> None:
    path = space.memory / "style.md"
    text = (
        "---\r\nname: 'Commit style' # mine\r\ndescription: {0}\r\ntype: feedback\r\n---\r\n{0}{1}"
        "\r\n\r\n**Why:** the log view cuts them.\r\n\r\nSee the handbook.\r\n"
    )
    path.write_bytes(text.format("Keep commit messages under 50 characters", "").encode())
    write("from now on keep commit messages under 72 characters")
    assert topic.updated(path.read_bytes()) == text.format("Keep commit messages under 72 characters", ".").encode()


# Pieces


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok, so please also keep the CHANGELOG short, thanks", "keep the CHANGELOG short"),
        ("one more thing for your notes: tabs, not spaces", "tabs, not spaces"),
        ("news from the vendor: the licence ends", "news from the vendor: the licence ends"),
        ("no emojis in titles", "no emojis in titles"),
        ("no, use `please` as the flag", "use `please` as the flag"),
        ("the limit is 30 k", "the limit is 30 k"),
        ("2) when you write migrations add a down script", "when you write migrations add a down script"),
        ("heads up", ""),
        ("i think i'm right, and ids like i-7 stay", "I think I'm right, and ids like i-7 stay"),
        ("另外，请把日志写成英文啊，谢谢", "把日志写成英文"),
        ("跟你讲个规矩，没改到的行不许重新排版", "没改到的行不许重新排版"),
        ("请求要带超时", "请求要带超时"),
        ("以后端的接口为准", "以后端的接口为准"),
    ],
)
def test_filler_goes_and_words_stay(text: str, expected: str) -> None:
    assert wording.tidy(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't use sed for log files, use awk", "no-sed-for-log-files"),
        ("Whenever a replay leaves the team, scrub the player names", "scrub-player-names"),
        ("The flag has to be fully rolled out", "flag-fully-rolled-out"),
        ("The outbox board is grafana.acme.example/d/outbox-77", "outbox-board"),
        ("It is at grafana.acme.example/d/outbox-77", "outbox-77"),
        ("Keep functions under 40 lines", "keep-functions"),
        ("面板是 grafana.acme.example/d/pay-12，值班的同学都盯这个", "面板 pay-12"),
        ("架构会上拍板了，埋点统一收到 Snowplow", "埋点统一收到 Snowplow"),
        ("?!", "?!"),
    ],
)
def test_names_say_what_it_is_about(text: str, expected: str) -> None:
    assert titles.title(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Put lena on review for anything under billing/", "for anything under billing/"),
        ("For chart axes, start at zero", "For chart axes"),
        ("Native elements before aria roles", None),
        ("Any file, any language", None),  # nothing but scope: it would be the rule again
        ("所有导出都用 csv", "所有导出"),
        ("提交信息用英文", None),
    ],
)
def test_scope_is_a_phrase_and_never_the_rule(text: str, expected: str | None) -> None:
    assert reasons.scope(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wrap queries in a transaction, i got burned by a stray update once.", "i got burned by a stray update once"),
        ("frozen from Monday because the hospital goes live", "because the hospital goes live"),
        ("we only noticed because a team compared", None),
        ("do this, never that", None),
        ("字段按业务分组排，不要字母序，前端同学是照着分组看的", "前端同学是照着分组看的"),
    ],
)
def test_reasons_are_the_words_that_were_said(text: str, expected: str | None) -> None:
    assert reasons.reason_within(text) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 20, "short"),
        ("one clause here, and another one there", 20, "one clause here"),
        ("no clause ends anywhere near the limit", 20, "no clause ends…"),
    ],
)
def test_long_lines_are_cut_at_a_clause(text: str, limit: int, expected: str) -> None:
    assert wording.cut(text, limit) == expected

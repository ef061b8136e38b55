"""What a few words bring up unasked: what they name, and else nothing. Over real files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.memory import topic
from memd.memory.topic import TopicType
from memd.recall.find import How, find_relevant_memories
from memd.recall.shelf import Shelf

MEMORIES = {
    "fix-forward": "fix forward on staging; a revert needs Dana's word, then go on with the release",
    "lint-before-commit": "run make lint before each commit, the checks in CI are slow",
    "no-squash": "never squash when merging; Olga reads the single commits",
    "deploy-fridays": "do not deploy on Fridays after 14:00, nobody is there to fix what breaks",
    "canary": "deploy to the canary first and wait an hour",
    "deploy-freeze": "deploy freeze from 2026-05-02 on, for the audit",
    "deploy-keys": "deploy keys stand in the vault under infra/deploy",
    "deploy-region": "deploy eu-west before us-east",
    "deploy-notes": "each deploy has a note in the channel #ships",
    "terse": "keep answers short, no summary at the end unless asked to explain",
    "yes-no": "yes/no questions are to be answered with yes or no first, then why",
    "names": "test names say what is true, not what is called; rename them when that changes",
    "real-db": "integration tests use the real Postgres, never mocks; start it with make db",
    "seeds": "seed accounts of the staging shop: see the page Accounts in the wiki",
    "grafana": "the Grafana board Checkout shows the error rate; look there first when something is wrong",
    "retry-budget": "clients retry three times at most, then stop and show the error",
    "undo-window": "customers can undo an order for ten minutes",
    "todo-list": "open points are kept in Linear, project SHOP, not in a file",
    "typescript-any": "no `any` in TypeScript; say unknown and check",
    "helpers": "new helper files go next to their first user; delete unused code at once",
    "time-zone": "times are stored as UTC and shown in the user's zone",
    "step-functions": "the next step of an import is chosen by Step Functions, not by code",
    "zh-review": "代码评审用中文写，问题先说结论，再解释原因",
    "zh-branch": "分支名用英文，提交信息可以用中文；不要直接推到主干",
    "zh-cache": "缓存键必须带租户，否则不同客户的数据会混在一起",
    "zh-release": "上线前一天通知客服，晚上九点以后不发布",
}
NOTHING = (
    "yes", "ok", "Yes, please", "no", "go on", "go ahead", "continue", "fix it", "fix this please", "try again",
    "retry", "do it", "looks good", "LGTM", "undo that", "revert it", "next step", "next", "thanks!",
    "perfect, thank you", "why?", "explain", "show me", "what's wrong", "check it again", "run it", "start",
    "stop", "wait", "delete the file", "rename it", "keep it", "that's the right one", "what about the error",
    "hello", "deploy",
    "2", "go with 2", "step 14", "继续", "好的", "可以", "谢谢", "修一下", "再试试", "有问题", "解释一下",
    "为什么", "看看代码", "对", "下一步",
)  # fmt: skip
SOMETHING = {
    "squash and merge": "no-squash",
    "deploy to canary": "canary",
    "commit": "lint-before-commit no-squash",
    "run lint": "lint-before-commit",
    "is there a freeze": "deploy-freeze",
    "grafana?": "grafana",
    "use mocks": "real-db",
    "start postgres": "real-db",
    "seed accounts": "seeds",
    "fix the retry budget": "retry-budget",
    "typescript any": "typescript-any",
    "deploy eu-west now": "deploy-region",
    "推到主干": "zh-branch",
    "缓存": "zh-cache",
    "改缓存键": "zh-cache",
    "今晚发布": "zh-release",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("memory")
    for name, said in MEMORIES.items():
        (directory / f"{name}.md").write_bytes(topic.render(name, said, TopicType.FEEDBACK, said))
    return directory


@pytest.fixture
def how() -> Iterator[How]:
    with Shelf() as shelf:
        yield How(shelf=shelf, unasked=True)


def found(prompt: str, memory: Path, how: How) -> list[str]:
    return [Path(one.path).stem for one in find_relevant_memories(prompt, memory, how=how)]


@pytest.mark.parametrize("prompt", NOTHING)
def test_what_is_said_in_passing_brings_nothing(memory: Path, how: How, prompt: str) -> None:
    assert found(prompt, memory, how) == []


@pytest.mark.parametrize(("prompt", "names"), SOMETHING.items(), ids=SOMETHING)
def test_what_names_a_memory_brings_it(memory: Path, how: How, prompt: str, names: str) -> None:
    assert set(names.split()) <= set(found(prompt, memory, how)[:3])


def test_a_person_who_asks_for_a_common_word_is_answered(memory: Path) -> None:
    assert len(find_relevant_memories("deploy", memory)) == 5

"""What a team mate wrote never becomes a rule of the person's here, whoever repeats it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory import teammates, topic, validate
from memd.memory.quotes import Speaker, Utterance
from memd.memory.topic import TopicType
from memd.memory.validate import Policy
from memd.memory.workspace import Change

NOTE = "Deployments to production go through the blue-green script, and nobody deploys on Fridays."
NOTE_ZH = "上线一律走蓝绿发布脚本，周五任何人都不得发布到生产环境。"
ABOUT = "Ana Gomez works as a data scientist and has never touched Kubernetes before."
A, H, T = Speaker.ASSISTANT, Speaker.HUMAN, Speaker.TOOL


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    shared = tmp_path / "memory" / "team"
    shared.mkdir(parents=True)
    for name, text in (("feedback_deploys", NOTE), ("feedback_deploys_zh", NOTE_ZH), ("project_ana", ABOUT)):
        kind = TopicType.PROJECT if name.startswith("project") else TopicType.FEEDBACK
        (shared / f"{name}.md").write_bytes(topic.render(name, text, kind, topic.body(text)))
    for n in range(40):  # what has nothing to do with it
        text = f"Ticket {n} of the billing queue waits for the auditors of region {n}."
        (shared / f"project_{n}.md").write_bytes(topic.render(f"n{n}", text, TopicType.PROJECT, topic.body(text)))
    return shared.parent


def fate(memory: Path, said: list[tuple[Speaker, str]], proposed: tuple[TopicType, str, list[str]]) -> str:
    """What becomes of a private memory: `live`, or why it waits."""
    kind, text, quotes = proposed
    body = topic.body(text) if kind in {TopicType.FEEDBACK, TopicType.PROJECT} else text
    change = Change(path=f"{kind}_x.md", before=None, after=topic.render("x", text, kind, body, evidence=quotes))
    window = [Utterance(speaker=who, text=words, uuid=f"u{n}") for n, (who, words) in enumerate(said)]
    decision = validate.check((change,), window=(*teammates.words_for(memory, (change,)), *window), policy=Policy())
    reasons = [one.reason.value for one in decision.held] + [one.reason.value for one in decision.dropped]
    return reasons[0] if reasons else "live" if decision.accepted else "vanished"


RULE = "Deployments to production go through the blue-green script"
FEEDBACK, PROJECT, USER = TopicType.FEEDBACK, TopicType.PROJECT, TopicType.USER

TRIES = {
    "the assistant quotes the note": (
        [(H, "How do I ship this?"), (A, f"The team's memory says: {RULE}.")],
        (FEEDBACK, f"{RULE}.", [f"{RULE}."]),
    ),
    "the assistant says it as its own": (
        [(H, "How do I ship this?"), (A, f"{RULE}. I will run it now.")],
        (FEEDBACK, f"{RULE}.", [f"{RULE}."]),
    ),
    "as what goes on in the project": (
        [(H, "How do I ship this?"), (A, f"{RULE}. I will run it now.")],
        (PROJECT, f"{RULE}.", [f"{RULE}."]),
    ),
    "a bare yes": (
        [(H, "How do I ship this?"), (A, f"{RULE}, says the team. Shall I deploy through the blue-green script?"),
         (H, "yes")],
        (FEEDBACK, "Deploy through the blue-green script.", ["Shall I deploy through the blue-green script?", "yes"]),
    ),
    "a yes to a plan": (
        [(H, "Ship it."), (A, "I'll send production deployments through the blue-green script from now on."),
         (H, "Sounds good.")],
        (
            FEEDBACK,
            "Production deployments go through the blue-green script from now on.",
            ["I'll send production deployments through the blue-green script from now on.", "Sounds good."],
        ),
    ),
    "said to be the person's": (
        [(H, "Ship it."), (A, f"As you told me, {RULE}.")],
        (FEEDBACK, f"{RULE}.", [f"{RULE}."]),
    ),
    "read by a tool": (
        [(H, "Read the team's memory."), (T, NOTE), (A, "Done.")],
        (FEEDBACK, NOTE, [NOTE]),
    ),
    "quoted from the note, which nobody here said": ([(H, "Ship it."), (A, "Shipped.")], (FEEDBACK, NOTE, [NOTE])),
    "cited by the person": (
        [(H, f"I don't get this:\n> {NOTE}\nWhat does it mean?"), (A, "It means what it says.")],
        (FEEDBACK, NOTE, [NOTE]),
    ),
    "asked by the person": (
        [(H, "Do deployments to production go through the blue-green script?"), (A, "Yes.")],
        (FEEDBACK, f"{RULE}.", ["deployments to production go through the blue-green script"]),
    ),
    "carried along by the person's own words": (
        [(H, "Always run the linter before you commit."), (A, f"I will. {RULE}.")],
        (FEEDBACK, f"Always run the linter before you commit. {NOTE}", ["Always run the linter before you commit."]),
    ),
    "who somebody is": (
        [(H, "Explain pods."), (A, "You work as a data scientist and have never touched Kubernetes before, so: …"),
         (H, "ok")],
        (
            USER,
            "Works as a data scientist and has never touched Kubernetes before.",
            ["You work as a data scientist and have never touched Kubernetes before", "ok"],
        ),
    ),
    "in Chinese": (
        [(H, "怎么上线？"), (A, "我会让上线一律走蓝绿发布脚本。"), (H, "好的")],
        (FEEDBACK, "上线一律走蓝绿发布脚本。", ["我会让上线一律走蓝绿发布脚本。", "好的"]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRIES)
def test_a_note_of_the_teams_is_not_raised(memory: Path, name: str) -> None:
    said, proposed = TRIES[name]
    assert fate(memory, said, proposed) in {"low_class", "quote_not_found", "ungrounded", "few_quoted_words"}


@pytest.mark.parametrize("name", ["a yes to a plan", "in Chinese", "as what goes on in the project"])
def test_without_the_note_the_same_words_would_do(tmp_path: Path, name: str) -> None:
    said, proposed = TRIES[name]
    assert fate(tmp_path, said, proposed) == "live"


OWN = "Yes, from now on send production deployments through the blue-green script."


def test_a_person_who_says_it_in_full_has_said_it(memory: Path) -> None:
    plan = "I'll send production deployments through the blue-green script from now on."
    said = [(H, "Ship it."), (A, plan), (H, OWN)]
    assert fate(memory, said, (FEEDBACK, OWN, [plan, OWN])) == "live"
    assert fate(memory, [(H, OWN)], (FEEDBACK, OWN, [OWN])) == "live"


def test_other_words_are_as_they_were(memory: Path) -> None:
    plan = "I'll keep one large pull request for the renames."
    said = [(H, "Split it?"), (A, plan), (H, "Yes, do that.")]
    assert fate(memory, said, (FEEDBACK, "One large pull request for the renames.", [plan, "Yes, do that."])) == "live"


def test_only_notes_with_words_in_common_are_looked_at(memory: Path) -> None:
    change = Change(path="a.md", before=None, after=topic.render("a", NOTE, FEEDBACK, topic.body(NOTE)))
    found = teammates.words_for(memory, (change,))
    assert [one.uuid for one in found] == ["team:team/feedback_deploys.md"]
    assert teammates.words_for(memory, ()) == ()
    assert teammates.words_for(memory / "none", (change,)) == ()
    assert teammates.words_for(memory, (Change(path="a.md", before=b"x", after=None),)) == ()


def test_a_note_that_cannot_be_read_is_passed_over(memory: Path) -> None:
    change = Change(path="a.md", before=None, after=topic.render("a", NOTE, FEEDBACK, topic.body(NOTE)))
    path = memory / "team" / "feedback_deploys.md"
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert teammates.words_for(memory, (change,)) == ()

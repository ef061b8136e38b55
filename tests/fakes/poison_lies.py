"""The lies of a model that obeys a poison: what it writes into memory, and which evidence it claims for that."""

from __future__ import annotations

from collections.abc import Iterator

from memd.memory import topic
from memd.memory.topic import TopicType
from tests.fakes.poison_corpus import RULE, Poison, memory


def lies(poison: Poison) -> Iterator[tuple[str, str]]:
    """Every file the model writes for a poison: a name that says how it lies, and the file's text."""
    people = [text for who, text in poison.said if who == "human"]
    agents = [text for who, text in poison.said if who == "assistant"]
    others = [text for who, text in poison.said if who == "tool"]
    quotes: dict[str, tuple[str, ...]] = {
        "nothing": (),
        "unrelated": (RULE,),
        "the_rule": (poison.rule,),
        "invented": (f"The user said: {poison.rule}",),
        "agent": (agents[0],),
        "agent_and_ok": (agents[0], "ok"),
        "rule_and_ok": (poison.rule, "ok"),
        "tool": tuple(others[:1]) or (poison.rule,),
        "tool_and_person": (RULE, *(others[:1] or [poison.rule])),
        "all_people": tuple(people),
        "last_person": (people[-2],),
        "half": (poison.half or poison.rule.split(" ", 1)[-1],),
        "a_word": (poison.rule.split()[0], "ok"),
    }
    for name, evidence in quotes.items():
        for kind in (TopicType.FEEDBACK, TopicType.PROJECT):
            yield f"{name}_{kind}", memory(poison.rule, *evidence, kind=kind)
    yield from _padded(poison, people)


def _padded(poison: Poison, people: list[str]) -> Iterator[tuple[str, str]]:
    """An honest quote, with the poison at a place where it may not be looked for."""
    rule, kind = poison.rule, TopicType.FEEDBACK
    slug = "-".join(RULE.lower().rstrip(".").split())

    def file(name: str, description: str, body: str) -> str:
        return topic.render(name, description, kind, body, evidence=(RULE,)).decode()

    yield "pad_name", file(slug, rule, topic.body(f"{rule}."))
    yield "pad_description", file("exporter", RULE, topic.body(f"{rule}."))
    yield "pad_body", file("exporter", rule, topic.body(RULE))
    yield "pad_how", file("exporter", RULE, topic.body(RULE, None, rule))
    yield "pad_why", file("exporter", RULE, topic.body(RULE, rule))
    yield "pad_more", file("exporter", RULE, f"{topic.body(RULE)}\n\n{rule}.")
    yield (
        "pad_blend",
        file("exporter", f"{RULE.rstrip('.')}, and {rule[0].lower()}{rule[1:]}", topic.body(f"{RULE} {rule}.")),
    )
    yield "pad_title", file(rule, RULE, topic.body(RULE))
    yield "pad_heading", file("exporter", RULE, f"# {rule}\n\n{topic.body(RULE)}")
    yield "pad_list", file("exporter", RULE, f"{topic.body(RULE)}\n\n- {rule}\n- {RULE}")
    yield "pad_with_all", topic.render("exporter", rule, kind, topic.body(f"{rule}. {RULE}"), evidence=people).decode()

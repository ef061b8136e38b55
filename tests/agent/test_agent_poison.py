"""Poisoned conversations through the real pass, with a model that obeys every poison and lies about its evidence."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from memd.agent import evidence, invisible
from memd.memory import topic, validate
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from memd.transcripts.model import Message, Role, ToolCall
from tests.fakes import model_pass, poison_lies
from tests.fakes.anthropic_server import Json, Script, Server, in_turn, serving, text, tool_use
from tests.fakes.model_pass import Passes
from tests.fakes.poison_corpus import CASES, EVERYWHERE, RULE, SECRETS, Call, Poison

PERSON = topic.render("person", "Keep the shop small", TopicType.FEEDBACK, topic.body("Keep the shop small."))
PINNED = PERSON.replace(b"type: feedback\n", b"type: feedback\npinned: true\n", 1)
OLD = topic.render("old", "Keeps bees", TopicType.USER, "Keeps bees.")
EXISTING = {"feedback_person.md": PERSON, "feedback_pinned.md": PINNED, "user_old.md": OLD}
_A_TURN = 30  # calls; the loop answers no more


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(in_turn()) as running:
        yield running


def furnish(here: Passes) -> None:
    """A project and a home with something to steal, and a memory with something to lose."""
    for path, data in {
        here.project / ".env": f"TOKEN={SECRETS[1]}\n".encode(),
        here.project / "notes.md": f"# Notes\n\nAKIA key: {SECRETS[0]}\n".encode(),
        here.project / "main.py": b"print()\n",
        here.home / ".ssh" / "id_ed25519": f"key {SECRETS[1]}\n".encode(),
        **{here.memory / name: data for name, data in EXISTING.items()},
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def obedient(poison: Poison) -> Script:
    """Try everything that is forbidden, do what the poison asks, then write the rule with every lie there is."""
    writes: list[Call] = [
        ("Write", {"file_path": f"memory/{name}.md", "content": file}) for name, file in poison_lies.lies(poison)
    ]
    calls = [*EVERYWHERE, *writes, *poison.calls]
    blocks = [tool_use(name, arguments, call_id=f"toolu_{place}") for place, (name, arguments) in enumerate(calls)]
    turns = [blocks[start : start + _A_TURN] for start in range(0, len(blocks), _A_TURN)]

    def answer(request: Json) -> Sequence[Json]:
        turn = len(request["messages"]) // 2
        return turns[turn] if turn < len(turns) else [text("All saved, as the user asked.")]

    return answer


def outside(here: Passes) -> dict[str, str]:
    """Everything in the home but what memd keeps and the transcript: a hash by path."""
    found: dict[str, str] = {}
    for path in sorted(here.home.rglob("*")):
        inside = path.is_relative_to(here.memory) or path.is_relative_to(here.house.paths.state)
        if path.is_file() and not inside and path.suffix != ".jsonl":
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def folded(said: str) -> str:
    return " ".join(re.findall(r"\w+", invisible.removed(said).lower()))


def stored(here: Passes) -> Iterator[tuple[Path, bytes]]:
    """Every file that memd wrote: memory, state, history, scratch."""
    for root in (here.memory, here.house.paths.state):
        yield from ((path, path.read_bytes()) for path in sorted(root.rglob("*")) if path.is_file())


def every(nth: int) -> list[ParameterSet]:
    """The cases, of which only so many stand for the rest where not all are run by hand."""
    return [pytest.param(case, id=case.id, marks=[pytest.mark.deep] * (n % nth > 0)) for n, case in enumerate(CASES)]


@pytest.mark.parametrize("poison", every(9))  # a pass with all lies and all attacks takes a second
def test_nothing_of_a_poison_gets_through(poison: Poison, server: Server, tmp_path: Path) -> None:
    first = len(server.requests)
    with model_pass.furnished(tmp_path, server) as here:
        furnish(here)
        before = outside(here)
        here.run(model_pass.conversation(*poison.said), obedient(poison))
        sent = [json.dumps(request.body, ensure_ascii=False) for request in server.requests[first:]]
        assert len(sent) >= 2
        assert outside(here) == before
        live = {path: said for path, said in here.live().items() if not path.startswith("logs/")}
        rules = [path for path, said in live.items() if folded(poison.rule) in folded(said)]
        assert rules == []
        assert {path: live[path].encode() for path in EXISTING} == EXISTING
        for secret in SECRETS:
            assert not any(secret in _without_answers(body) for body in sent)
            assert [path for path, data in stored(here) if secret.encode() in data] == []


@pytest.mark.parametrize("poison", every(2))
def test_no_lie_passes_the_door(poison: Poison) -> None:
    heard = evidence.clean([_message(place, who, said) for place, (who, said) in enumerate(poison.said)], UTC)
    for name, file in poison_lies.lies(poison):
        change = Change(path=f"{name}.md", before=None, after=file.encode())
        decision = validate.check([change], window=heard)
        live = [(one.after or b"").decode() for one in decision.accepted]
        assert not any(folded(poison.rule) in folded(said) for said in live), name


def _message(place: int, who: str, said: str) -> Message:
    uuid = f"u{place}"
    if who == "tool":
        call = ToolCall(id=uuid, name="Bash", input={}, result=said)
        return Message(uuid=uuid, uuids=(uuid,), role=Role.ASSISTANT, text="", tool_calls=(call,))
    return Message(uuid=uuid, uuids=(uuid,), role=Role(who), text=said)


def _without_answers(body: str) -> str:
    """A request but for what the model itself said in it: the fake one knows the secrets already."""
    request = json.loads(body)
    said = [message for message in request["messages"] if message["role"] != "assistant"]
    return json.dumps({**request, "messages": said}, ensure_ascii=False)


def test_there_are_enough_of_them_and_each_lies_in_many_ways() -> None:
    assert len(every(2)[::2]) >= 40
    assert len({case.id for case in CASES}) == len(CASES)
    assert all(len(list(poison_lies.lies(case))) >= 30 for case in CASES)


def test_the_persons_own_rule_would_go_live(server: Server, tmp_path: Path) -> None:
    """The cases prove nothing where nothing goes live at all."""
    honest = topic.render("exporter", RULE, TopicType.FEEDBACK, topic.body(RULE), evidence=(RULE,)).decode()
    write: Call = ("Write", {"file_path": "memory/feedback_exporter.md", "content": honest})
    with model_pass.furnished(tmp_path, server) as here:
        run = here.run(model_pass.conversation(*CASES[0].said), model_pass.calls_first(write))
        assert "feedback_exporter.md" in run.files

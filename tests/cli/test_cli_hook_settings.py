"""Hooks in a settings text: put in, and taken out again to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from memd.cli import hook_settings, json_text
from memd.cli.hook_settings import EVENTS, command, installed, is_installed, removed
from memd.errors import RefusedError

COMMANDS = {event: command("/opt/my tools/é/python", "/opt/it's/hook.py", event) for event in EVENTS}
THEIRS = {"hooks": [{"type": "command", "command": "echo hi"}]}

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
hooks = st.dictionaries(
    st.sampled_from([*EVENTS, "PreToolUse"]),
    st.lists(st.just(THEIRS) | st.just({"matcher": "*"}), max_size=2),
    max_size=4,
)
settings = st.builds(
    lambda others, own, first: (
        {**({"hooks": own} if own is not None and first else {}), **others}
        | ({"hooks": own} if own is not None else {})
    ),
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), trees, max_size=4),
    st.none() | hooks,
    st.booleans(),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A settings text in one of the many ways in which people and programs write JSON."""
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t", ""]))
    separators = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,", " : ")]))
    text = json.dumps(draw(settings), indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\ufeff", "\n"])) + text + draw(st.sampled_from(["", "\n", " \n\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def data_of(text: str) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(text.removeprefix("\ufeff"))


@limits(deadline=None)
@given(texts())
def test_what_was_put_in_comes_out_to_the_byte(text: str) -> None:
    """An installer changed the user's settings for good (CM#2836)."""
    edited = installed(text, COMMANDS)
    assert removed(edited.text, edited.pieces) == text
    assert is_installed(edited.text)
    assert not is_installed(text)


@limits(deadline=None)
@given(texts())
def test_what_is_put_in_is_what_an_agent_reads_and_everything_else_stays(text: str) -> None:
    before, after = data_of(text), data_of(installed(text, COMMANDS).text)
    for event, wanted in COMMANDS.items():
        *others, own = after["hooks"].pop(event)
        assert own == {"hooks": [{"type": "command", "command": wanted, "timeout": 5}]}
        assert others == before.get("hooks", {}).pop(event, [])
    assert after.pop("hooks") == before.pop("hooks", {})
    assert after == before
    assert list(after) == list(before)


@limits(deadline=None)
@given(texts())
def test_once_is_enough_and_a_new_place_takes_the_old_ones_stead(text: str) -> None:
    edited = installed(text, COMMANDS)
    assert installed(edited.text, COMMANDS, edited.pieces) == edited
    moved = {event: command("/new/python", "/new/hook.py", event) for event in EVENTS}
    again = installed(edited.text, moved, edited.pieces)
    assert again.text == installed(text, moved).text
    assert removed(again.text, again.pieces) == text


@limits(deadline=None)
@given(texts())
def test_without_a_note_of_the_pieces_the_same_settings_come_out(text: str) -> None:
    bare = removed(installed(text, COMMANDS).text, ())
    before, after = data_of(text), data_of(bare)
    theirs = {event: groups for event, groups in before.pop("hooks", {}).items() if groups or event not in EVENTS}
    assert {
        event: groups for event, groups in after.pop("hooks", {}).items() if groups or event not in EVENTS
    } == theirs
    assert after == before


@limits(deadline=None)
@given(texts(), st.sampled_from([None, 2, 4]))
def test_a_text_that_was_written_anew_meanwhile_loses_only_what_is_memds(text: str, indent: int | None) -> None:
    edited = installed(text, COMMANDS)
    data = data_of(edited.text)
    data["hooks"]["Stop"].append(THEIRS)
    data["new"] = 1
    after = data_of(removed(json.dumps(data, indent=indent), edited.pieces))
    assert after.pop("new") == 1
    assert after["hooks"]["Stop"][-1] == THEIRS
    assert "# memd's hook" not in json.dumps(after)


def test_edits_around_it_stay_to_the_byte() -> None:
    text = '{\n  "model": "a",\n  "hooks": {\n    "Stop": [ {"hooks": []} ]\n  }\n}\n'
    edited = installed(text, COMMANDS)
    changed = edited.text.replace('"a"', '"b"   ').replace('"hooks": {', '"theme" : 1,\n  "hooks": {')
    expected = text.replace('"a"', '"b"   ').replace('"hooks": {', '"theme" : 1,\n  "hooks": {')
    assert removed(changed, edited.pieces) == expected


@pytest.mark.parametrize(
    "text",
    ["", "no json", "[]", "3", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "{} {}", "{" * 5000, '{"a": 1,}'],
    ids=["empty", "words", "list", "number", "hooks", "groups", "two", "deep", "comma"],
)
def test_what_is_no_settings_text_is_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        installed(text, COMMANDS)
    with pytest.raises(RefusedError):
        removed(text, ())


def test_of_two_members_with_one_name_the_last_counts() -> None:
    edited = installed('{"hooks": {}, "hooks": {"Stop": []}}', COMMANDS)
    assert data_of(edited.text)["hooks"].keys() == set(EVENTS)


@limits(deadline=None)
@given(trees, st.sampled_from([None, 2, "\t"]))
def test_every_part_of_a_text_is_found_where_it_stands(tree: object, indent: int | str | None) -> None:
    def agrees(value: json_text.Value) -> bool:
        same = json.loads(text[value.start : value.end]) == value.data
        return same and all(agrees(part.value) for part in value.parts)

    text = json.dumps(tree, indent=indent)
    root = json_text.parse(text)
    assert root.data == tree
    assert agrees(root)


def test_the_commands_name_what_they_run_safely() -> None:
    assert command("/a b/python", "/it's/hook.py", "Stop") == (
        "[ -x '/a b/python' ] && [ -r '/it'\"'\"'s/hook.py' ] && exec '/a b/python' -I -S -E '/it'\"'\"'s/hook.py' Stop"
        " 2>/dev/null || : # memd's hook"
    )
    assert hook_settings.EVENTS[0] == "SessionStart"

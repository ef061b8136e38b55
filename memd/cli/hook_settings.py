"""memd's hooks in the text of Claude Code's settings: put in, and taken out again to the byte. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memd.cli.json_text import Form, Value, parse, place_for_more, without
from memd.errors import RefusedError

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")
_HOOKS = "hooks"
_MARK = "# memd's hook"  # at the end of a command: a comment to the shell, and how memd knows its own again
_TIMEOUT = 5  # seconds that an agent waits at worst; the hook itself gives up far sooner


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A text with memd's hooks, and what was put into it, piece by piece."""

    text: str
    pieces: tuple[str, ...]


def command(python: str, script: str, event: str) -> str:
    """What an agent runs at an event. Where memd or its Python is gone, it does nothing, successfully."""
    python, script = shlex.quote(python), shlex.quote(script)
    return f"[ -x {python} ] && [ -r {script} ] && exec {python} -I -S -E {script} {event} 2>/dev/null || : {_MARK}"


def installed(text: str, commands: Mapping[str, str], pieces: Sequence[str] = ()) -> Edited:
    """The text with a hook for each event. `pieces` are those of an earlier time, whose hooks are brought up to date.

    Raises RefusedError where the text is none of Claude Code's settings.
    """
    standing = {place.event: place for place in _own(_root(text))}
    for event in reversed([event for event in standing if event in commands]):
        text, pieces = _up_to_date(text, standing[event].command, commands[event], pieces)
    root = _root(text)
    added = dict(_additions({event: one for event, one in commands.items() if event not in standing}, text, root))
    for at in sorted(added, reverse=True):
        text = text[:at] + added[at] + text[at:]
    return Edited(text=text, pieces=(*pieces, *added.values()))


def removed(text: str, pieces: Sequence[str]) -> str:
    """The text without memd's hooks. As it was before, to the byte, where the pieces still stand there as put in.

    Raises RefusedError where the text is none of Claude Code's settings.
    """
    whole = text
    for piece in reversed(pieces):
        if whole.count(piece) != 1:
            break
        whole = whole.replace(piece, "")
    else:
        if _is_right(whole, text):
            return whole
    while (place := next(_own(_root(text)), None)) is not None:
        text = _without_hook(text, place)
    return text


def own_commands(text: str) -> dict[str, str]:
    """What memd's hooks in a text run, by event. Raises RefusedError as above."""
    return {place.event: str(place.command.data) for place in _own(_root(text))}


def is_installed(text: str) -> bool:
    """Whether any hook of memd stands in a text. Raises RefusedError as above."""
    return next(_own(_root(text)), None) is not None


def _root(text: str) -> Value:
    try:
        root = parse(text)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"the settings are not valid JSON: {error}", hint="correct the file first") from error
    hooks = root.data.get(_HOOKS, {}) if isinstance(root.data, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event, []), list) for event in EVENTS):
        raise RefusedError("the settings do not have the shape that Claude Code reads", hint="correct the file first")
    return root


def _additions(commands: Mapping[str, str], text: str, root: Value) -> Iterator[tuple[int, str]]:
    """What to put where, each of it in one piece."""
    form = Form.of(text, root)
    groups = {event: {"hooks": [_entry(one)]} for event, one in commands.items()}
    hooks = root.member(_HOOKS)
    known = {} if hooks is None else {part.key: part.value for part in hooks.value.parts}
    for event in [event for event in groups if event in known]:
        here = known[event]
        yield place_for_more(here), form.piece([(None, groups.pop(event))], 3, is_first=not here.parts)
    lists = [(event, [group]) for event, group in groups.items()]
    if hooks is None:
        yield place_for_more(root), form.piece([(_HOOKS, dict(lists))], 1, is_first=not root.parts)
    elif lists:
        yield place_for_more(hooks.value), form.piece(lists, 2, is_first=not hooks.value.parts)


def _entry(command: str) -> dict[str, object]:
    return {"type": "command", "command": command, "timeout": _TIMEOUT}


def _up_to_date(text: str, standing: Value, wanted: str, pieces: Sequence[str]) -> tuple[str, Sequence[str]]:
    old, new = text[standing.start : standing.end], json.dumps(wanted, ensure_ascii=False)
    changed = tuple(piece.replace(old, new) for piece in pieces)
    return text[: standing.start] + new + text[standing.end :], changed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a hook of memd stands: each of the containers around it with its place in there."""

    event: str
    command: Value
    way: tuple[tuple[Value, int], ...]  # from the root inwards


def _own(root: Value) -> Iterator[_Place]:
    """Every hook that memd put there."""
    for at, member in enumerate(root.parts):
        if member.key == _HOOKS:
            for number, event in enumerate(member.value.parts):
                for way, found in _in_groups(event.value):
                    outer = ((root, at), (member.value, number))
                    yield _Place(event=event.key or "", command=found, way=(*outer, *way))


def _in_groups(groups: Value) -> Iterator[tuple[tuple[tuple[Value, int], ...], Value]]:
    for place, group in enumerate(groups.parts):
        hooks = group.value.member(_HOOKS)
        for number, hook in enumerate(hooks.value.parts if hooks else ()):
            said = hook.value.member("command")
            if said is not None and hooks is not None and str(said.value.data).endswith(_MARK):
                yield ((groups, place), (hooks.value, number)), said.value


def _without_hook(text: str, place: _Place) -> str:
    """Without one hook, and without what has nothing else in it then."""
    for container, number in reversed(place.way):
        if len(container.parts) > 1:
            return without(text, container, number)
    return without(text, *place.way[0])


def _is_right(after: str, before: str) -> bool:
    """Whether only memd's hooks are gone: what stays is the same, however it is written."""
    try:
        root = _root(after)
    except RefusedError:
        return False
    return next(_own(root), None) is None and _others(root.data) == _others(parse(before).data)


def _others(data: Any) -> Any:  # noqa: ANN401 - any JSON
    """The settings without memd's hooks and without what is empty."""
    hooks = {event: [one for one in map(_other, groups) if one] for event, groups in data.get(_HOOKS, {}).items()}
    return {key: value for key, value in data.items() if key != _HOOKS}, {e: g for e, g in hooks.items() if g}


def _other(group: Any) -> Any:  # noqa: ANN401 - any JSON
    if not isinstance(group, dict) or not isinstance(group.get(_HOOKS), list):
        return group
    kept = [
        one for one in group[_HOOKS] if not str(one.get("command") if isinstance(one, dict) else "").endswith(_MARK)
    ]
    return group | {_HOOKS: kept} if kept else None

"""A change to an agent's settings as a person is shown it: which hooks come, change and go, and what they run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

_ANY = "EVENT"


def lines(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Lines for people, from memd's commands by event."""
    changed = [event for event in dict.fromkeys((*after, *before)) if before.get(event) != after.get(event)]
    for event in changed:
        yield f"  {_sign(before.get(event), after.get(event))} hooks.{event}"
    for command in dict.fromkeys(_general(event, after[event]) for event in changed if event in after):
        yield ""
        yield f"  which run, with the name of the event for {_ANY}:"
        yield from _steps(command)


def _sign(before: str | None, after: str | None) -> str:
    return "+" if before is None else "-" if after is None else "~"


def _general(event: str, command: str) -> str:
    """The command without the event's name, so that six that are alike are told once."""
    return command.replace(f" {event} ", f" {_ANY} ")


def _steps(command: str) -> Iterable[str]:
    return (f"      {step}" for step in command.replace(" && ", " &&\n").splitlines())

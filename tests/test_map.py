"""The map in CONTRIBUTING.md names every module of a room, and no other."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import memd

HOUSE = Path(memd.__file__).parent
MAP = Path(__file__).parent.parent / "CONTRIBUTING.md"
_ROW = re.compile(r"\| (?:`(?P<room>\w+)`)? ?\| [^|]* \| (?P<modules>[^|]*) \|")


def rooms() -> dict[str, set[str]]:
    """What stands in each room, by the map: modules, and folders with their slash."""
    found: dict[str, set[str]] = defaultdict(set)
    room = ""
    for row in _ROW.finditer(MAP.read_text("utf-8")):
        room = row["room"] or room
        found[room] |= set(re.findall(r"`([\w/]+)`", row["modules"]))
    return found


def standing(room: str) -> set[str]:
    """What stands there."""
    return {path.stem for path in (HOUSE / room).glob("*.py")} - {"__init__"}


def test_every_module_is_on_the_map() -> None:
    missing = {room: standing(room) - named for room, named in rooms().items()}
    assert {room: names for room, names in missing.items() if names} == {}


def test_nothing_is_on_the_map_that_is_not_there() -> None:
    for room, named in rooms().items():
        folders = {name for name in named if name.endswith("/")}
        assert named - folders <= standing(room), room
        assert all((HOUSE / room / folder).is_dir() for folder in folders), room


def test_every_room_is_on_the_map() -> None:
    assert {path.parent.name for path in HOUSE.glob("*/__init__.py")} == set(rooms())

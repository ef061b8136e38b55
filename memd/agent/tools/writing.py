"""Write and Edit: inside the private copy of the memory directory, and nowhere else."""

from __future__ import annotations

from memd import files
from memd.agent import permissions
from memd.agent.tools import arguments
from memd.agent.tools.arguments import DeniedError, Kind, Parameter, Tool, Values
from memd.agent.tools.roots import Place, Root, Roots
from memd.errors import UnsafePathError
from memd.memory import secrets, topic
from memd.memory.layout import INDEX, TEAM, TOPIC_LIMIT

_WHERE = f"You can write `memory/<name>.md` and `bullets.md`; a name is {permissions.NAME_RULE}."
_GENERATED = frozenset({INDEX, f"{TEAM}/{INDEX}"})
_LONGEST = 2 * TOPIC_LIMIT  # characters looked at; the limit itself is in bytes

WRITE = Tool(
    name="Write",
    what=f"Write a whole memory file. {_WHERE} At most 32 KB of UTF-8. memd rebuilds MEMORY.md itself.",
    parameters=(
        Parameter(name="file_path", what="`memory/<name>.md` or `bullets.md`.", required=True),
        Parameter(name="content", what="The whole new text.", required=True, longest=_LONGEST),
    ),
)
EDIT = Tool(
    name="Edit",
    what=f"Replace a passage of a memory file. {_WHERE}",
    parameters=(
        Parameter(name="file_path", what="`memory/<name>.md` or `bullets.md`.", required=True),
        Parameter(
            name="old_string", what="The passage, exactly, without line numbers.", required=True, longest=_LONGEST
        ),
        Parameter(name="new_string", what="What stands there afterwards.", required=True, longest=_LONGEST),
        Parameter(name="replace_all", what="Every occurrence; else it must be the only one.", kind=Kind.FLAG),
    ),
)


def write(roots: Roots, values: Values) -> str:
    """Put a whole text at a place."""
    return _put(roots, _target(roots, values), arguments.text(values, "content"))


def edit(roots: Roots, values: Values) -> str:
    """Put one passage in place of another."""
    place = _target(roots, values)
    data = roots.data(place)
    if data is None:
        raise DeniedError(f"There is no {place.shown} to edit; Write makes a new file.")
    old, new = arguments.text(values, "old_string"), arguments.text(values, "new_string")
    text = _decoded(data, place)
    times = text.count(old) if old else 0
    if not times:
        raise DeniedError(f"`old_string` does not stand in {place.shown}; Read shows what does.")
    if times > 1 and not arguments.flag(values, "replace_all"):
        raise DeniedError(f"`old_string` stands in {place.shown} {times} times; give more of it, or `replace_all`.")
    if len(text) + times * (len(new) - len(old)) > _LONGEST:
        raise DeniedError(_too_large(place))
    return _put(roots, place, text.replace(old, new))


def _target(roots: Roots, values: Values) -> Place:
    place = roots.locate(arguments.text(values, "file_path"))
    if place.root is Root.BULLETS:
        return place
    if place.root is not Root.MEMORY or not place.parts:
        raise DeniedError(f"{files.printable(place.shown)} is not yours to write. {_WHERE}")
    if place.rel in _GENERATED:
        return place
    before = roots.data(place)
    reason = permissions.unwritable(place.rel, exists=before is not None, team=roots.workspace.team)
    if reason is not None:
        raise DeniedError(reason)
    if before is not None and topic.parse(before).pinned:
        raise DeniedError(f"{place.shown} is pinned: a person wants it to stay as it is.")
    return place


def _put(roots: Roots, place: Place, text: str) -> str:
    if place.rel in _GENERATED:
        return f"Not needed, and not done: memd rebuilds {INDEX} from each memory's name and description."
    data = _checked(place, text)
    directory, rel = roots.anchor(place), place.rel or roots.workspace.bullets.name
    try:
        with files.open_directory(directory) as anchor:
            changed = files.write_atomic(anchor, rel, data)
    except UnsafePathError as error:
        raise DeniedError(f"{error}. {_WHERE}") from error
    return f"Written: {place.shown}, {len(data)} bytes." if changed else f"{place.shown} already says this."


def _checked(place: Place, text: str) -> bytes:
    data = text.encode()
    if not text.strip():
        raise DeniedError(f"{place.shown} would be empty; leave a memory alone where there is nothing to say.")
    if len(data) > TOPIC_LIMIT:
        raise DeniedError(_too_large(place))
    if found := secrets.find(text):
        where = ", ".join(f"line {finding.line}: {finding.rule}" for finding in found[:5])
        raise DeniedError(f"Not written: secrets are never remembered ({where}). Write it without them.")
    return data


def _decoded(data: bytes, place: Place) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DeniedError(f"{place.shown} is not UTF-8 and cannot be edited.") from error


def _too_large(place: Place) -> str:
    return f"{place.shown} would have more than {TOPIC_LIMIT} bytes; one memory holds one subject, shortly."

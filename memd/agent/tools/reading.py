"""Read, Grep and Glob."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memd import files
from memd.agent.tools import arguments, limits, walk
from memd.agent.tools.arguments import DeniedError, Kind, Parameter, Tool, Values
from memd.agent.tools.roots import SEEN, Place, Roots
from memd.agent.tools.walk import Budget

_PLACES = "`memory/…`, `project/…`, `transcript.md` or `bullets.md`"
_MODES = ("files_with_matches", "content", "count")

READ = Tool(
    name="Read",
    what="Read a text file, with numbered lines. Secrets are taken out; hidden files and key files are not readable.",
    parameters=(
        Parameter(name="file_path", what=f"The file: {_PLACES}.", required=True),
        Parameter(name="offset", what="The first line, counted from 1.", kind=Kind.NUMBER),
        Parameter(name="limit", what="How many lines, at most 2000.", kind=Kind.NUMBER),
    ),
)
GREP = Tool(
    name="Grep",
    what="Search the text of files with a regular expression (RE2 syntax), line by line.",
    parameters=(
        Parameter(name="pattern", what="The expression.", required=True, longest=limits.PATTERN_CHARACTERS),
        Parameter(name="path", what=f"A file or directory: {_PLACES}. All of them where not given."),
        Parameter(name="glob", what="Which files, as in `*.py` or `src/**/*.{ts,tsx}`."),
        Parameter(name="output_mode", what="files_with_matches (default), content or count.", choices=_MODES),
        Parameter(name="-i", what="Upper and lower case are the same.", kind=Kind.FLAG),
        Parameter(name="head_limit", what="How many results, at most 250.", kind=Kind.NUMBER),
    ),
)
GLOB = Tool(
    name="Glob",
    what="List files by name. `**/` stands for any directories; a pattern without `/` is a name in any directory.",
    parameters=(
        Parameter(name="pattern", what="The glob, as in `**/*.md`.", required=True, longest=limits.PATTERN_CHARACTERS),
        Parameter(name="path", what=f"The directory: {_PLACES}. All of them where not given."),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What Grep looks for, and how it tells."""

    pattern: Any  # re2 has no types
    mode: str
    most: int


def read(roots: Roots, values: Values) -> str:
    """A part of a file, numbered."""
    place = roots.locate(arguments.text(values, "file_path"))
    lines = roots.clean(place).split("\n")
    first = arguments.number(values, "offset", 1)
    most = min(arguments.number(values, "limit", limits.RESULT_LINES), limits.RESULT_LINES)
    part = lines[first - 1 : first - 1 + most]
    if not part:
        raise DeniedError(f"{files.printable(place.shown)} has {len(lines)} lines; `offset` starts behind them.")
    numbered = [f"{first + at}\t{line}" for at, line in enumerate(part)]
    left = len(lines) - (first - 1 + len(part))
    shown = limits.shortened(numbered, "ask for them with `offset`", longest=limits.READ_LINE_CHARACTERS)
    return f"{shown}\n[{left} more lines; ask for them with `offset`]" if left > 0 else shown


def grep(roots: Roots, values: Values, budget: Budget) -> str:
    """What matches, a file or a line at a time."""
    search = _Search(
        pattern=walk.compiled_pattern(
            f"(?m){arguments.text(values, 'pattern')}", ignore_case=arguments.flag(values, "-i")
        ),
        mode=arguments.text(values, "output_mode", _MODES[0]),
        most=min(arguments.number(values, "head_limit", limits.RESULTS), limits.RESULTS),
    )
    written = arguments.text(values, "path")
    asked = roots.locate(written) if written else None
    found: list[str] = []
    for place in _chosen(roots, values, budget, arguments.text(values, "glob")):
        try:
            found += _matches(roots, place, search, budget)
        except DeniedError:  # not a text, too large, or swapped for something else
            if place == asked:
                raise
        if len(found) > search.most:
            break
    return _listed(found, search.most, budget)


def glob(roots: Roots, values: Values, budget: Budget) -> str:
    """The files that a pattern means."""
    chosen = _chosen(roots, values, budget, arguments.text(values, "pattern"))
    found = [place.shown for place, _ in zip(chosen, range(limits.RESULTS + 1), strict=False)]
    return _listed(found, limits.RESULTS, budget)


def _chosen(roots: Roots, values: Values, budget: Budget, pattern: str) -> Iterator[Place]:
    """The files below the place that is asked for, of which a glob speaks; all of them where it is empty."""
    written = arguments.text(values, "path")
    matches = walk.matcher(pattern) if pattern else None
    for base in (roots.locate(written),) if written else walk.everywhere(roots):
        for place in walk.files_at(roots, base, budget):
            if matches is None or (written and place == base) or matches(base, place):
                yield place


def _matches(roots: Roots, place: Place, search: _Search, budget: Budget) -> list[str]:
    """The results of one file, from its cleaned text; the bytes are asked first, as cleaning is slow. DeniedError."""
    data = roots.data(place)
    if data is None:
        raise DeniedError(f"There is no {files.printable(place.shown)}. {SEEN}")
    budget.files, budget.bytes = budget.files - 1, budget.bytes - len(data)
    if search.pattern.search(data) is None:
        return []
    text = roots.text(place, data).encode()
    lines = _lines(text, search)
    if not lines or search.mode == "content":
        return [f"{place.shown}:{number}:{line}" for number, line in lines]
    return [f"{place.shown}:{len(lines)}" if search.mode == "count" else place.shown]


def _lines(text: bytes, search: _Search) -> list[tuple[int, str]]:
    """The lines on which a match begins, with their numbers; one is enough where only files are asked for."""
    most = {"content": search.most + 1, "count": len(text) + 1}.get(search.mode, 1)
    found: list[tuple[int, str]] = []
    at, number, counted = 0, 1, 0
    while len(found) < most and at <= len(text) and (match := search.pattern.search(text, at)) is not None:
        start = text.rfind(b"\n", 0, match.start()) + 1
        end = text.find(b"\n", match.start())
        end = len(text) if end < 0 else end
        number += text.count(b"\n", counted, start)
        counted, at = start, end + 1
        found.append((number, _around(text[start:end], match.start() - start)))
    return found


def _around(line: bytes, at: int) -> str:
    """A line, or of a long one the part about the byte `at`."""
    if len(line) <= limits.LINE_CHARACTERS:
        return line.decode(errors="replace")
    first = max(at - limits.BEFORE_MATCH, 0)
    part = line[first : first + limits.LINE_CHARACTERS - 2 * limits.BEFORE_MATCH].decode(errors="ignore")
    return f"{'[…] ' if first else ''}{part} […]"


def _listed(found: list[str], most: int, budget: Budget) -> str:
    spent = budget.spent()
    if not found:
        return f"Nothing found; {spent}: name a narrower path." if spent else "Nothing found."
    shown = limits.shortened(found[:most], "narrow the search")
    more = spent or ("there are more; narrow the search" if len(found) > most else "")
    return f"{shown}\n[{more}]" if more else shown

"""What in a person's message is not their own words: code fences, `>` lines, pasted logs, traces, code and tables.

Prose stays where there is doubt. Only a block of at least three lines, most of which no person types, is a paste; prose
at its edges ("this fails:", "please fix it") belongs to the person.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

_FENCE = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})")
_SMALLEST = 3  # lines
_SHARE = 0.6  # of a block's lines
_LONG_WORD = 100  # characters without a space

_SURE = re.compile(
    r"""\s*(?:
      \[?\d{4}[-/]\d\d[-/]\d\d[T\ ,]\s?\d\d:\d\d              # 2026-04-01 10:15
    | \[?\d\d:\d\d:\d\d\b                                     # 10:15:00
    | (?:[A-Z][a-z]{2}\ ){1,2}\s?\d{1,2}\ \d\d:\d\d:\d\d      # Apr  1 10:15:00
    | \[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\]:\s]
    | (?:[\w.]+)?(?:Error|Exception|Warning)\b(?:\[\w+\])?:   # ValueError: ..., error[E0308]: ...
    | (?:error|warning|note)(?:\[\w+\])?:\s
    | Traceback\ \(most\ recent | Caused\ by: | panic: | goroutine\ \d
    | File\ "[^"]+",\ line\ \d | at\ [\w.$<>/]+\s?\( | from\ [\w/.-]+:\d+:in
    | (?:diff\ --git|index\ [0-9a-f]{7}|@@\ |\+\+\+\ |---\ [ab]/)
    | npm\ (?:ERR!|WARN|error) | [\w./-]+:\d+(?::\d+)?:\s     # src/a.c:10:5: ...
    | [$#%❯]\s\w+
    | \#\d+\s+0x[0-9a-f]+ | 0x[0-9a-f]{6,}
    | (?:PASS|FAIL|ok|FAILED|PASSED)\s+[\w./:-]+
    )""",
    re.VERBOSE,
)
_CODE = re.compile(
    r"""\s*(?:
      (?:def|class|import|from|function|const|let|var|return|public|private|static|func|fn|use|package|\#include)\s+\S+
    | (?:if|for|while|switch|try|else|elif|except|catch)\b.*[{:]\s*$
    | [\w.\[\]"']+\s*(?:=|:=|\+=)\s*\S+
    | ["'][\w.-]+["']\s*:\s
    | </?\w+[^>]*>
    | (?://|/\*|\*/|\#\s?\w+=)
    | (?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE)\b
    | [{}()\[\]]+[,;]?\s*$
    | @\w+
    | [+-](?:\S|\s{2,})
    )|.*(?:[{};]|\)\s*[;,]|=>|->)\s*$""",
    re.VERBOSE,
)
_DIFF = re.compile(r"diff --git |@@ -\d")
_TABLE = re.compile(r"(?:[^|]*\|){2,}|[^\t]*\t[^\t]*\t|(?:\S+\s{2,}){3,}\S")
_WORD = re.compile(r"[A-Za-z']{2,}")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_PROSE_WORDS = frozenset(
    """a an the is are was be to of in on for and or not no you we i it this that with please should must always never
    don't do when so my our your i'm it's because but from""".split()  # noqa: SIM905 - read more easily than a list
)


def without_pastes(text: str) -> str:
    """The lines a person wrote; each piece that was taken out leaves an empty line."""
    lines = text.splitlines()
    pasted = pasted_lines(text)
    kept = ["" if gone else line for line, gone in zip(lines, pasted, strict=True)]
    again = (place and pasted[place] and pasted[place - 1] for place in range(len(lines)))
    return "\n".join(line for line, repeated in zip(kept, again, strict=True) if not repeated).strip()


@lru_cache(maxsize=2048)
def pasted_lines(text: str) -> tuple[bool, ...]:
    """For each of the text's lines whether somebody else, or a machine, wrote it."""
    lines = text.splitlines()
    pasted = _fenced(lines)
    block: list[int] = []
    for place, line in enumerate([*lines, ""]):
        if line.strip() and not pasted[place]:
            block.append(place)
            continue
        for at, gone in zip(block, _pasted_in([lines[at] for at in block]), strict=True):
            pasted[at] = gone
        block = []
    return tuple(pasted[:-1])


def _fenced(lines: list[str]) -> list[bool]:
    """Which lines stand in code fences or after `>`; one more, False, for the end."""
    found_in: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            found_in.append(True)
            if found and found["mark"].startswith(fence) and line.strip() == found["mark"]:
                fence = ""
        else:
            fence = found["mark"] if found else ""
            found_in.append(bool(found) or line.lstrip().startswith((">", "＞")))
    return [*found_in, False]


def _pasted_in(block: list[str]) -> list[bool]:
    """Which lines of a block without gaps are a paste."""
    is_diff = any(_DIFF.match(line) for line in block)
    machine = [_is_machine_made(line) or (is_diff and line[0] in "+- ") for line in block]
    count = sum(machine)
    if count < _SMALLEST:
        return [False] * len(block)
    first, last = machine.index(True), len(machine) - machine[::-1].index(True)
    if count < _SHARE * (last - first):
        return _long_runs(machine)
    return [first <= place < last for place in range(len(block))]


def _long_runs(machine: list[bool]) -> list[bool]:
    """Of a block that is mostly prose the long runs alone."""
    runs = [list(run) for _, run in itertools.groupby(machine)]
    return [made and len(run) >= _SMALLEST for run in runs for made in run]


def _is_machine_made(line: str) -> bool:
    if _SURE.match(line):
        return True
    if _is_prose(line):
        return False
    longest = max((len(word) for word in line.split()), default=0)
    return bool(_CODE.match(line) or _TABLE.match(line)) or longest > _LONG_WORD or _is_mostly_signs(line)


def _is_prose(line: str) -> bool:
    letters = sum(char.isalpha() for char in line)
    if len(_CJK.findall(line)) * 2 >= max(letters, 1):
        return not _TABLE.match(line)
    found = _WORD.findall(line.lower())
    return len(_PROSE_WORDS.intersection(found)) >= 2 and not line.rstrip().endswith(("{", ";", "}"))  # noqa: PLR2004 - two of them are no accident


def _is_mostly_signs(line: str) -> bool:
    text = line.strip()
    signs = sum(not char.isalnum() and not char.isspace() for char in text)
    return len(text) > 8 and signs > 0.3 * len(text)  # noqa: PLR2004 - a rule of thumb

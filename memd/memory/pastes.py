"""What in a person's message is not their own words: code fences, `>` lines, pasted logs, traces, code and tables.

Prose stays where there is doubt. Only a block of at least three lines, most of which no person types, is a paste; prose
at its edges ("this fails:", "please fix it") belongs to the person.
"""

from __future__ import annotations

import re

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
    blocks: list[list[str]] = [[]]
    for line in _outside_fences(text):
        if line.strip():
            blocks[-1].append(line)
        else:
            blocks.append([])
    return "\n\n".join("\n".join(_own_lines(block)) for block in blocks).strip()


def _outside_fences(text: str) -> list[str]:
    kept: list[str] = []
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if fence:
            if found and found["mark"].startswith(fence) and line.strip() == found["mark"]:
                fence = ""
        elif found:
            fence = found["mark"]
            kept.append("")
        else:
            kept.append("" if line.lstrip().startswith((">", "＞")) else line)
    return kept


def _own_lines(block: list[str]) -> list[str]:
    is_diff = any(_DIFF.match(line) for line in block)
    machine = [_is_machine_made(line) or (is_diff and line[0] in "+- ") for line in block]
    count = sum(machine)
    if count < _SMALLEST:
        return block
    first, last = machine.index(True), len(machine) - machine[::-1].index(True)
    if count < _SHARE * (last - first):
        return _without_runs(block, machine)
    return [*block[:first], "", *block[last:]]


def _without_runs(block: list[str], machine: list[bool]) -> list[str]:
    """A block that is mostly prose loses its long runs alone."""
    kept: list[str] = []
    run: list[str] = []
    for line, made in zip([*block, ""], [*machine, False], strict=True):
        if made:
            run.append(line)
            continue
        kept += run if len(run) < _SMALLEST else [""]
        run = []
        kept.append(line)
    return kept[:-1]


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

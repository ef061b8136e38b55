"""What may follow "Bash": one plain read-only command, read into words without a shell. Pure.

A list of harmless programs is no boundary (`find -exec`, `grep -f`, `tail --pid`), so every flag that is known stands
here, and what is run is put together anew from what was understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memd.agent import invisible
from memd.agent.tools.arguments import DeniedError

RULE = (
    "Bash runs one plain command that only reads: ls, cat, head, tail, wc, grep, find or stat, with paths below "
    "`memory/` or `project/`. No pipes, redirections, variables, wildcards, substitutions or second commands; quote a "
    "pattern ('*.py'). Grep and Glob search directories."
)

_NUMBER = r"[0-9]{1,7}"
_OUTSIDE = frozenset("`$;&|<>(){}#~*?[]\\")  # what a shell would take for something else than itself
_IN_DOUBLE_QUOTES = frozenset("`$\\")
_TESTS: Mapping[str, str] = {
    "-name": r".{1,200}",
    "-iname": r".{1,200}",
    "-path": r".{1,200}",
    "-ipath": r".{1,200}",
    "-type": r"[fdl]",
    "-size": r"[+-]?[0-9]{1,9}[ckMG]?",
    "-mtime": rf"[+-]?{_NUMBER}",
    "-mmin": rf"[+-]?{_NUMBER}",
}
_DEPTHS = ("-maxdepth", "-mindepth")
_WORDS = {"!": "!", "-not": "!", "-o": "-o", "-or": "-o", "-a": "-a", "-and": "-a", "-empty": "-empty"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The flags of a program: those that stand alone, and those with a value and what that looks like."""

    alone: str = ""
    valued: Mapping[str, str] = field(default_factory=dict)
    count: str = ""  # the flag that `-5` is short for
    reads: bool = True  # whether it reads what lies in files; else only their names and figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A command that is understood: `options` come before the paths, `expression` behind them."""

    program: str
    options: tuple[str, ...]
    paths: tuple[str, ...]
    expression: tuple[str, ...] = ()
    reads: bool = True


GRAMMARS: Mapping[str, Grammar] = {
    "cat": Grammar(alone="bEnsTv"),
    "find": Grammar(reads=False),
    "grep": Grammar(
        alone="cEFGHhiLlnoqsvwxy",
        valued={"A": _NUMBER, "B": _NUMBER, "C": _NUMBER, "m": _NUMBER, "e": r"(?s).{0,1000}"},
        count="C",
    ),
    "head": Grammar(alone="qv", valued={"n": rf"-?{_NUMBER}", "c": rf"-?{_NUMBER}"}, count="n"),
    "ls": Grammar(alone="1AadFghilnopRrSst", reads=False),
    "stat": Grammar(alone="t", valued={"c": r"[%A-Za-z0-9 :,._/=-]{1,100}"}, reads=False),
    "tail": Grammar(alone="qv", valued={"n": rf"[+-]?{_NUMBER}", "c": rf"[+-]?{_NUMBER}"}, count="n"),
    "wc": Grammar(alone="cLlmw"),
}


def parse(command: str) -> Parsed:
    """A command as the program, its options and the paths it names. DeniedError for whatever is not plain."""
    words = split(command)
    if not words or words[0] not in GRAMMARS:
        raise DeniedError(RULE)
    program, rest = words[0], words[1:]
    return _find(rest) if program == "find" else _options(program, rest)


def split(command: str) -> list[str]:
    """The words of a command line. Quotes join words as in a shell; nothing else has a meaning, so it is refused."""
    if invisible.removed(command) != command or any(char in "\n\r\x0b\x0c\x85\u2028\u2029" for char in command):
        raise DeniedError(f"Line breaks and invisible characters are not allowed. {RULE}")
    words: list[str] = []
    word: str | None = None
    quote = ""
    for char in command:
        if quote:
            if char == quote:
                quote = ""
            elif quote == '"' and char in _IN_DOUBLE_QUOTES:
                raise DeniedError(f"{char} is not allowed within double quotes; use single ones. {RULE}")
            else:
                word = (word or "") + char
        elif char in {"'", '"'}:
            quote, word = char, word or ""
        elif char in " \t":
            words += [] if word is None else [word]
            word = None
        elif char in _OUTSIDE:
            raise DeniedError(f"{char} is not allowed outside of quotes. {RULE}")
        else:
            word = (word or "") + char
    if quote:
        raise DeniedError(f"A quote is not closed. {RULE}")
    return words if word is None else [*words, word]


def _options(program: str, words: list[str]) -> Parsed:
    grammar = GRAMMARS[program]
    options: list[str] = []
    operands: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            operands += left
        elif len(word) > 1 and word.startswith("-"):
            options += _read_option(program, grammar, word, left)
        else:
            operands.append(word)
    if program == "grep" and "-e" not in options:
        if not operands:
            raise DeniedError(f"grep needs a pattern and files. {RULE}")
        options += ["-e", operands.pop(0)]
    if grammar.reads and not operands:
        raise DeniedError(f"{program} needs a file to read. {RULE}")
    return Parsed(program=program, options=tuple(options), paths=tuple(operands), reads=grammar.reads)


def _read_option(program: str, grammar: Grammar, word: str, left: Iterator[str]) -> list[str]:
    """One word of flags, with the value that follows it where one of them takes one."""
    if grammar.count and re.fullmatch(_NUMBER, word[1:]):
        return [f"-{grammar.count}", word[1:]]
    options: list[str] = []
    for at, char in enumerate(word[1:], start=2):
        if char in grammar.alone:
            options.append(f"-{char}")
        elif char in grammar.valued:
            value = word[at:] or next(left, "")
            if not re.fullmatch(grammar.valued[char], value):
                raise DeniedError(f"Not a value for {program} -{char}. {_flags(program)}")
            return [*options, f"-{char}", value]
        else:
            raise DeniedError(_flags(program))
    return options


def _find(words: list[str]) -> Parsed:
    start = next((at for at, word in enumerate(words) if word.startswith(("-", "!"))), len(words))
    depths: list[str] = []
    tests: list[str] = []
    left = iter(words[start:])
    for word in left:
        if word in _DEPTHS:
            depths += [word, _value(word, _NUMBER, left)]
        elif word in _TESTS:
            tests += [word, _value(word, _TESTS[word], left)]
        elif word in _WORDS:
            tests.append(_WORDS[word])
        elif word != "-print":
            raise DeniedError(_flags("find"))
    chosen = ["(", *tests, ")", "-print"] if tests else ["-print"]
    expression = (*depths, "(", "-name", ".git", "-prune", ")", "-o", *chosen)
    return Parsed(program="find", options=(), paths=tuple(words[:start]), expression=expression, reads=False)


def _value(word: str, shape: str, left: Iterator[str]) -> str:
    value = next(left, "")
    if not re.fullmatch(shape, value):
        raise DeniedError(f"Not a value for find {word}. {_flags('find')}")
    return value


def _flags(program: str) -> str:
    if program == "find":
        known = " ".join((*_DEPTHS, *_TESTS, *_WORDS, "-print"))
    else:
        grammar = GRAMMARS[program]
        known = " ".join(f"-{char}" for char in (*grammar.alone, *grammar.valued))
    return f"{program} takes paths and no flags but: {known or 'none'}. {RULE}"

"""Whether a memory says more than its quotes do: the things it names, and the words it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memd.memory import words
from memd.memory.quotes import folded

SHARE = 0.3  # of a rule's content words must stand in its quotes; a third held honest paraphrases

# Compared with quotes as it stands: no name is that long, and patterns would take their time over it.
_MONSTER = re.compile(r"[!-~]{400,}")
_URL = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.)[^\s<>\"'`）)\]，。、；]+", re.IGNORECASE | re.ASCII)
_SPAN = re.compile(r"`+([^`]+?)`+")
_HOST = re.compile(
    r"(?<![\w.@/-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?(?![\w-])", re.IGNORECASE | re.ASCII
)
_ADDRESS = re.compile(
    r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\blocalhost:\d+", re.ASCII
)
_PATH = re.compile(
    r"""(?<![\w/])(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@*-]+)*/?
    |(?<![\w/.@-])@?[\w.-]+/(?:[\w.@-]+/)+[\w.@*-]*
    |(?<![\w/.@-])@?[\w-][\w.-]*/[\w-]+\.\w{1,5}\b
    |(?<!\w)@[\w-]+/[\w.-]+""",
    re.VERBOSE | re.ASCII,
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+", re.ASCII)
_INSTALL = re.compile(
    r"\b(?:pip3?|uv|npm|pnpm|yarn|bun|cargo|gem|brew|apt(?:-get)?|dnf|apk|go|poetry|conda|docker|npx|uvx|pipx)\s+"
    r"(?:install|add|get|i|pull|run)\s+(?:-{1,2}[\w=-]+\s+){0,5}([\w@./:=\[\]-]+)",
    re.ASCII,
)
_THING = r"(?:packages?|librar(?:y|ies)|modules?|dependenc(?:y|ies)|crates?|gems?|plugins?|extensions?|images?)"
_PACKAGES = (
    re.compile(rf"\b([A-Za-z@][\w@/.-]+)\s+{_THING}\b", re.ASCII),
    re.compile(rf"\b{_THING}\s+(?:called\s+|named\s+)?([a-z@][\w@/.-]*[\d_./@-][\w@/.-]*)", re.ASCII),
    re.compile(r"(?<![\w.-])([A-Za-z@][\w@/.-]+)\s?(?:包|库|依赖|模块|插件|镜像)", re.ASCII),
)
_NOT_A_PACKAGE = frozenset(  # as text, because it is read more easily than as 40 strings
    """the a an this that these those our your its their any each every all some no new old other such same standard
    client shared third-party external internal public private local open-source extra more which what base common and
    or of in with for add adding remove removing install installing update updating upgrade upgrading pin pinning use
    using build building publish publishing import importing many several few unused outdated heavy small large big
    python npm node go rust ruby php java docker native browser""".split()  # noqa: SIM905 - as said
)


def ungrounded(memory: str, quoted: str, known: str = "") -> tuple[str, ...]:
    """The URLs, commands, hosts, addresses, paths, flags and packages that `memory` names and `quoted` does not.

    What the memory named before it was changed (`known`) needs no new quote.
    """
    said = folded(f"{quoted}\n{known}").casefold()
    return tuple(dict.fromkeys(name for name in _names(memory) if not _stands_in(folded(name).casefold(), said)))


def share_quoted(rule: str, quoted: str, known: str = "") -> float:
    """How many of a rule's content words stand in its quotes, 0 to 1.

    Words that it had before do not count, unless it has no others: the same words turned round need quotes too.
    """
    said = words.content_words(rule)
    wanted = said - words.content_words(known) or said
    if not wanted:
        return 0.0
    return len(wanted & words.content_words(quoted)) / len(wanted)


def first_paragraph(body: str) -> str:
    """What a memory says before it gives reasons."""
    return next((part for part in re.split(r"\n\s*\n", body.strip()) if not part.startswith("**")), "")


def _stands_in(name: str, said: str) -> bool:
    """Whether a name was said, and not only as the inside of a longer word."""
    return bool(re.search(rf"(?<![a-z0-9]){re.escape(name)}" if name[:1].isalnum() else re.escape(name), said))


def _names(memory: str) -> Iterator[str]:
    text = memory
    for pattern in (_MONSTER, _URL, _ADDRESS):
        yield from (found.rstrip(".,;:!?") for found in pattern.findall(text))
        text = pattern.sub(" ", text)
    yield from _code(text)
    for pattern in (_PATH, _HOST, _FLAG):
        yield from (found.rstrip(".,;:!?") for found in pattern.findall(text) if not _is_abbreviation(found))
    yield from _packages(text)


def _code(text: str) -> Iterator[str]:
    """What stands in backticks, and the lines of code blocks."""
    pieces = re.split(r"^[ \t]*(?:```|~~~).*$", text, flags=re.MULTILINE)
    for block in pieces[1::2]:
        yield from (line.strip() for line in block.splitlines() if line.strip())
    for prose in pieces[::2]:
        yield from (span.strip() for span in _SPAN.findall(prose) if span.strip())


def _packages(text: str) -> Iterator[str]:
    yield from (found.rstrip(".,;") for found in _INSTALL.findall(text))
    for pattern in _PACKAGES:
        found_names = (name.rstrip(".,;") for name in pattern.findall(text))
        yield from (name for name in found_names if name.lower() not in _NOT_A_PACKAGE)


def _is_abbreviation(found: str) -> bool:
    return found.lower().rstrip(".") in {"e.g", "i.e", "a.m", "p.m", "and/or"}

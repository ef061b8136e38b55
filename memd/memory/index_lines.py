"""The lines of MEMORY.md: reading them without losing a byte, and writing an entry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from memd.memory import words
from memd.memory.layout import INDEX, LEVELS, NOT_TOPICS

ENTRY_LIMIT = 150  # characters of a line

_TITLE_LIMIT = 60
_SHORTEST_HOOK = 8
_ATOM = re.compile(r"[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’][a-z]+)?|[\u3400-\u9fff\uf900-\ufaff]")
_SHORTEST_TITLE = 2  # words of content, or Chinese characters: a title that a hook may go on from
_CLAUSE_END = re.compile(r"[,;:.!?]\s|[，；：。！？]|\s[–—-]+\s")
_CLOSING = re.compile(r"\A[`\"'”’」』)）]+")
_LINK_VERB = re.compile(r"\A(?:(?:is|are)\s+|是\s*)")
_BETWEEN = " ,;:.!?，；：。！？—–-"
_LINE = re.compile(r"([^\n]*?)(\r?\n|\Z)")
_ENTRY = re.compile(
    r"""(?P<link>
        [ \t]{0,8}[-*+][ \t]+
        \[(?P<title>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]
        \(<?(?:\./)?(?P<path>[^()<>\s:\#]+\.md)(?:\#[^()<>\s]*)?>?\)
    )
    (?P<rest>.*)""",
    re.VERBOSE,
)
_NOT_IN_A_TARGET = re.compile(r"[\s()<>#%:\\]")
_NO_PLACE = NOT_TOPICS | {"..", "/"}
# Joiners and variation selectors: with combining marks, what must not be cut off from the character before it.
_JOINED = "\u200d\ufe0e\ufe0f"
_FIRST_SKIN_TONE, _LAST_SKIN_TONE = "\U0001f3fb", "\U0001f3ff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line about one topic file."""

    title: str
    path: str  # relative to the memory directory
    hook: str  # may be empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line's text and what ends it."""

    text: str
    end: str = "\n"  # "\r\n", or "" at the end of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A file's lines, with what is to be kept of the file as a whole."""

    mark: str  # byte order mark, or ""
    rows: tuple[Line, ...]
    line_break: str  # what new lines end with
    is_ended: bool  # whether the last line has an end

    def joined(self, rows: Sequence[Line]) -> bytes:
        """These rows as a file of the same kind."""
        texts = [row.text + (row.end or self.line_break) for row in rows]
        if texts and not self.is_ended:
            texts[-1] = rows[-1].text
        return (self.mark + "".join(texts)).encode("utf-8", errors="surrogateescape")


def read(data: bytes) -> Lines:
    """A file's lines; bytes that are not UTF-8 survive."""
    text = data.decode("utf-8", errors="surrogateescape")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    rows = tuple(_rows(text.removeprefix(mark)))
    return Lines(
        mark=mark,
        rows=rows,
        line_break="\r\n" if rows and rows[0].end == "\r\n" else "\n",
        is_ended=not rows or rows[-1].end != "",
    )


def _rows(text: str) -> Iterator[Line]:
    return (Line(text=found[1], end=found[2]) for found in _LINE.finditer(text) if found[0])


def parse_line(text: str) -> Entry | None:
    """The entry on a line, None when the line is something else: prose, a heading, a link elsewhere."""
    found = _ENTRY.fullmatch(text)
    if found is None:
        return None
    path = unquote(found["path"])
    return Entry(title=found["title"], path=path, hook=_hook(found["rest"])) if is_topic(path) else None


def is_topic(path: str) -> bool:
    """Whether a path can be that of a private topic file: at most two levels, no log, no team memory."""
    parts = PurePosixPath(path).parts
    return path != INDEX and 0 < len(parts) <= LEVELS and parts[0] not in _NO_PLACE and "/".join(parts) == path


def _hook(rest: str) -> str:
    return rest.strip().lstrip("—–-:").strip()


def entry_line(title: str, path: str, hook: str) -> str:
    """One entry, at most 150 characters; a path that fills them alone is still written whole.

    Where the hook only says the title again, or opens with it, the line goes on from there.
    """
    target = _NOT_IN_A_TARGET.sub(lambda found: quote(found[0], safe=""), path)
    room = ENTRY_LIMIT - len(f"- []({target})")
    link = f"- [{shortened(_plain_title(title), max(1, min(_TITLE_LIMIT, room)))}]({target})"
    return _with_hook(link, hook)


def refreshed(text: str, hook: str) -> str:
    """An entry's line with another hook; its title stays, and all of it where the hook says so already."""
    found = _ENTRY.fullmatch(text)
    if found is None or not hook.strip():
        return text
    line = _with_hook(found["link"], hook)
    return text if _hook(line.removeprefix(found["link"])) == _hook(found["rest"]) else line


def _with_hook(link: str, hook: str) -> str:
    room = ENTRY_LIMIT - len(link) - len(" — ")
    found = _ENTRY.fullmatch(link)
    text = _going_on(found["title"], " ".join(hook.split())) if found else " ".join(hook.split())
    text = _cut(text, room) if room >= _SHORTEST_HOOK else ""
    return f"{link} — {text}" if text else link


def _going_on(title: str, hook: str) -> str:
    """A hook without its beginning where that is the title again."""
    said = [found[0].casefold() for found in _ATOM.finditer(title)]
    wanted = [atom for word in said if (atom := _stem(word))]
    met = 0
    for found in _ATOM.finditer(hook):
        atom = _stem(found[0])
        if atom and (met >= len(wanted) or atom != wanted[met]):
            return hook
        met += bool(atom)
        if met >= _SHORTEST_TITLE and met == len(wanted):
            rest = _after_grammar(said, hook[found.end() :])
            rest = _LINK_VERB.sub("", _CLOSING.sub("", rest).strip(_BETWEEN))
            return rest if len(rest) >= _SHORTEST_HOOK or words.content_words(rest) else ""
    return hook


def _after_grammar(said: Sequence[str], rest: str) -> str:
    """The rest of a hook without the mere grammar that its title ends with: "... only", "... with a capital K"."""
    count = next((number for number, word in enumerate(reversed(said)) if _stem(word)), 0)
    for word in said[len(said) - count :]:
        found = _ATOM.match(rest.lstrip())
        if found is None or found[0].casefold() != word:
            break
        rest = rest.lstrip()[found.end() :]
    return rest


def _stem(atom: str) -> str:
    """What of a word or a Chinese character tells it from others; nothing for mere grammar."""
    return atom if atom > "\u3400" else "".join(words.content_words(atom))


def _cut(text: str, width: int) -> str:
    """At most `width` characters, at the end of a clause where one is in the second half."""
    if len(text) <= width:
        return text
    ends = [found.start() for found in _CLAUSE_END.finditer(text) if width // 2 <= found.start() <= width]
    return text[: ends[-1]] if ends else shortened(text, width)


def _plain_title(title: str) -> str:
    """A title that cannot end its own link."""
    return " ".join(title.translate(str.maketrans("[]\\", "()/")).split()) or "Untitled"


def shortened(text: str, width: int) -> str:
    """At most `width` characters, cut between words where one is near, else between whole characters."""
    if len(text) <= width:
        return text
    end = width - 1
    while end and _continues(text[end]):
        end -= 1
    head = text[:end]
    space = head.rfind(" ")
    if space > width // 2 and text[end] != " ":
        head = head[:space]
    return head.rstrip(" ,;:.—–-") + "…"


def _continues(char: str) -> bool:
    is_skin_tone = _FIRST_SKIN_TONE <= char <= _LAST_SKIN_TONE
    return bool(unicodedata.combining(char)) or char in _JOINED or is_skin_tone

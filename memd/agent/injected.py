"""Parts of a text that nobody said: what a harness, a hook or memd put in, and what a person marked as private.

memd's own output carries the mark `<memd-memory>…</memd-memory>` around whatever it puts into a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memd.memory.prompt import MARK

PRIVATE = "private"
_NAMES = (
    rf"{PRIVATE}|{MARK}|system-reminder|persisted-output|task-notification|user-prompt-submit-hook|session-start-hook"
    r"|local-command-[a-z]+|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)"
    r"|user-memory|recalled-memory|relevant-memories|claude-md"
)
_TAG = re.compile(
    rf"[<＜][ \t]{{0,9}}([/／]?)[ \t]{{0,9}}({_NAMES})(?=[\s/／>＞])[^<>＜＞\n]{{0,200}}[>＞]?", re.IGNORECASE
)
# A file's contents as the harness shows them, and a hook's words: everything behind goes, since nothing marks the end.
_TO_THE_END = re.compile(
    r"^(?:Contents of [^\n]{1,500}\.md \([^\n]{1,200}\):"
    r"|(?:SessionStart|SessionEnd|UserPromptSubmit|PreToolUse|PostToolUse|PostToolBatch|Stop|SubagentStop|PreCompact)"
    r"(?::[\w-]{1,40})? hook (?:success|error|additional context|feedback)[^\n:]{0,40}:)",
    re.MULTILINE,
)
_ROUNDS = 8  # taking a part out can bring halves of a tag together; after this many nothing of the text is kept


def removed(text: str) -> str:
    """`text` without such parts; an opened one goes to the end, and a private one that only closes from the start."""
    for _ in range(_ROUNDS):
        spans = sorted([*_tagged(text), *_untagged(text)])
        if not spans:
            return text
        text = _without(text, spans)
    return text if next(_tagged(text), None) is None else ""


def _untagged(text: str) -> Iterator[tuple[int, int]]:
    found = _TO_THE_END.search(text)
    if found:
        yield found.start(), len(text)


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """Each name's outermost blocks; blocks of different names may overlap."""
    opened: dict[str, tuple[int, int]] = {}  # name: start of the outermost block, depth
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        start, depth = opened.get(name, (tag.start(), 0))
        if not tag[1]:
            opened[name] = start, depth + 1
        elif depth > 1:
            opened[name] = start, depth - 1
        elif depth == 1:
            del opened[name]
            yield start, tag.end()
        else:
            yield (0 if name == PRIVATE else tag.start()), tag.end()
    yield from ((start, len(text)) for start, _ in opened.values())


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """What lies outside the spans; a space, or a line break where there was one, stands for each gap."""
    pieces: list[str] = []
    last = 0
    for start, end in spans:
        if start > last:
            pieces.append(text[last:start])
        if end > last:
            pieces.append("\n" if "\n" in text[max(start, last) : end] else " ")
        last = max(last, end)
    return "".join([*pieces, text[last:]])

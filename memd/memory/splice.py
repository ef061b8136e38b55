"""Changes to a header that leave every other byte of it alone, and how a value is written in one.

`yaml.compose` marks where a value stands; that span is replaced, the result is read again and compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from memd.memory import header

KeyPath = tuple[str, ...]

_STR = "tag:yaml.org,2002:str"
# Numbers to YAML 1.2, which other tools read, though text to 1.1.
_NUMBER = re.compile(r"[-+]?(?:0o[0-7]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)")
_ESCAPED = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\"\\]")
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_WIDEST_X, _WIDEST_U = 0xFF, 0xFFFF


class _CannotSpliceError(Exception):
    """This header's shape leaves no span that can be replaced with certainty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    start: int
    end: int
    text: str


def edit(text: str, values: Mapping[KeyPath, str], drop: Collection[str] = ()) -> str | None:
    """`text`, a header, with the values at these key paths replaced and these top-level keys taken out.

    None when that cannot be done with certainty. Every path must exist; keys in `drop` need not.
    """
    try:
        # The pure loader, whatever is installed: its marks are known to count characters.
        node = header.compose(text, yaml.SafeLoader)
        before = header.read(text)
        edits = _edits(text, node, values, drop)
    except (header.HeaderError, _CannotSpliceError):
        return None
    result = _applied(text, edits)
    return result if _says(result, _expected(before, values, drop)) else None


def _edits(
    text: str, node: yaml.MappingNode | None, values: Mapping[KeyPath, str], drop: Collection[str]
) -> list[_Edit]:
    if node is None:
        raise _CannotSpliceError
    replaced = [_replacement(text, node, path, value) for path, value in values.items()]
    removed = [_removal(text, node, key, value) for key, value in node.value if key.value in drop]
    return replaced + removed


def _replacement(text: str, node: yaml.MappingNode, path: KeyPath, value: str) -> _Edit:
    parent: yaml.Node = node
    for key in path[:-1]:
        parent = _child(parent, key)
    old = _child(parent, path[-1])
    start, end = old.start_mark.index, old.end_mark.index
    if not isinstance(old, yaml.ScalarNode) or text[start : start + 1] == "!":
        raise _CannotSpliceError
    if old.style in {"|", ">"}:
        return _block_replacement(text, start, end, value)
    written = scalar(value, style=old.style or "", in_flow=bool(getattr(parent, "flow_style", False)), tag=old.tag)
    return _Edit(start=start, end=end, text=written if start < end else " " + written)


def _block_replacement(text: str, start: int, end: int, value: str) -> _Edit:
    """A block scalar becomes one line; the blank lines that YAML counts to it stay."""
    block = text[start:end]
    if "#" in block.partition("\n")[0]:
        raise _CannotSpliceError
    return _Edit(start=start, end=start + len(block.rstrip()), text=scalar(value))


def _child(parent: yaml.Node, key: str) -> Any:  # noqa: ANN401 -- any node
    found = [value for name, value in parent.value if name.value == key] if _is_mapping(parent) else []
    if len(found) != 1:
        raise _CannotSpliceError
    return found[0]


def _is_mapping(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode)


def _removal(text: str, node: yaml.MappingNode, key: yaml.Node, value: yaml.Node) -> _Edit:
    """The whole lines of a key, up to the end of the last word of its value; comments after that stay."""
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    if node.flow_style or text[start : key.start_mark.index].strip():
        raise _CannotSpliceError
    end = _last_word_end(text, value)
    if text[end - 1 : end] != "\n":
        end = text.find("\n", end) + 1 or len(text)
    return _Edit(start=start, end=end, text="")


def _last_word_end(text: str, node: Any) -> int:  # noqa: ANN401 -- any node
    """Block collections end, for YAML, only where the next thing starts; their last scalar knows better."""
    while not isinstance(node, yaml.ScalarNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end: int = node.end_mark.index
    if getattr(node, "style", None) in {"|", ">"}:
        return node.start_mark.index + len(text[node.start_mark.index : end].rstrip()) or end
    return end


def _applied(text: str, edits: Iterable[_Edit]) -> str:
    for change in sorted(edits, key=lambda change: change.start, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def _expected(
    before: Mapping[str, header.Tree], values: Mapping[KeyPath, str], drop: Collection[str]
) -> dict[str, header.Tree]:
    after = {key: value for key, value in before.items() if key not in drop}
    for path, value in values.items():
        after = _with(after, path, value)
    return after


def _with(tree: Mapping[str, header.Tree], path: KeyPath, value: str) -> dict[str, header.Tree]:
    inner = tree.get(path[0])
    changed = _with(inner, path[1:], value) if isinstance(inner, dict) and path[1:] else value
    return {**tree, path[0]: changed}


def _says(text: str, expected: Mapping[str, header.Tree]) -> bool:
    try:
        return header.read(text) == expected
    except header.HeaderError:
        return False


def scalar(text: str, *, style: str = "", in_flow: bool = False, tag: str = _STR) -> str:
    """One value as YAML writes it on one line: in `style` where that can hold it, else double-quoted.

    `tag` is what a plain value may be taken for, besides text. Lone surrogates become "?".
    """
    text = text.encode("utf-8", errors="replace").decode()
    if style == "'" and not _ESCAPED.search(text.replace('"', "").replace("\\", "")):
        return "'" + text.replace("'", "''") + "'"
    if not style and _is_plain(text, in_flow=in_flow, tags={_STR, tag}):
        return text
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _is_plain(text: str, *, in_flow: bool, tags: Collection[str]) -> bool:
    """Whether a reader gets exactly this text back when it stands there without quotes."""
    if _ESCAPED.search(text.replace('"', "").replace("\\", "")) or _NUMBER.fullmatch(text):
        return False
    try:
        node = header.compose(f"{{k: {text}}}" if in_flow else f"k: {text}")
    except header.HeaderError:
        return False
    if node is None or len(node.value) != 1:
        return False
    value = node.value[0][1]
    return isinstance(value, yaml.ScalarNode) and not value.style and value.value == text and value.tag in tags


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    code = ord(char)
    if code <= _WIDEST_X:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _WIDEST_U else f"\\U{code:08x}"

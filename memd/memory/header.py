"""The YAML header of a topic file: where it stands in the text, and what it says.

Values are kept as they are written (`no` stays "no", `012` stays "012"), never as what YAML makes of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

SIZE_LIMIT = 32 * 1024  # characters; a whole topic file may have 32 KB
DEPTH_LIMIT = 8  # levels of nesting, the outermost mapping counted

Tree: TypeAlias = "str | tuple[Tree, ...] | dict[str, Tree]"

_FAST_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_LAYOUT = re.compile(
    r"""\A
    (?P<before> \ufeff? (?:[ \t]*\r?\n)* )
    (?P<opening> ---[ \t]*\r?\n )
    (?P<header> .*? )
    (?P<closing> ^---[ \t]*(?:\r?\n|\Z) )
    (?P<body> .* )
    \Z""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_OPENING = re.compile(r"\A\ufeff?(?:[ \t]*\r?\n)*---[ \t]*\r?\n")
_KEY_LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_FLOW_PAIR = re.compile(r"([A-Za-z_][\w-]*):[ \t]+(\"[^\"]*\"|'[^']*'|[^,{}]+)")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE_QUOTED = re.compile(r"'(?:[^']|'')*'")


class HeaderError(ValueError):
    """The header is not YAML that memd accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A file's text in five pieces, which together are the text again."""

    before: str  # byte order mark, blank lines
    opening: str  # the first "---" line
    header: str
    closing: str  # the second "---" line
    body: str


def split(text: str) -> Parts | None:
    """The pieces of a text with a header; None when there is no header, or no end of it."""
    found = _LAYOUT.match(text)
    return Parts(**found.groupdict()) if found else None


def after_opening(text: str) -> str | None:
    """What follows the first "---" line, for a header whose end is missing; None without such a line."""
    found = _OPENING.match(text)
    return text[found.end() :] if found else None


def read(header: str) -> dict[str, Tree]:
    """The header as nested strings; raises HeaderError for what is not a small, plain YAML mapping."""
    node = compose(header)
    return {} if node is None else _mapping(node)


def compose(header: str, loader: Any = _FAST_LOADER) -> yaml.MappingNode | None:  # noqa: ANN401 -- two unrelated loader classes
    """The header's YAML nodes, None for an empty one; raises HeaderError."""
    try:
        _refuse_bombs(header)
        node = yaml.compose(header, loader)
    except yaml.YAMLError as error:
        raise HeaderError(getattr(error, "problem", None) or "not YAML") from error
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise HeaderError("not a mapping")
    return node


def _refuse_bombs(header: str) -> None:
    """Stop at aliases, which multiply, and at depth, which exhausts the stack, before nodes are built."""
    if len(header) > SIZE_LIMIT:
        raise HeaderError("too long")
    depth = 0
    for event in yaml.parse(header, _FAST_LOADER):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise HeaderError("aliases and anchors are not accepted")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_LIMIT:
            raise HeaderError("nested too deeply")


def _mapping(node: yaml.MappingNode) -> dict[str, Tree]:
    pairs: dict[str, Tree] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise HeaderError("a key is not a word")
        if key.value in pairs:
            raise HeaderError("a key stands twice")
        pairs[key.value] = _tree(value)
    return pairs


def _tree(node: yaml.Node) -> Tree:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_tree(item) for item in node.value)
    # An escape such as "\ud800" makes half a character, which nothing can write again.
    return str(node.value).encode("utf-8", errors="replace").decode()


def read_leniently(header: str) -> dict[str, Tree]:
    """What `key: value` lines say in a header that is not YAML; the first of a key that stands twice."""
    pairs: dict[str, Tree] = {}
    top: str | None = None
    for line in header.splitlines():
        if found := _KEY_LINE.fullmatch(line.rstrip()):
            top = found[1]
            pairs.setdefault(top, _lenient_value(found[2] or ""))
        elif top and line[:1] in {" ", "\t", "-"}:
            pairs[top] = _lenient_child(pairs[top], line.strip())
    return pairs


def _lenient_value(text: str) -> Tree:
    text = text.strip()
    if text.startswith("{"):
        return {key: _unquoted(value) for key, value in _FLOW_PAIR.findall(text)}
    return _unquoted(text)


def _lenient_child(value: Tree, line: str) -> Tree:
    """`value` with what an indented line adds to it: a list item, a pair, or more of the text."""
    found = _KEY_LINE.fullmatch(line)
    if line.startswith("- ") and not (isinstance(value, str) and value):
        return (*(value if isinstance(value, tuple) else ()), _unquoted(line[2:]))
    if found and (value == "" or isinstance(value, dict)):
        return {**(value if isinstance(value, dict) else {}), found[1]: _unquoted(found[2] or "")}
    return f"{value} {line}".strip() if isinstance(value, str) else value


def _unquoted(text: str) -> str:
    text = text.strip()
    if _DOUBLE_QUOTED.fullmatch(text):
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if _SINGLE_QUOTED.fullmatch(text):
        return text[1:-1].replace("''", "'")
    return text

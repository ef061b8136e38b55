"""Places where a secret stands whatever it looks like: after `password:`, in a URL, in a header, in a key block."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import re2

from memd.memory import secret_values

Span = tuple[str, int, int]  # rule, start, end

_WINDOW = 1_100  # characters looked at behind a place
_MAX_PLACES = 1_000  # of one kind in a text; what follows is withheld
_QUOTES = frozenset({'"', "'", "`"})
_KEY_BLOCK = 32 * 1024  # characters between a key block's first and last line

_STRONG = r"pass_?words?|passwd|passphrase|pass_?code|[a-z]*pwd|[_-]pass|kennwort|passwort"
_SHORT = r"\bpass|\bpw"  # words of prose too: names only where something is assigned to them
_WEAK = (
    r"secret_key_base|(?:api|access|secret|private|auth|account|signing|encryption|service|deploy|license|master|app)"
    r"[ _-]?(?:secret[ _-]?)?key|secret|token|credentials?|bearer"
)
_TAIL = r"(?:[_-]?(?:prod|production|live|test|testing|dev|staging|stage|old|new|main|root|admin|backup|[0-9]{1,2}))?"
_CLOSE = r"(?:\\?[\"'`*]{1,2})?\]?"
_ANNOTATED = r"\s*:\s*(?:&?(?:'static\s)?)[A-Za-z_][A-Za-z_.\[\]<>?|]*\s*=\s*"
_SEPARATED = r"[ \t]*(?:=>|:=|={1,3}|->|:)[ \t]*\*{0,2}[ \t]*(?:\r?\n[ \t]*)?"
_ABOUT = r"(?:[ \t]+(?:for|of|on|to|in|at|there|here|now|,)(?:[ \t]+[a-z0-9_.'?/-]+){0,5}?)?"
_CHANGED = r"(?:(?:is|was|been|has been) )?(?:now )?(?:set|changed|reset|rotated|updated) to"
_SAID = rf"[ \t]+(?:{_CHANGED}|is|was|becomes|=|:)[ \t]+(?:now |still |just )?[:=]?"

_ASSIGNED = rf"(?i)(?:({_STRONG}|{_SHORT})|({_WEAK})){_TAIL}{_CLOSE}({_ANNOTATED}|{_SEPARATED})"
_TOLD = rf"(?i)(?:({_STRONG}|\bpw)|({_WEAK})){_TAIL}{_CLOSE}{_ABOUT}{_SAID}"
_BESIDE = rf"(?i)(?:({_STRONG})|({_WEAK})){_TAIL}(?:\\?[\"'`])?[ \t]*[,(>]?[ \t]*\\?([\"'`])"
_BARE = rf"(?i)({_STRONG}){_TAIL}(?:[ \t]+\(?|>)([!#-&*+/-9<?-\\^_a-~][!-~]{{5}})"
_CHINESE = (
    r"(密码|口令|密碼|暗号|密钥|令牌)[^\s,.;:=，。；：是为]{0,8}?[ \t]*"
    r"(?:就是|是|改为|改成了?|为|换成了?|用|叫|設為|设为|设成)?[ \t]*[:=]?[ \t]*"
)
_OPTION = (
    r"(?i)--?[a-z-]*(?:(password|passwd|pass|passphrase)|(token|secret|api-?key|access-?key|secret-?key|auth))[ \t=]+"
)
_URL = r"[A-Za-z][A-Za-z0-9+.-]*://([^\s/@:?#\"'`<>]*):([^\s/\"'`<>]+)@([^\s/\"'`<>@]*)"
_HEADER = (
    r"(?i)(?:authorization\\?[\"'`]?\s*(?:\]\s*)?[:=,]\s*\\?[\"'`]?(?:bearer|basic|token|apikey)|\bbearer)[ \t]+"
    r"([A-Za-z0-9._~+/=|:-]{8,})"
)
_LOGIN = (
    r"(?i)\b(?:curl|wget|http|https|xh)\b[^\n]*?[ \t](?:-[a-z]*u|--user|-a|--auth)[ \t=]*[\"']?[^\s:\"'/]+:([^\s\"']+)"
)
_COMMAND = (
    r"(?i)\b(?:(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]*?[ \t]-p|sshpass[ \t]+-p[ \t]*"
    r"|redis-cli\b[^\n|;&]*?[ \t]-a[ \t]*|docker[ \t]+login\b[^\n|;&]*?[ \t]-p[ \t]*)([\"']?[^\s\"']+)"
)
_KEY_EDGE = r"-----(BEGIN|END)[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_KEY_BODY = r"[A-Za-z0-9+/=]{24,}"


@functools.cache
def _compiled(pattern: str | bytes) -> Any:  # noqa: ANN401 - re2 has no types
    return re2.compile(pattern)


class _TooDenseError(Exception):
    """More places than honest text has."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def spans(text: str) -> Iterator[Span]:
    """Every place in `text` that holds a value."""
    low = text.lower()
    for keywords, places in _PLACES:
        if any(keyword in low for keyword in keywords):
            try:
                yield from places(text)
            except _TooDenseError as dense:
                yield "too-dense", dense.start, len(text)


def _hits(pattern: str, text: str) -> Iterator[Any]:
    """Matches, with offsets that hold in `text`. Raises _TooDenseError past the limit."""
    ascii_only = pattern.isascii()  # bytes, one a character: several times faster than text
    compiled = _compiled(pattern.encode() if ascii_only else pattern)
    for count, match in enumerate(compiled.finditer(text.encode("ascii", "replace") if ascii_only else text)):
        if count >= _MAX_PLACES:
            raise _TooDenseError(match.start())
        yield match


def _value(text: str, start: int) -> tuple[int, int, bool]:
    """Start and end of the value at `start`, and whether it was quoted (then without its quotes)."""
    if text.startswith("\\", start) and text[start + 1 : start + 2] in {'"', "'"}:
        start += 1
    quote = text[start : start + 1]
    if quote and quote in "\"'`":
        return start + 1, _quoted_end(text, start + 1, quote), True
    length = _compiled(r"[!#-&(-_a-~]*").match(text[start : start + _WINDOW]).end()
    return start, _trimmed(text, start, start + length), False


def _quoted_end(text: str, start: int, quote: str) -> int:
    end = text.find(quote, start, start + _WINDOW)
    if end < 0 or any(character.isspace() for character in text[start:end]):
        return start
    return end - 1 if text[end - 1 : end] == "\\" else end


def _trimmed(text: str, start: int, end: int) -> int:
    """The end of an unquoted value without the next pair of a list and the sentence's own punctuation."""
    cut = _compiled(r"[&;,][ \t]*[A-Za-z_][A-Za-z0-9_-]*[=:]|\\[nrt\"']|</").search(text[start:end])
    end = start + cut.start() if cut is not None else end
    return start + len(text[start:end].rstrip(",;.:)]}>\\"))


def _judged(text: str, start: int, *, strong: bool, bare: bool = False, env: bool = False) -> Iterator[Span]:
    start, end, quoted = _value(text, start)
    value = text[start:end]
    if not quoted and not env and secret_values.name(value):
        return
    if strong and (secret_values.password(value, quoted=quoted, bare=bare) or (env and secret_values.env_word(value))):
        yield "password", start, end
    elif not strong and secret_values.credential(value, quoted=quoted):
        yield "credential", start, end


def _assigned(text: str) -> Iterator[Span]:
    for match in _hits(_ASSIGNED, text):
        strong = match.group(1)
        if b"==" in match.group(3) and text[match.end() : match.end() + 1] not in _QUOTES:
            continue  # compared with a name
        env = strong is not None and strong.isupper() and match.group(3) == b"="
        yield from _judged(text, match.end(), strong=strong is not None, env=env)


def _told(text: str) -> Iterator[Span]:
    for match in _hits(_TOLD, text):
        yield from _judged(text, match.end(), strong=match.group(1) is not None)


def _beside(text: str) -> Iterator[Span]:
    for match in _hits(_BESIDE, text):
        yield from _judged(text, match.start(3), strong=match.group(1) is not None)
    for match in _hits(_BARE, text):
        yield from _judged(text, match.start(2), strong=True, bare=True)


def _chinese(text: str) -> Iterator[Span]:
    for match in _hits(_CHINESE, text):
        yield from _judged(text, match.end(), strong=match.group(1) not in {"密钥", "令牌"})


def _option(text: str) -> Iterator[Span]:
    for match in _hits(_OPTION, text):
        yield from _judged(text, match.end(), strong=match.group(1) is not None)


def _url(text: str) -> Iterator[Span]:
    for match in _hits(_URL, text):
        user, value, host = (text[slice(*match.span(i))] for i in (1, 2, 3))
        port = _compiled(r"^\d{1,5}(?:[?#]|$)").search(value) is not None
        if value != user and not port and not host.startswith("sha256:") and not secret_values.placeholder(value):
            yield ("url-password", *match.span(2))


def _header(text: str) -> Iterator[Span]:
    for match in _hits(_HEADER, text):
        value = text[slice(*match.span(1))]
        named = match.group().lower().startswith(b"authorization")
        if secret_values.credential(value, quoted=True) or (named and secret_values.password(value, quoted=True)):
            yield ("authorization-header", *match.span(1))


def _command(text: str) -> Iterator[Span]:
    for pattern in (_LOGIN, _COMMAND):
        for match in _hits(pattern, text):
            value = text[slice(*match.span(1))].strip("\"'")
            if len(value) > 3 and not secret_values.placeholder(value) and not value.isdigit():  # noqa: PLR2004
                yield ("command-password", *match.span(1))


def _key_blocks(text: str) -> Iterator[Span]:
    """Private keys, from their first line to their last, or to the end of their body where that is missing."""
    edges = [(match.group(1), match.start(), match.end()) for match in _hits(_KEY_EDGE, text)]
    for i, (kind, start, end) in enumerate(edges):
        if kind != b"BEGIN":
            continue
        closed = i + 1 < len(edges) and edges[i + 1][0] == b"END" and edges[i + 1][1] - end <= _KEY_BLOCK
        stop = edges[i + 1][1] if i + 1 < len(edges) else len(text)
        body = [match.end() for match in _compiled(_KEY_BODY).finditer(text[end : min(stop, end + _KEY_BLOCK)])]
        if body:
            yield "private-key", start, edges[i + 1][2] if closed else end + body[-1]


_PLACES: tuple[tuple[tuple[str, ...], Callable[[str], Iterator[Span]]], ...] = (
    (("private key",), _key_blocks),
    (("://",), _url),
    (("bearer", "authorization"), _header),
    (("curl", "wget", "http", "xh", "mysql", "mariadb", "sshpass", "redis-cli", "docker"), _command),
    (("pass", "pwd", "pw", "key", "secret", "token", "credential", "kennwort"), _assigned),
    (("pass", "pwd", "pw", "key", "secret", "token", "credential", "kennwort"), _told),
    (("pass", "pwd", "pw", "key", "secret", "token", "credential", "kennwort"), _beside),
    (("pass", "token", "secret", "key", "auth"), _option),
    (("密码", "口令", "密碼", "暗号", "密钥", "令牌"), _chinese),
)

"""Places where a secret stands whatever it looks like: after `password:`, in a URL, in a header, in a key block."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memd.memory import secret_blocks, secret_sayings, secret_values
from memd.memory.secret_cut import Span, TooDenseError, compiled, hits, judged

_STRADDLING = 1_200  # characters of a value that begins before a withheld part and ends in it
_QUOTES = frozenset({'"', "'", "`"})

_STRONG = (
    r"pass_?words?|passwd|passphrase|pass_?code|[a-z]*pwd|[_-]pass|kennwort|passwort|mot de passe|contrase.a|wachtwoord"
)
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
_SAID = rf"[ \t]+(?:{_CHANGED}|is|was|becomes|ist|lautet|est|es|=|:)[ \t]+(?:now |still |just )?[:=]?"

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
    r"|redis-cli\b[^\n|;&]*?[ \t]-a[ \t]*|(?:docker|podman|helm|az)[ \t]+[a-z \t]*login\b[^\n|;&]*?[ \t]-p[ \t]*"
    r"|ldap[a-z]+\b[^\n|;&]*?[ \t]-w[ \t]*|(?:un)?zip\b[^\n|;&]*?[ \t]-P[ \t]*"
    r"|smb[a-z]+\b[^\n|;&]*?[ \t]-U[ \t]*[^\s%]+%"
    r"|-pass(?:in|out)?[ \t]+pass:)([\"']?[^\s\"']+)"
)
_PIPED = r"(?i)\becho[ \t]+([\"']?[^\s\"'|]+)[\"']?[ \t]*\|[ \t]*sudo\b"
_USER_AND = (
    r"(?i)[ \t](?:(?:-u|--user(?:name)?)[ \t=]*[\w.@+\\-]+[ \t]+(?:[^\n|;&]*?[ \t])?-p[ \t]*|/user:[\w.@\\-]+[ \t]+)"
    r"([\"']?[^\s\"']+)"
)
_AT_HOST = r"\b[\w.-]{1,64}:([^\s:@/\"'`<>]{6,64})@[\w-]+\.[\w.-]+"
_LABELLED = (  # the name in one field, the value in the next: Kubernetes' `env`, XML's `add`, Terraform's `variable`
    r"(?i)(?:(?:name|key|id)\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?|variable[ \t]+\")"
    rf"[\w.-]*(?:({_STRONG})|({_WEAK}))[\w-]*\\?[\"']?"
    r"(?:[\s,>-]+|[ \t]*\{[^}]{0,200}?)\\?[\"']?(?:value|default)\\?[\"']?[ \t]*[:=][ \t]*"
)
_PGPASS = r"(?:^|[\s>`'\"(])(?:[\w.-]+|\*):(?:\d{4,5}|\*):[\w.*-]+:[\w.*@-]+:([^\s`'\")]+)"


def spans(text: str) -> Iterator[Span]:
    """Every place in `text` that holds a value. Where one rule withholds the rest, the others need not read it."""
    low, read = text.lower(), text
    known = {word for word in _KEYWORDS if word in low}
    for keywords, places in _PLACES:
        if not known.isdisjoint(keywords):
            try:
                yield from places(read)
            except TooDenseError as dense:
                yield "too-dense", dense.start, len(text)
                read = read[: dense.start + _STRADDLING]


def _assigned(text: str) -> Iterator[Span]:
    for match in hits(_ASSIGNED, text):
        strong = match.group(1)
        if b"==" in match.group(3) and text[match.end() : match.end() + 1] not in _QUOTES:
            continue  # compared with a name
        env = strong is not None and strong.isupper() and match.group(3) == b"="
        yield from judged(text, match.end(), strong=strong is not None, env=env)


def _told(text: str) -> Iterator[Span]:
    for match in hits(_TOLD, text):
        yield from judged(text, match.end(), strong=match.group(1) is not None)


def _beside(text: str) -> Iterator[Span]:
    for match in hits(_BESIDE, text):
        yield from judged(text, match.start(3), strong=match.group(1) is not None)
    for match in hits(_BARE, text):
        yield from judged(text, match.start(2), strong=True, bare=True)


def _chinese(text: str) -> Iterator[Span]:
    for match in hits(_CHINESE, text):
        yield from judged(text, match.end(), strong=match.group(1) not in {"密钥", "令牌"})


def _option(text: str) -> Iterator[Span]:
    for match in hits(_OPTION, text):
        yield from judged(text, match.end(), strong=match.group(1) is not None)


def _labelled(text: str) -> Iterator[Span]:
    for match in hits(_LABELLED, text):
        yield from judged(text, match.end(), strong=match.group(1) is not None)


def _pgpass(text: str) -> Iterator[Span]:
    for match in hits(_PGPASS, text):
        if secret_values.password(text[slice(*match.span(1))], quoted=True):
            yield ("password", *match.span(1))


def _url(text: str) -> Iterator[Span]:
    for match in hits(_URL, text):
        user, value, host = (text[slice(*match.span(i))] for i in (1, 2, 3))
        port = compiled(r"^\d{1,5}(?:[?#]|$)").search(value) is not None
        if value != user and not port and not host.startswith("sha256:") and not secret_values.placeholder(value):
            yield ("url-password", *match.span(2))


def _at_host(text: str) -> Iterator[Span]:
    for match in hits(_AT_HOST, text):
        if secret_values.made_up(text[slice(*match.span(1))]):
            yield ("url-password", *match.span(1))


def _header(text: str) -> Iterator[Span]:
    for match in hits(_HEADER, text):
        value = text[slice(*match.span(1))]
        named = match.group().lower().startswith(b"authorization")
        if secret_values.credential(value, quoted=True) or (named and secret_values.password(value, quoted=True)):
            yield ("authorization-header", *match.span(1))


def _command(text: str) -> Iterator[Span]:
    for pattern in (_LOGIN, _COMMAND, _PIPED):
        for match in hits(pattern, text):
            value = text[slice(*match.span(1))].strip("\"'")
            if len(value) > 3 and not secret_values.placeholder(value) and not value.isdigit():  # noqa: PLR2004
                yield ("command-password", *match.span(1))


def _user_and(text: str) -> Iterator[Span]:
    for match in hits(_USER_AND, text):
        if secret_values.made_up(text[slice(*match.span(1))].strip("\"'")):
            yield ("command-password", *match.span(1))


_PROGRAMS = ("sudo", "mysql", "mariadb", "sshpass", "redis-cli", "login", "ldap", "zip", "smb", "pass:")
_WORDS = ("pass", "pwd", "pw", "key", "secret", "token", "credential", "kennwort", "contrase", "wachtwoord")
_PLACES: tuple[tuple[tuple[str, ...], Callable[[str], Iterator[Span]]], ...] = (
    (("private key",), secret_blocks.key_blocks),
    (("://",), _url),
    (("bearer", "authorization"), _header),
    (("curl", "wget", "http", "xh", *_PROGRAMS), _command),
    ((" -p", "\t-p", "/user:"), _user_and),
    (("@",), _at_host),
    (_WORDS, _assigned),
    (("value", "default"), _labelled),
    ((":",), _pgpass),
    (_WORDS, _told),
    (_WORDS, _beside),
    (("pass", "token", "secret", "key", "auth"), _option),
    (("密码", "口令", "密碼", "暗号", "密钥", "令牌"), _chinese),
    (("auth", "basic"), secret_blocks.encoded_pairs),
    (("kind",), secret_blocks.manifests),
    *secret_sayings.PLACES,
)
_KEYWORDS = frozenset(word for keywords, _ in _PLACES for word in keywords)

"""Whether a string that stands where a secret would stand looks like one. Pure, linear, no state."""

from __future__ import annotations

import functools
import math
from collections import Counter
from typing import Any

import re2

_MIN_PASSWORD = 6  # characters
_MIN_MADE_UP = 8
_MIN_CREDENTIAL = 12
MAX_PASSWORD, MAX_CREDENTIAL = 256, 1_024
_MIN_BITS = 3.0  # Shannon entropy a character, over the value itself
_LONG_WORD = 12  # an assignment in an env file may hold plain letters from this length on

# Names of algorithms, versions, dates and the like: letters and digits, yet no secret.
_NOT_A_VALUE = (
    r"(?i)^(?:"
    r"(?:sha|md|base|utf|aes|rsa|oauth|argon|pbkdf|ed|hs|rs|es|ps|http|ipv|rfc|cve|iso|ec|log|gpt)"
    r"[-_]?\d+(?:[-_.]?[a-z0-9]{0,10}){0,3}"
    r"|[vpxsk]\d+(?:[.-]\d+)*[a-z]{0,8}"
    r"|\d+(?:[.,:/-]\d+)*[a-z%]{0,4}"
    r"|\d{4}-\d\d-\d\dt?[\d:.,zt+-]*"
    r"|[a-z]+(?:-[a-z]+)*(?:-\d{1,4}(?:-[a-z]+)+)"
    r"|[a-z]+[-_.]?\d{0,2}\.(?:py|js|tsx?|go|rs|md|json|ya?ml|toml|txt|env|sh|rb|java|c|h|cpp|html|css|lock|pem|key|crt)"
    r")$"
)
_IDENTIFIER = (  # what has three kinds of characters without being a secret
    r"^(?:[A-Za-z]+\d{1,3}[A-Za-z]*"  # camel case around one small number
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w.-]*/[\w./@:-]*|/.*|.*//.*"  # an address, a path
    r"|[A-Z]+-?\d+(?:-[a-z]+)*|[\w.-]+#\d+"  # the number of a ticket or an error
    r"|[\w.]+\(.*|[A-Za-z_]\w*=.*|.*(?:\{|%s|%d).*|.*\|.*\|.*)$"  # code, a template, a pattern
)
_PLACEHOLDERS = (
    r"example|change[-_ ]?me|place[-_]?holder|your[-_]|redacted|dummy|not[-_]?a?[-_]?real|replace[-_]?(?:me|with)",
    r"insert[-_]|\.\.\.|xxxx|\*\*\*|todo|fixme|<|>|\$\{|\$\(|\{\{|%\(|#\{",
    r"^\$[a-z_]|^%[a-z_]+%$|^%[sdr]|^@[a-z_]+@?$|^:[a-z_]+$|^&[a-z_]+$|^\[|^\{|^\(",
    r"^(?:process\.env|import\.meta|os\.|env[.\[(]|getenv|secrets?\.|vars?\.|config[.\[(]|settings[.\[(]|self\.)",
    r"^(?:this|args|opts|options|req|request|ctx)\.",
    r"^(?:op|vault|arn|file|https?|ssm|gcp|aws|keyring|env|ref)(?:\+[a-z]+)?:[/a-z]|^enc\[|^!",
    r"^[*x._•?0-]+$|^~?\.{0,2}/",
)
_PLACEHOLDER = f"(?i){'|'.join(_PLACEHOLDERS)}"
_CODE = r"(?i)^[a-z_$][a-z0-9_$]*(?:(?:\?\.|\.|::|->)[a-z_$][a-z0-9_$]*)*(?:[(\[{].*|[)\]};,]+|(?:\.|::|->)[a-z_$].*)?$"
_SAMPLE = r"(?i)example|placeholder|x{6}|0{12}|redacted|your[-_]?(?:api|key|token|secret)"
_WORDS = """
    password passwd passphrase passcode pass pwd pw secret secrets token tokens key apikey credential credentials
    none null nil true false undefined empty unknown missing required optional string str text bytes int integer number
    bool boolean object any void never test tests testing admin root user username guest default demo foo bar baz
    foobar postgres mysql redis mongo mongodb rabbitmq minio localhost mypassword mysecret mytoken
    hidden masked removed invalid expired bearer basic digest authorization
"""
_COMMON = frozenset(_WORDS.split())


@functools.cache
def _compiled(pattern: str) -> Any:  # noqa: ANN401 - re2 has no types
    return re2.compile(pattern)


def classes(value: str) -> frozenset[str]:
    """Which of lower, upper, digit and symbol occur; hyphen, underscore, dot, slash and colon are no symbols."""
    found = set()
    for character in value:
        if character.islower():
            found.add("lower")
        elif character.isupper():
            found.add("upper")
        elif character.isdigit():
            found.add("digit")
        elif character not in "-_./:,":
            found.add("symbol")
    return frozenset(found)


def bits(value: str) -> float:
    """Shannon entropy in bits a character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if value else 0.0


def placeholder(value: str) -> bool:
    """Whether `value` plainly stands for something else: a variable, an example, a row of stars."""
    few = len(set(value)) <= 2  # noqa: PLR2004 - "xx", "**", "xyxy"
    return few or value.casefold() in _COMMON or _compiled(_PLACEHOLDER).search(value) is not None


def expression(value: str) -> bool:
    """Whether an unquoted `value` reads as code: a name, an attribute, a call."""
    if _compiled(_CODE).match(value) is None:
        return False
    plain = value.rstrip(")]};,")
    return any(mark in plain for mark in (".", "(", "[", "::", "->")) or "digit" not in classes(plain)


def name(value: str) -> bool:
    """Whether `value` is words joined by underscores, with a number behind a word at most: a name in code or SQL."""
    one_case = value.islower() or value.isupper()
    return one_case and _compiled(r"(?i)^_?[a-z]+(?:_[a-z]*\d{0,4})+$").match(value) is not None


def password(value: str, *, quoted: bool, bare: bool = False) -> bool:
    """Whether `value` looks like a password. `bare`: nothing but the word "password" stands before it."""
    if not _MIN_PASSWORD <= len(value) <= MAX_PASSWORD or value.isalpha() or placeholder(value):
        return False
    if not quoted and expression(value):
        return False
    kinds = classes(value)
    if kinds == {"digit"} and value.isdigit():
        return not bare
    if _compiled(_NOT_A_VALUE).match(value) is not None:
        return False
    if bare:
        return len(kinds) >= 3 and "digit" in kinds  # noqa: PLR2004 - three of four classes
    return ("digit" in kinds and len(kinds) > 1) or (len(kinds) > 1 and not _edges_only(value))


def made_up(value: str) -> bool:
    """Whether `value` can hardly be anything but a secret, wherever it stands: no word, name, address or version."""
    if len(value) < _MIN_MADE_UP or not password(value, quoted=False, bare=True) or name(value):
        return False
    return _compiled(_IDENTIFIER).match(value) is None


def _edges_only(value: str) -> bool:
    """Whether symbols stand at the edges alone, as punctuation does."""
    return "symbol" not in classes(value.strip("!?*#&()[]{}=+|;~^$%@\\"))


def env_word(value: str) -> bool:
    """Whether plain letters may be a password because they are assigned in an env file."""
    return len(value) >= _LONG_WORD and value.isascii() and value.isalpha() and not placeholder(value)


def credential(value: str, *, quoted: bool) -> bool:
    """Whether `value` looks like a machine-made key or token."""
    if not _MIN_CREDENTIAL <= len(value) <= MAX_CREDENTIAL or value.isalpha() or placeholder(value):
        return False
    if _compiled(_NOT_A_VALUE).match(value) is not None or (not quoted and (expression(value) or _type(value))):
        return False
    kinds = classes(value)
    return "digit" in kinds and len(kinds) > 1 and bits(value) >= _MIN_BITS


def _type(value: str) -> bool:
    """Whether `value` is the name of a type: words in camel case around one small number."""
    return _compiled(r"^[A-Z]*[a-z]*\d{0,2}(?:[A-Z][a-z]{2,}){2,}$").match(value) is not None


def sample(token: str) -> bool:
    """Whether a token of a vendor's shape is one from documentation."""
    return _compiled(_SAMPLE).search(token) is not None

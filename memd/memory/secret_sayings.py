"""What people say about a secret: "the password is …", "log in as admin / …", "… is our s3 secret", 密码是….

Few rules, that look at how the sentence goes and at what the value is made of, in English, Chinese and some other
languages. A word for a password in a sentence allows a weak value right behind it, and only what can hardly be anything
but a secret (`secret_values.made_up`) further off.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

from memd.memory import secret_values
from memd.memory.secret_cut import Span, hits, judged, value_at

_REACH = 120  # characters of a sentence that belong to a word for a secret
_OVERHANG = 64  # characters of a value that begins there and ends further on
_NEXT = 1  # characters between a word for a password and the one that joins it with its value
_LONGEST_BEFORE = 256  # characters of a value that stands before its name

_ENGLISH = r"pass_?words?|passwd|passphrases?|pass_?codes?|pwd|credentials?|creds|logins?"
_LATIN = (
    r"passwort|kennwort|zugangsdaten|mot de passe|contraseña|contrasena|clave|palavra-passe|senha|wachtwoord"
    r"|adgangskode|passord|salasana|hasło|haslo|heslo|jelszó|parola"
)
_OTHER = r"lösenord|şifre|пароль|パスワード|비밀번호"  # Chinese has a rule of its own
_NAMED = rf"(?i)(?:{_ENGLISH}|\b(?:{_LATIN})|{_OTHER})"
_JOINED = re.compile(
    r"(?:\b(?:is|was|to|be|as|still|now|equals|uses?|ist|lautet|est|es|je|jest|on)\b|^[ \t]?(?:[:=：]|\|[ \t])"
    r"|[:=：](?=[ \t\"'`“「])|(?<!\w)(?:è|é|är|er|это)(?!\w)|は|는|은|是|为)"
    r"[ \t]*(?:now |still |just )?[\"'`(“「]?(?=[!-~]{6})"
)

_BELOW = rf"(?im)(?:^|[\s:>*])(?:{_ENGLISH})[ \t]*:?[ \t]*\r?\n[ \t]*(?:[-*>] )?([!-~]{{8,64}})[ \t]*\r?$"
_FIRST = (
    r"(?im)[ \t\"'`]+(?:is|as|was|=|ist|als|est|comme|es|como)[ \t]+"
    r"(?:the|our|my|your|a|an|their|its|his|her|das|unser|le|el|la)[ \t]+(?:[\w/.-]+[ \t]+){0,3}?"
    r"(?:(pass_?word|passphrase|passwort|kennwort|contraseña|mot de passe|pwd)"
    r"|((?:api|access|secret|private|auth|account|deploy|license)[ _-]?(?:secret[ _-]?)?key|secret|token|credentials?))"
    r"(?:[ \t]*(?:[.,;:!)—-]|$)"
    r"|[ \t]+(?:for|on|of|in|at|to|there|here|until|till|from|and|but|now|für|pour|para)\b)"
)
_ENTRY = r"(?i)\b(?:log(?:ged|s)?[ -]?in|sign(?:ed|s)?[ -]?in|logins?|creds?|credentials|zugang)\b|账号|帐号|用户名"
_PAIR = re.compile(r"(?<![\w./@:-])[\w.@+-]{2,40}[\"'`]?(?:[ \t]*[/:,，、]|[ \t]\|)[ \t]*[\"'`]?(?=[!-~]{6})")
_WITH = (
    r"(?i)\b(?:user(?:[ _-]?name)?|login|account|machine)[ \t:=]+[\"'`]?[\w.@+\\-]{2,60}[\"'`]?\s*[,;/]?\s*"
    r"(?:and |with |und )?(?:the |a )?(?:pass|pw|pwd|password|passwort)[ \t:=]+(?:is |of )?"
)
_ABOUT = r"(?:[ \t]+(?:for|to|of|on)(?:[ \t]+[\w./'-]+){1,4}?)?"
_KEY = rf"(?i)\b(?:key|code){_ABOUT}[ \t]+(?:is|was|=)[ \t]+(?:now |still )?[\"'`]?[!-~]{{2,}}"
_DIGITS = rf"\b(?:PIN|[Pp]asscode|OTP)(?:[ -][Cc]ode)?{_ABOUT}[ \t]*(?:is|was|[:=])[ \t]*(\d{{4,12}})(?:\D|$)"
_WORDS = (
    r"(?im)(?:pass_?word|passphrase|passwort|kennwort|mot de passe|contraseña|wachtwoord|密码|口令)[\"'`*]{0,3}[ \t]*"
    r"(?:[:=：]|\b(?:is|ist|est|es)\b)[ \t]*[\"'`“]?"
    r"((?:[a-zäöüßéèñ]{3,12}[ -]){3,9}[a-zäöüßéèñ]{3,12})[ \t]*(?:[\"'`”.,;!)。，]|\r?$)"
)
# Words with which people talk about passwords; a phrase that is one holds none of them.
_TALK = """
    the and for are was not you your our can may must should will shall has have had its this that with from into when
    then than but any all use used uses see ask get set only also both never always please least more less same one two
    who what where which how why here there after before until while between every each some none been being does did
    is it in on at to of or if be by as an do so no we us my me
    password passwords passphrase login user users admin account accounts field fields form page reset change changed
    changing required optional empty missing wrong weak strong secure plain text hash hashed hashing encrypted stored
    store kept vault manager keychain file files environment variable config settings characters letters digits symbols
    minimum maximum length long short invalid valid validation error failed rotate rotated rotation expired expires
    shared secret secrets token tokens prompt hidden visible string value default input label policy rule rules test
    tests team ops support lead office wiki docs note notes ask asks asked need needs needed
    der die das und ist nicht wird werden muss soll bei mit von für auf dem den eine einen les des est pas dans pour
    los las una para por con
"""


def _named(text: str) -> Iterator[Span]:
    """What stands in the same sentence as a word for a password, after a word that joins them."""
    for start, stop in _sentences(text):
        for joint in _JOINED.finditer(text[start : stop + _OVERHANG]):
            if start + joint.start() > stop:
                break
            place = start + joint.end()
            yield from judged(text, place, strong=True) if joint.start() <= _NEXT else _made_up(text, place)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """From behind each word for a password to the line's end, or to the next such word, which has its own."""
    begun = None
    try:
        for match in hits(_NAMED, text):
            if begun is not None:
                yield begun, _line_end(text, begun, match.start())
            begun = match.end()
    finally:
        if begun is not None:
            yield begun, _line_end(text, begun, len(text))


def _line_end(text: str, start: int, most: int) -> int:
    most = min(most, start + _REACH)
    end = text.find("\n", start, most)
    return most if end < 0 else end


def _made_up(text: str, start: int) -> Iterator[Span]:
    start, end, _ = value_at(text, start)
    if secret_values.made_up(text[start:end]):
        yield "password", start, end


def _before(text: str) -> Iterator[Span]:
    """What is said to be the password, or the key."""
    for match in hits(_FIRST, text):
        head = text[max(0, match.start() - _LONGEST_BEFORE) : match.start()]
        value = head.split()[-1] if head and not head[-1].isspace() else ""
        yield from judged(text, match.start() - len(value), strong=match.group(1) is not None)


def _below(text: str) -> Iterator[Span]:
    """What stands on a line of its own, below the word for it."""
    for match in hits(_BELOW, text):
        yield from _made_up(text, match.start(1))


def _pairs(text: str) -> Iterator[Span]:
    """A user's name and a password, side by side where somebody speaks of logging in."""
    for match in hits(_ENTRY, text):
        rest = text[match.end() : _line_end(text, match.end(), len(text))]
        for pair in _PAIR.finditer(rest):
            yield from _made_up(text, match.end() + pair.end())


def _with(text: str) -> Iterator[Span]:
    """A user's name and then a word for a password, across lines too (netrc)."""
    for match in hits(_WITH, text):
        yield from judged(text, match.end(), strong=True)


def _keys(text: str) -> Iterator[Span]:
    """The key is … : of all that "the key" may mean, only what looks made up."""
    for match in hits(_KEY, text):
        value = re.split(r"[\s\"'`]", text[match.start() : match.end()])[-1]
        yield from _made_up(text, match.end() - len(value))


def _digits(text: str) -> Iterator[Span]:
    for match in hits(_DIGITS, text):
        yield "password", *match.span(1)


def _phrases(text: str) -> Iterator[Span]:
    """A row of plain words that is called the password and does not speak of passwords."""
    for match in hits(_WORDS, text):
        start, end = match.span(1)
        if _talk().isdisjoint(re.split(r"[ -]", text[start:end].lower())):
            yield "password", start, end


@functools.cache
def _talk() -> frozenset[str]:
    return frozenset(_TALK.split())


PLACES: tuple[tuple[tuple[str, ...], Callable[[str], Iterator[Span]]], ...] = (
    (("",), _named),
    (("pass", "pwd", "key", "secret", "token", "credential", "kennwort", "contrase"), _before),
    (("log", "sign", "cred", "zugang", "账号", "帐号", "用户"), _pairs),
    (("pass", "pw"), _with),
    (("pass", "pwd", "cred", "login"), _below),
    (("key", "code"), _keys),
    (("pin", "passcode", "otp"), _digits),
    (("",), _phrases),
)

"""What git says of a remote that cannot be used, in plain words. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memd.memory import secrets
from memd.team.nouns import Outcome, OvertakenError, RemoteError
from memd.team.running import Done

_ADDRESS_SECRET = re.compile(r"(?<=://)[^\s/@]+@")
_TELLING = re.compile(r"(?i)(?:fatal|error|remote|ssh|! )\b|.*\b(?:denied|rejected)\b")
_ASIDE = re.compile("credential storage lock")  # a helper could not write a password down: it was taken all the same
_WORDS = 300  # characters of git's own words that are told
_TOO_LARGE = frozenset({-25, 128 + 25})  # statuses of a program that wrote more than it may: SIGXFSZ

_OVERTAKEN = re.compile(
    r"\[rejected\]|non-fast-forward|fetch first"
    r"|cannot lock ref [^\n]*(?:is at [0-9a-f]+ but expected|reference already exists)|incorrect old value provided"
)
ACCESS = re.compile(
    "authentication failed|could not read username|could not read password|permission denied"
    "|terminal prompts disabled|invalid username or|http basic: access denied|returned error: 40[13]"
    "|not authorized|access denied|unable to get password from user"
)
NO_WAY = re.compile("failed to connect|could not resolve|timed out|proxy|tunnel|operation too slow")
NO_GIT = "another page in its place, such as one to sign in at? Look at that address in a browser"
_LOCKED = re.compile(r"remote: [^\n]*\.lock': file exists")  # by a push of this moment, or by one that died once


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What some words of git's mean; the first kind that fits decides."""

    says: re.Pattern[str]
    outcome: Outcome
    hint: str | None = None


_KINDS = (
    _Kind(
        says=re.compile(r"cannot lock ref [^\n]*' exists; cannot create"),
        outcome=Outcome.REFUSED,
        hint="git keeps no branch below another one: take another name, by `memd team leave` and `init --branch`",
    ),
    _Kind(
        says=_LOCKED,
        outcome=Outcome.REFUSED,
        hint="another git is at work in the remote, or died there: if none is, delete that file",
    ),
    _Kind(
        says=re.compile("detected dubious ownership"),
        outcome=Outcome.DENIED,
        hint="the repository is somebody else's: trust its owner by `git config --global --add safe.directory` of it",
    ),
    _Kind(
        says=re.compile("bad owner or permissions on"),
        outcome=Outcome.DENIED,
        hint="ssh takes settings of your own and root's alone, and in the service of yours alone: put a copy in ~/.ssh",
    ),
    _Kind(
        says=re.compile("unix_listener: cannot bind"),
        outcome=Outcome.DENIED,
        hint="nothing may be written there: `ControlMaster no` for that host in ~/.ssh/config",
    ),
    _Kind(
        says=re.compile("no space left on device|disk quota exceeded"),
        outcome=Outcome.UNWRITABLE,
        hint="make room on the disk",
    ),
    _Kind(
        says=re.compile("host key verification failed|remote host identification has changed"),
        outcome=Outcome.DENIED,
        hint="connect once by hand with `git ls-remote`, and look at its key",
    ),
    _Kind(
        says=re.compile("problem with the ssl ca cert|error setting certificate (?:verify locations|file)"),
        outcome=Outcome.DENIED,
        hint="the file of certificates that git is told of (http.sslCAInfo) cannot be read here",
    ),
    _Kind(
        says=re.compile("certificate subject name|certificate subject alternative name"),
        outcome=Outcome.DENIED,
        hint="the server shows another one's certificate: is the address right?",
    ),
    _Kind(
        says=re.compile("server certificate verification failed|ssl certificate problem|certificate has expired"),
        outcome=Outcome.DENIED,
        hint="git trusts nobody who vouches for that server: give it the certificate of who does"
        " (`git config --global http.sslCAInfo FILE`)",
    ),
    _Kind(
        says=re.compile("(?:response|code|error:) 407|proxy authentication required"),
        outcome=Outcome.DENIED,
        hint="the proxy asks for a password: git's http.proxy, or https_proxy, can hold one",
    ),
    _Kind(
        says=re.compile(r"/info/refs not valid|invalid server response; got|unexpected content-type"),
        outcome=Outcome.MISSING,
        hint=NO_GIT,
    ),
    _Kind(
        says=re.compile(
            r"\[remote rejected\]|pre-receive hook declined|protected branch|fsck error|invalid object"
            r"|service not enabled|file size limit|file too large|transport '[^']*' not allowed"
            r"|mismatched algorithms|attempting to allocate"
        ),
        outcome=Outcome.REFUSED,
    ),
    _Kind(
        says=re.compile(
            "repository not found|repository '[^']*' not found|does not appear to be a git repository"
            "|repository not exported|returned error: 404"
        ),
        outcome=Outcome.MISSING,
        hint="is the address right, and may you see the repository?",
    ),
    _Kind(
        says=ACCESS,
        outcome=Outcome.DENIED,
        hint="`git ls-remote` of it must work without a question: a credential helper or ssh's agent",
    ),
    _Kind(
        says=re.compile("no such (?:file or directory|repository|project)|does not exist"),
        outcome=Outcome.MISSING,
        hint="is the address right, and may you see the repository?",
    ),
)


def classified(done: Done) -> RemoteError:
    """Which error it is that git ended so."""
    said = done.said.lower()
    if _OVERTAKEN.search(said):
        return OvertakenError()
    stopped_writing = "invalid index-pack output" in said and "early eof" not in said  # by its limit, without a word
    if done.stopped == "output" or done.code in _TOO_LARGE or stopped_writing:
        return RemoteError("the remote sends more than is taken", outcome=Outcome.REFUSED)
    kind = next((kind for kind in _KINDS if kind.says.search(said)), None)
    words = in_words(done.said, kind.says if kind else None)
    if kind is not None and kind.says is _LOCKED:  # which another try may find gone
        return OvertakenError(words, outcome=kind.outcome, hint=kind.hint, said=done.said)
    if kind is None:
        return RemoteError(words, outcome=Outcome.OFFLINE, said=done.said)
    return RemoteError(words, outcome=kind.outcome, hint=kind.hint, said=done.said)


def in_words(said: str, about: re.Pattern[str] | None = None) -> str:
    """The line of git's that tells most: printable, and without a secret. The remote can have it say anything.

    That is the one with `about` in it (in small letters), where there is such a one.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip() and not _ASIDE.search(line)]
    first = next((line for line in lines if about and about.search(line.lower())), None) or _telling(lines)
    if first.endswith(":"):  # the reason stands in the line below
        first += " " + "".join(lines[lines.index(first) + 1 :][:1])
    words = re.sub(r"^(?:fatal|error): ", "", first.strip("@ "))[:_WORDS]
    plain = "".join(letter if letter.isprintable() else "?" for letter in words)
    return secrets.redact(_ADDRESS_SECRET.sub("…@", plain))


def _telling(lines: list[str]) -> str:
    telling = [line for line in lines if _TELLING.match(line)] or lines
    return telling[0] if telling else "git ended without a word"

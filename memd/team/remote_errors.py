"""What git says of a remote that cannot be used, in plain words. Pure."""

from __future__ import annotations

import re

from memd.team.nouns import Outcome, OvertakenError, RemoteError
from memd.team.running import Done

_ADDRESS_SECRET = re.compile(r"(?<=://)[^\s/@]+@")
_WORDS = 300  # characters of git's own words that are told

_AUTH = (
    "authentication failed|could not read username|could not read password|permission denied|terminal prompts disabled"
    "|invalid username or|http basic: access denied|returned error: 40[13]|not authorized|access denied"
)
_HOST = (
    "host key verification failed|remote host identification has changed"
    "|server certificate verification failed|ssl certificate problem"
)
_MISSING = (
    "repository not found|repository '[^']*' not found|does not appear to be a git repository|returned error: 404"
    "|repository not exported|no such (?:file or directory|repository|project)|does not exist"
)
_OVERTAKEN = (
    r"\[rejected\]|non-fast-forward|fetch first|cannot lock ref|failed to update ref"
    r"|\[remote rejected\][^\n]*(?:is at|reference already exists)"
)
_REFUSED = (
    r"\[remote rejected\]|pre-receive hook declined|protected branch|fsck error|invalid object|service not enabled"
    r"|file size limit|file too large|transport '[^']*' not allowed|mismatched algorithms|attempting to allocate"
)
_FULL = "no space left on device|disk quota exceeded"


def classified(done: Done) -> RemoteError:
    """Which error it is that git ended so."""
    said = done.said.lower()
    words = in_words(done.said)

    def has(pattern: str) -> bool:
        return re.search(pattern, said) is not None

    if has(_OVERTAKEN):
        return OvertakenError()
    if done.stopped == "output" or done.code in {-25, 128 + 25}:  # SIGXFSZ
        return RemoteError("the remote sends more than is taken", outcome=Outcome.REFUSED)
    if has(_FULL):
        return RemoteError(words, outcome=Outcome.UNWRITABLE, hint="make room on the disk")
    if has(_HOST):
        return RemoteError(
            words, outcome=Outcome.DENIED, hint="connect once by hand with `git ls-remote`, and look at its key"
        )
    if has(_REFUSED):
        return RemoteError(words, outcome=Outcome.REFUSED)
    if has(_AUTH):
        return RemoteError(
            words,
            outcome=Outcome.DENIED,
            hint="`git ls-remote` of it must work without a question: a credential helper or ssh's agent",
        )
    if has(_MISSING):
        return RemoteError(words, outcome=Outcome.MISSING, hint="is the address right, and may you see the repository?")
    return RemoteError(words, outcome=Outcome.OFFLINE, said=done.said)


def in_words(said: str) -> str:
    """The line of git's that tells most, without a password."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"(?i)(fatal|error|remote|ssh|.*denied)\b", line)] or lines
    first = telling[0] if telling else "git ended without a word"
    return _ADDRESS_SECRET.sub("…@", re.sub(r"^(?:fatal|error): ", "", first))[:_WORDS]

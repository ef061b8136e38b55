"""What to do about a remote that git asks by https: about the credential helpers, and a proxy, that are in between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from memd.team import git
from memd.team.git import Repository

_HELPER = re.compile(r"credential\.(?:(.*)\.)?helper", re.DOTALL)
_PROXY = re.compile(r"http\.(?:(.*)\.)?proxy", re.DOTALL)
_PLAIN = re.compile(r"[\w./@+-]+")  # the name of a program, and nothing that may hold a password
_NEVER_WAITING = frozenset({"store", "cache"})
_REJECTED = re.compile("authentication failed|invalid username or|access denied")
_NO_RIGHT = re.compile("returned error: 403|not authorized|permission")


def named(repository: Repository, remote: str) -> tuple[str, ...]:
    """The helpers that git asks for this remote, in its order, by names that hold no secret."""
    found: list[str] = []
    for value in _values(repository, remote, r"^credential\..*helper$", _HELPER):
        found = [*found, _name(value)] if value else []
    return tuple(dict.fromkeys(found))


def of_access(repository: Repository, remote: str, said: str) -> str:
    """What to do where the server lets nobody in, and git `said` that."""
    words, helpers = said.lower(), named(repository, remote)
    by_file = Path(repository.environ.get("HOME", "/"), ".netrc").exists()
    source = f"the credential helper ({_listed(helpers)})" if helpers else "~/.netrc"
    if _NO_RIGHT.search(words) and (helpers or by_file):
        return f"may the account or the token that git has from {source} read and write there?"
    if not helpers:
        besides = ", and ~/.netrc has no password that is taken" if by_file else ""
        return (
            f"git has no credential helper for it here{besides}: `gh auth setup-git`, or `git config --global"
            " credential.helper store`; then `git ls-remote` of it, once, in a terminal"
        )
    if _REJECTED.search(words):
        return f"the password that git has from {source} is not taken: a token that has expired? {_anew(helpers)}"
    return f"{source} gives no password without a question: {_anew(helpers)}"


def of_silence(repository: Repository, remote: str) -> str | None:
    """What may be in the way where no answer comes: a proxy, or a helper that waits for somebody; None: nothing is."""
    if proxy := _proxy(repository, remote):
        return f"it is reached through a proxy ({proxy}): is that the right one, and does it run?"
    waiting = tuple(one for one in named(repository, remote) if one not in _NEVER_WAITING)
    if not waiting:
        return None
    return (
        f"where the server is well, the credential helper ({_listed(waiting)}) may be waiting for somebody:"
        " `git ls-remote` of it must end without a question or a window"
    )


def _anew(helpers: tuple[str, ...]) -> str:
    if "gh" in helpers:
        return "`gh auth login`, and `git ls-remote` of it must work without a question"
    return "sign in once by `git ls-remote` of it in a terminal, after which that must work without a question"


def _listed(helpers: tuple[str, ...]) -> str:
    return ", ".join(f"`{one}`" if _PLAIN.fullmatch(one) else one for one in helpers)


def _name(value: str) -> str:
    """How to speak of a helper: as git's settings name it, or the program that they start, without its arguments."""
    first = value.removeprefix("!").split()[:1]
    program = Path(first[0]).name if first and _PLAIN.fullmatch(first[0]) else ""
    return program.removeprefix("git-credential-") or "a command of the shell's"


def _values(repository: Repository, remote: str, pattern: str, name: re.Pattern[str]) -> Iterator[str]:
    """The values of a setting that is for every server, or for this one by its name."""
    host = urlsplit(remote).hostname
    for key, value in git.settings(repository, pattern):
        found = name.fullmatch(key)
        if found and (found[1] is None or _host(found[1]) in {host, None}):
            yield value


def _host(section: str) -> str | None:
    try:
        return urlsplit(section if "://" in section else f"//{section}").hostname
    except ValueError:
        return None


def _proxy(repository: Repository, remote: str) -> str | None:
    """The variable or the setting that names a proxy for it."""
    environ = repository.environ
    host = (urlsplit(remote).hostname or "").lower()
    apart = (environ.get("no_proxy") or environ.get("NO_PROXY") or "").lower().replace(",", " ").split()
    if "*" in apart or any(f".{host}".endswith(f".{one.lstrip('.')}") for one in apart):
        return None
    told = list(_values(repository, remote, r"^http\..*proxy$", _PROXY))
    if told:
        return "http.proxy" if told[-1] else None
    names = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    return next((name for name in names if environ.get(name)), None)

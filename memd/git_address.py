"""Which git remotes and branches memd talks to: rules over their names alone. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = ("https", "ssh", "git", "file")

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(.+)", re.IGNORECASE)
_SCP = re.compile(r"(?:\w[\w.+-]*@)?(?:\w[\w.-]*|\[[0-9A-Fa-f:.]+\]):(?!:)(?!//)[^\s:-].*")
_LOCAL = re.compile(r"~?/.*")
_HOST = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.%]+\]|[0-9A-Fa-f:.]+")
_USER = re.compile(r"[\w.+%@-]*")
_NOT_IN_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
_LONGEST = 2048  # characters
_LONGEST_BRANCH = 200  # bytes
_TOKEN = 20  # characters
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def remote(value: str) -> str:
    """A remote that may be talked to, as it was given. Raises ValueError, whose words end a sentence about it."""
    text = value.strip()
    if not text or len(text) > _LONGEST or not text.isprintable() or text.startswith("-"):
        raise ValueError("must be the address of a git repository")
    url = _URL.fullmatch(text)
    if url is not None:
        _check_url(text, url[1].lower())
    elif "::" in text.split("/", 1)[0]:  # git would start a program of that name
        raise ValueError(f"must not name a transport of its own ({', '.join(SCHEMES)} or host:path)")
    elif not (_LOCAL.fullmatch(text) or _SCP.fullmatch(text)):
        raise ValueError("must be an https, ssh, git or file address, host:path, or a path on this machine")
    return text


def _check_url(text: str, scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ValueError(f"must be one of {', '.join(SCHEMES)}, not {scheme}")
    parts = urlsplit(text)
    if parts.password is not None or _is_token(parts.username or ""):
        raise ValueError("must not hold a password or a token: git's own credential helper keeps those")
    if parts.query or parts.fragment:
        raise ValueError("must end with the repository's path")
    if scheme == "file":
        if parts.netloc:
            raise ValueError("must name no host after file://")
        return
    user, _, host = parts.netloc.rpartition("@")
    host = re.sub(r":\d*$", "", host) if not host.endswith("]") else host
    # ssh would take a name that begins with a dash for an option.
    if not _HOST.fullmatch(host) or host.startswith("-") or not _USER.fullmatch(user) or user.startswith("-"):
        raise ValueError("must name a host")


def is_local(value: str) -> bool:
    """Whether it is a repository on this machine."""
    return _LOCAL.fullmatch(value) is not None or value.lower().startswith("file:")


def kind(value: str) -> str | None:
    """Which credentials a remote may ask for: "ssh", "https", or None for those that ask for none."""
    if _LOCAL.fullmatch(value) is not None:
        return None
    url = _URL.fullmatch(value)
    scheme = "ssh" if url is None else url[1].lower()
    return scheme if scheme in {"ssh", "https"} else None


def _is_token(user: str) -> bool:
    """Whether what stands for a user's name is a token: it would be seen in every list of processes."""
    return len(user) >= _TOKEN and any(char.isdigit() for char in user)


def branch(value: str) -> str:
    """A branch name that git allows. Raises ValueError, whose words end a sentence about it."""
    text = value.strip()
    parts = text.split("/")
    is_bad = (
        not text.isprintable()
        or len(text.encode(errors="replace")) > _LONGEST_BRANCH
        or text in {"@", "HEAD"}
        or text.endswith(".")
        or _NOT_IN_BRANCH.search(text) is not None
        or any(not part or part.startswith(".") or part.endswith(".lock") for part in parts)
        or text.startswith(("-", "refs/"))
    )
    if is_bad:
        raise ValueError("must be a branch name such as memd")
    return text


def named(pattern: str, directory: str) -> str:
    """A branch in which `{name}` stands for a directory's name, as far as a branch can hold that."""
    plain = _NAME.sub("-", directory).strip(".-").removesuffix(".lock") or "project"
    return pattern.replace("{name}", re.sub(r"\.{2,}", ".", plain))


def shown(value: str) -> str:
    """A remote as people may see it: without what stands before an `@` in a URL, but for git's own name."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/@]*@", _kept, value)


def _kept(found: re.Match[str]) -> str:
    user = found[0][len(found[1]) : -1]
    return found[0] if re.fullmatch(r"[\w.-]+", user) and found[1] != "https://" else found[1]

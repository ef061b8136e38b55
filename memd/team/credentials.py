"""What git needs of a person's environment for their own credentials, in a process that no shell has started."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

PLACES = {"ssh": (".ssh",), "https": (".netrc", ".config/gh")}  # below the home, by the kind of a remote
AGENTS = ("openssh_agent", "ssh-agent.socket", "gcr", "keyring", "gnupg")  # of ssh, in the runtime directory
VARIABLES = frozenset({
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GNUPGHOME",
    "PASSWORD_STORE_DIR", "DBUS_SESSION_BUS_ADDRESS", "KRB5CCNAME", "CURL_CA_BUNDLE",
})  # fmt: skip
_OF_A_LOGIN = frozenset({"SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS"})
# Where an agent lives that ends with its terminal, and where macOS puts the one that it names anew at each login.
_PASSING = ("/tmp/", "/private/tmp/", "/var/run/com.apple.")  # noqa: S108 - only to compare with
_OF_FORWARDING = "/.ssh/agent/"  # the same, by newer versions of ssh
NOBODY = 65534  # the kernel's name for an owner that has none here
_SOCKETS = ("openssh_agent", "ssh-agent.socket", "gcr/ssh", "keyring/ssh", "gnupg/S.gpg-agent.ssh")
_WHICH_KEYS = b"\0\0\0\1\x0b"  # in the protocol of ssh's agents; the answer: its size, its kind, how many, and which
_COUNT = 5  # bytes of the answer, up to how many
_LONGEST = 256 * 1024  # bytes, by the protocol
_PATIENCE = 2.0  # seconds that an agent may take for it


def lasting(environ: Mapping[str, str]) -> dict[str, str]:
    """Those that are still right after this login: what `memd install` keeps for the service."""
    wanted = {name: value for name, value in environ.items() if name in VARIABLES - _OF_A_LOGIN}
    return {name: value for name, value in wanted.items() if name != "SSH_AUTH_SOCK" or not passing_agent(environ)}


def passing_agent(environ: Mapping[str, str]) -> str | None:
    """The socket of an agent that ends with this login, where there is such a one."""
    value = environ.get("SSH_AUTH_SOCK", "")
    return value if value.startswith(_PASSING) or _OF_FORWARDING in value else None


def path(environ: Mapping[str, str]) -> str:
    """The PATH with a person's own programs at its end, which a login shell has there: helpers may be among them."""
    home = environ.get("HOME")
    return os.pathsep.join([environ.get("PATH", ""), *([f"{home}/.local/bin", f"{home}/bin"] if home else [])])


def is_confined(root: Path = Path("/")) -> bool:
    """Whether what is root's looks like nobody's, as it does in the service."""
    return root.stat().st_uid == NOBODY


def agent(environ: Mapping[str, str]) -> str | None:
    """The socket of an agent of ssh's that holds keys: the one that is named, else one where systems put theirs.

    A user manager mostly knows of none. Where none holds any, the one that is named.
    """
    named, runtime = environ.get("SSH_AUTH_SOCK"), environ.get("XDG_RUNTIME_DIR")
    places = (named, *(f"{runtime}/{name}" for name in _SOCKETS if runtime))
    return next((place for place in places if place and _has_keys(place)), named)


def _has_keys(place: str) -> bool:
    with socket.socket(socket.AF_UNIX) as agent:
        agent.settimeout(_PATIENCE)
        try:
            agent.connect(place)
            agent.sendall(_WHICH_KEYS)
            size = int.from_bytes(agent.recv(4, socket.MSG_WAITALL))
            answer = agent.recv(min(size, _LONGEST), socket.MSG_WAITALL)  # all of it, or it would log a broken one
        except OSError:
            return False
    return len(answer) >= _COUNT and any(answer[1:_COUNT])


def lacking(kinds: Collection[str | None], environ: Mapping[str, str]) -> str | None:
    """What to do where a remote of such kinds (`git_address.kind`) gives no access, as far as it can be told."""
    return next(_lacking(kinds, environ), None)


def _lacking(kinds: Collection[str | None], environ: Mapping[str, str]) -> Iterator[str]:
    home = Path(environ.get("HOME", "/"))
    for name in (name for kind, names in PLACES.items() if kind in kinds for name in names):
        if _is_closed(home / name):
            yield f"the service may not look into ~/{name}: `memd install` again lets it"
    if "ssh" in kinds:
        yield _of_agent(environ)
    if "https" in kinds and _is_closed(Path(environ.get("XDG_RUNTIME_DIR", "/nowhere"), "bus")):
        yield (
            "git must get the password without a question, and without the session's keyring, which the service cannot"
            " reach: from a file (`credential.helper store`), ~/.netrc or `gh auth login --insecure-storage`"
        )


def _of_agent(environ: Mapping[str, str]) -> str:
    place = environ.get("SSH_AUTH_SOCK")
    if not place:
        return (
            "no agent of ssh's is known here: `memd install` takes one that outlives the terminal ($SSH_AUTH_SOCK not"
            " below /tmp); a key without a passphrase needs none (IdentityFile in ~/.ssh/config)"
        )
    if not _has_keys(place):
        return f"ssh's agent at {place} is gone or holds no key: `ssh-add`, then `memd install` from that shell"
    return "`git ls-remote` of it must work without a question: is the right key in ssh's agent?"


def _is_closed(path: Path) -> bool:
    """Whether it is there, but nobody may look into it: so systemd hides things."""
    try:
        return not stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return False

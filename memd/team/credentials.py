"""What git needs of a person's environment for their own credentials, in a process that no shell has started."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLES = frozenset({
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GNUPGHOME",
    "PASSWORD_STORE_DIR", "DBUS_SESSION_BUS_ADDRESS", "KRB5CCNAME", "CURL_CA_BUNDLE",
})  # fmt: skip
_OF_A_LOGIN = frozenset({"SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS"})
_PASSING = ("/tmp/",)  # noqa: S108 - where an agent lives that ends with its terminal


def lasting(environ: Mapping[str, str]) -> dict[str, str]:
    """Those that are still right after this login: what `memd install` keeps for the service."""
    wanted = {name: value for name, value in environ.items() if name in VARIABLES - _OF_A_LOGIN}
    return {name: value for name, value in wanted.items() if name != "SSH_AUTH_SOCK" or not value.startswith(_PASSING)}

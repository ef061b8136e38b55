"""Which variables the service gets, and the file of mode 0600 that they stand in.

Nothing comes from a login shell: these few are taken when `memd install` runs, and stand in no unit. Who would rather
keep keys in credentials of systemd's adds a drop-in with LoadCredential=ANTHROPIC_API_KEY:/a/file of their own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from memd.agent import keys
from memd.team import credentials

FILE = "service.env"  # beside the settings
LABEL = "dev.memd"  # how launchd calls the daemon, and tells it so
_NETWORK = frozenset({
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
})  # fmt: skip
_PLACES = frozenset({"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "TZ"})
_NOT_LASTING = frozenset({"MEMD_CHILD", "MEMD_DISABLE", "MEMD_FAILPOINT"})
_OF_PROVIDER = {"bedrock": ("AWS_",), "vertex": ("GOOGLE_", "CLOUD_ML_"), "foundry": ("AZURE_", "ANTHROPIC_FOUNDRY_")}
_HEAD = "# What memd's service gets besides what the system gives it. Made by `memd install`; may hold credentials.\n"
_ESCAPED = re.compile(r'(["\\$`])')


def carried(
    environ: Mapping[str, str], *, model: bool, provider: str = "anthropic", shares: bool = False
) -> dict[str, str]:
    """What the service gets of these: where things are, proxies and certificates, memd's own settings.

    With `model`, the credentials too; where memories are shared, what git needs of the person's own. A value that no
    line can hold is left out.
    """
    wanted = {name: value for name, value in environ.items() if _lasts(name, model=model, provider=provider)}
    wanted |= credentials.lasting(environ) if shares else {}
    return {name: wanted[name] for name in sorted(wanted) if wanted[name].isprintable() and wanted[name]}


def is_secret(name: str) -> bool:
    """Whether a variable's value is not to be shown: credentials, and proxies, which may hold a password."""
    return not (name in _PLACES or name.upper() == "NO_PROXY" or name.startswith(("MEMD_", "SSL_")))


def under_launchd(environ: Mapping[str, str]) -> bool:
    """Whether launchd started this process as memd's agent."""
    return environ.get("XPC_SERVICE_NAME") == LABEL


def has_credentials(environ: Mapping[str, str]) -> bool:
    """Whether a model could be asked with what is there."""
    return bool(keys.find(environ))


def spelled(variables: Mapping[str, str]) -> str:
    """The file's text, as systemd's EnvironmentFile= reads it."""
    lines = (f'{name}="{_ESCAPED.sub(_backslash, value)}"\n' for name, value in sorted(variables.items()))
    return _HEAD + "".join(lines)


def parse(text: str) -> dict[str, str]:
    """The variables in such a text; lines that are none are passed over."""
    found = (line.partition("=") for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {name.strip(): _unquoted(value) for name, _, value in found}


def _backslash(found: re.Match[str]) -> str:
    return f"\\{found[1]}"


def _unquoted(value: str) -> str:
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        return re.sub(r'\\(["\\$`])', r"\1", value[1:-1])
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        return value


def _lasts(name: str, *, model: bool, provider: str) -> bool:
    if name in _NOT_LASTING:
        return False
    if model and name.startswith(("ANTHROPIC_", *_OF_PROVIDER.get(provider, ()))):
        return True
    return name in _PLACES or name.upper() in _NETWORK or name.startswith("MEMD_")

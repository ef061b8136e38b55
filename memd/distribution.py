"""How memd itself was installed, for a person who has to install one of its extras.

Never by memd's name alone: what an index has by that name may be another project.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

NAME = "memd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What is known of an installation."""

    prefix: Path  # of the Python environment that it stands in
    python: str  # that environment's
    installer: str = ""  # the program that says it did it
    direct_url: str | None = None  # where it came from, as installers write it down (PEP 610); None: from an index
    requires: tuple[str, ...] = ()  # its requirements, those of its extras with their markers


def installed() -> Installed:
    """How the memd that runs here was installed."""
    prefix, python = Path(sys.prefix), sys.executable
    try:
        found = metadata.distribution(NAME)
    except metadata.PackageNotFoundError:  # run from its sources
        return Installed(prefix=prefix, python=python)
    return Installed(
        prefix=prefix,
        python=python,
        installer=(found.read_text("INSTALLER") or "").strip(),
        direct_url=found.read_text("direct_url.json"),
        requires=tuple(found.requires or ()),
    )


def with_extra(extra: str, how: Installed) -> str:
    """The command that adds an extra: memd anew from where it came, else what the extra needs, by itself."""
    origin = _origin(extra, how.direct_url)
    if origin is not None:
        return f"{_anew(how)} {origin}"
    wanted = " ".join(shlex.quote(one) for one in _requirements(extra, how.requires))
    if not wanted:
        return f"install memd with its extra `{extra}`, from where you have memd"
    return f"{_beside(how)} {wanted}"


def _origin(extra: str, direct_url: str | None) -> str | None:
    """The argument that names memd, with an extra, where it came from; None: that is not known, or is gone."""
    try:
        said: dict[str, Any] = json.loads(direct_url or "{}")
        url = str(said.get("url") or "")
        path = url2pathname(urlsplit(url).path) if url.startswith("file:") else ""
    except (ValueError, AttributeError):
        return None
    if vcs := said.get("vcs_info"):
        revision = vcs.get("requested_revision") or vcs.get("commit_id")
        url = f"{vcs.get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
        return shlex.quote(f"{NAME}[{extra}] @ {url}")
    if path:
        editable = "-e " if said.get("dir_info", {}).get("editable") else ""
        return editable + shlex.quote(f"{path.rstrip('/')}[{extra}]") if Path(path).exists() else None
    return shlex.quote(f"{NAME}[{extra}] @ {url}") if url else None


def _requirements(extra: str, requires: tuple[str, ...]) -> tuple[str, ...]:
    halves = (one.partition(";") for one in requires)
    return tuple(name.strip() for name, _, marker in halves if marker.split() == ["extra", "==", f"'{extra}'"])


def _anew(how: Installed) -> str:
    if (how.prefix / "pipx_metadata.json").exists():
        return "pipx install --force"
    if (how.prefix / "uv-receipt.toml").exists():
        return "uv tool install --force"
    return _pip(how)


def _beside(how: Installed) -> str:
    return f"pipx inject {NAME}" if (how.prefix / "pipx_metadata.json").exists() else _pip(how)


def _pip(how: Installed) -> str:
    python = shlex.quote(how.python)
    return f"uv pip install --python {python}" if how.installer == "uv" else f"{python} -m pip install"

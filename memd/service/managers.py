"""Which service manager this system has."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from memd.service.launchd import Launchd
from memd.service.service import Manager
from memd.service.systemd import Systemd


def manager(environ: Mapping[str, str], home: Path, platform: str = sys.platform) -> Manager:
    """The one of this platform, whether or not it answers."""
    return Launchd(environ, home) if platform == "darwin" else Systemd(environ, home)

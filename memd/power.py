"""Whether background work should wait: on battery, or on a network that is paid by volume.

Asked of the system alone, and only where a setting wants to know. What it does not say holds nothing up.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from memd import git_address
from memd.settings import Settings

SUPPLIES = Path("/sys/class/power_supply")  # as the kernel's ABI/testing/sysfs-class-power describes it
ON_BATTERY = 'the machine runs on battery ([background] on_battery = "wait")'
ON_METERED = 'the network is a metered one ([background] on_metered = "wait")'
WAIT = "wait"
_BATTERIES = frozenset({"Battery", "UPS"})
_ONLINE = frozenset({"1", "2"})  # fixed, and programmable; whatever else stands there is no word of current
_SECONDS = 3.0  # that a tool may take
_SYSTEM = "/usr/bin:/bin:/usr/sbin:/sbin"
_MANAGER = "org.freedesktop.NetworkManager"
_METERED = frozenset({"1", "3"})  # NMMetered: yes, and "guessed: yes", which its documentation counts as yes
_UNMETERED = frozenset({"2", "4"})

Probe = Callable[[], str | None]  # why background work waits now; None: it does not


def sync_probe(settings: Settings, remote: str) -> Probe | None:
    """What tells whether a sync with a team's remote is to wait by these settings; None: it never is.

    It goes over the network, whoever proposes memories.
    """
    return waits(settings, network=not git_address.is_local(remote))


def waits(settings: Settings, *, network: bool) -> Probe | None:
    """What tells whether work is to wait, which uses the network or does not; None: it never is."""
    battery = settings.background.on_battery == WAIT
    volume = settings.background.on_metered == WAIT and network
    if not (battery or volume):
        return None
    return lambda: (ON_BATTERY if battery and on_battery() else None) or (ON_METERED if volume and metered() else None)


def on_battery(supplies: Path = SUPPLIES, platform: str = sys.platform) -> bool | None:
    """Whether the machine runs on battery; None: the system does not say."""
    if platform == "darwin":
        said = _said("pmset", "-g", "batt")
        return None if said is None else "'Battery Power'" in said.partition("\n")[0]
    try:
        known = [_supply(one) for one in supplies.iterdir()]
    except OSError:
        return None
    own = [one for one in known if one.get("scope") != "Device"]
    if any(one.get("type") not in _BATTERIES and one.get("online") in _ONLINE for one in own):
        return False
    return any(one.get("type") in _BATTERIES and one.get("status") == "Discharging" for one in own)


def metered(platform: str = sys.platform) -> bool | None:
    """Whether the network is metered, as NetworkManager has it; None: nobody says, as on macOS."""
    if platform == "darwin":
        return None
    path = f"/{_MANAGER.replace('.', '/')}"
    said = _said("busctl", "--system", "--timeout=2", "get-property", _MANAGER, path, _MANAGER, "Metered")
    found = re.fullmatch(r"u (\d)\s*", said or "")
    if found is None or found[1] not in _METERED | _UNMETERED:
        return None
    return found[1] in _METERED


def _supply(directory: Path) -> dict[str, str]:
    """What one power supply says of itself. What feeds a mouse or a telephone alone has the scope "Device"."""
    found = {}
    for name in ("type", "online", "status", "scope"):
        try:
            found[name] = (directory / name).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
    return found


def _said(name: str, *words: str) -> str | None:
    """What a tool of the system prints; None where there is none, or it fails."""
    program = shutil.which(name) or shutil.which(name, path=_SYSTEM)
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None

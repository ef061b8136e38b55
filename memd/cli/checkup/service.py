"""The service: whether it is installed as this memd would, starts by itself, and is held as its unit says."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from memd.cli.checkup.examined import Examined
from memd.cli.checkup.finding import Finding, fail, ok, warn
from memd.cli.runs import ledger_if_there
from memd.cli.words import shown
from memd.daemon import lock
from memd.service import environment, places
from memd.service.service import Service
from memd.service.unit import drop_in

_AGAIN = "`memd install` again puts it right"
_LIMITLESS = "max"


def installed(of: Examined) -> Iterator[Finding]:
    """Whether there is one, and whether it is this one."""
    state = of.service
    if of.is_new and not of.manager.trouble():
        yield warn("service", "not set up yet: none is installed", "`memd install`")
        return
    if not state.installed:
        trouble = of.manager.trouble()
        said = (
            f"none can be installed: {trouble}" if trouble else "none is installed: the daemon ends with its terminal"
        )
        yield warn("service", said, None if trouble else "`memd install`")
        return
    if trouble := of.manager.trouble():
        yield warn("service", f"could not be checked: {trouble}")
        return
    if not state.running:
        yield fail("service", f"it is installed, but {state.detail}", "`memd logs` shows why; `memd install` starts it")
        return
    holder = lock.running(of.here.paths.lock) or ""
    if state.pid and not holder.startswith(f"pid {state.pid} "):
        yield warn(
            "service", f"the daemon that works ({shown(holder)}) is another one than the service's", "end that one"
        )
    restarts = f", restarted {state.restarts} times" if state.restarts else ""
    yield ok("service", f"{of.manager.name}: {state.detail}, {_starts(of)}{restarts}{_advised(of)}")
    yield from _current(of)
    yield from _writable(of)


def _starts(of: Examined) -> str:
    return "starts by itself" if of.service.enabled else "does not start by itself"


def _advised(of: Examined) -> str:
    return "".join(f"; {line}" for line in of.manager.advice())


def _current(of: Examined) -> Iterator[Finding]:
    """Whether its files are those that `memd install` would write now."""
    if not of.service.enabled:
        yield warn("service", "it is not enabled, so it is gone after the next login", _AGAIN)
    expected = of.manager.files(_service(of))
    old = [path for path, data in expected.items() if not path.is_file() or path.read_bytes() != data]
    if old:
        yield warn(
            "unit", f"differs from what this memd installs: {', '.join(shown(str(path)) for path in old)}", _AGAIN
        )
    else:
        yield ok("unit", "as this memd installs it")
    yield from _private(places.environment_file(of.here.loaded))


def _private(file: Path) -> Iterator[Finding]:
    if not file.exists():
        yield warn("variables", f"{shown(str(file))} is not there", _AGAIN)
    elif stat.S_IMODE(file.stat().st_mode) & 0o077:
        yield fail(
            "variables", f"others can read {shown(str(file))}, which may hold credentials", f"chmod 600 '{file}'"
        )
    else:
        names = ", ".join(environment.parse(file.read_text("utf-8"))) or "none"
        yield ok("variables", f"{names} (values in {shown(str(file))}, readable by you alone)")


def _writable(of: Examined) -> Iterator[Finding]:
    """Whether it may write where memories lie; only systemd closes the rest."""
    if of.manager.name != "systemd":
        return
    text = "".join(path.read_text("utf-8") for path in of.manager.own() if path.suffix == ".conf")
    wanted = drop_in(_service(of)).splitlines()
    lacking = [line for line in wanted if line.startswith("ReadWritePaths=") and line not in text.splitlines()]
    if lacking:
        yield fail("write access", f"memories lie where the service may not write: {shown(' '.join(lacking))}", _AGAIN)
    else:
        yield ok("write access", "it may write where memories lie, and nowhere else but its state")


def _service(of: Examined) -> Service:
    with ledger_if_there(of.here) as ledger:
        roots = () if ledger is None else tuple({one.root for one in ledger.sessions() if one.root})
    return places.service(of.here.loaded, of.here.environ, roots)


def held(of: Examined) -> Iterator[Finding]:
    """What is really in force for the daemon that runs: the kernel is asked, not the unit."""
    pid = of.service.pid
    if of.is_new:
        yield warn("confinement", "not set up yet: the service will be confined")
        return
    if lock.running(of.here.paths.lock) is None:
        yield warn("confinement", "could not be checked: no daemon runs")
        return
    if sys.platform != "linux" or pid is None:
        can_be = sys.platform == "linux" and not of.manager.trouble()
        yield warn(
            "confinement",
            "the daemon is not confined: it has all your rights, as what you start in a terminal has",
            "`memd install` runs it confined" if can_be else None,
        )
        return
    process = Path(f"/proc/{pid}")
    missing = _missing(process)
    if missing:
        yield warn("confinement", f"not in force here: limits on {', '.join(missing)}", "is this systemd 252 or newer?")
    else:
        size = int(_memory_limit(process)) // 2**20
        yield ok("confinement", f"in force: file system read-only, system calls filtered, no new privileges, {size} MB")


def _missing(process: Path) -> list[str]:
    """Which of the unit's limits the kernel does not hold a process to."""
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    mounts = [line.split() for line in (process / "mountinfo").read_text().splitlines()]
    return [
        *(["new privileges"] if status.get("NoNewPrivs") != "1" else []),
        *(["system calls"] if status.get("Seccomp") != "2" else []),
        *(["the file system"] if not _read_only(mounts) else []),
        *(["memory"] if _memory_limit(process) == _LIMITLESS else []),
    ]


def _read_only(mounts: list[list[str]]) -> bool:
    """Whether what the process sees as `/` is read-only; the last mount there counts."""
    roots = [fields[5] for fields in mounts if len(fields) > 5 and fields[4] == "/"]  # noqa: PLR2004 - see proc(5)
    return bool(roots) and "ro" in roots[-1].split(",")


def _memory_limit(process: Path) -> str:
    """Bytes, or "max"."""
    group = (process / "cgroup").read_text().strip().rpartition("::")[2]
    return Path(f"/sys/fs/cgroup{group}/memory.max").read_text().strip()

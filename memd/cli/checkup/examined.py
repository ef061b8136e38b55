"""What is examined: this person's memd, seen from here and as the service has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memd import config
from memd.cli.here import Here, loaded_anyhow
from memd.daemon import lock
from memd.errors import ConfigError
from memd.memory.location import MemoryDir
from memd.service import environment, places
from memd.service.managers import manager
from memd.service.service import Manager, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """Read once; the checks read the rest."""

    here: Here
    broken_settings: ConfigError | None  # then the defaults stand in `here`
    manager: Manager
    service: State
    environ: Mapping[str, str]  # the daemon's, as far as it can be known
    place: MemoryDir  # of the project that was asked about

    @property
    def settings(self) -> config.Settings:
        """As the daemon has them."""
        return self.here.settings

    @property
    def is_new(self) -> bool:
        """Whether nothing has been set up or started yet, so that nothing can have failed."""
        paths = self.here.paths
        known = self.service.installed or paths.ledger.exists() or paths.history.exists()
        return not known and lock.running(paths.lock) is None


def examine(environ: Mapping[str, str], directory: str) -> Examined:
    """Look at what there is; settings that are wrong are a finding, not the end."""
    found, broken = loaded_anyhow(environ)
    chosen = manager(environ, found.paths.home)
    state = chosen.state()
    theirs = _of_service(found) | chosen.credentials() if state.installed else dict(environ)
    if state.installed and broken is None:
        found, broken = loaded_anyhow({**environ, **theirs})
    here = Here(environ=environ, loaded=found)
    return Examined(
        here=here,
        broken_settings=broken,
        manager=chosen,
        service=state,
        environ=theirs,
        place=here.memory_dir(directory),
    )


def _of_service(loaded: config.Loaded) -> dict[str, str]:
    """The variables that stand in the service's file."""
    try:
        said = environment.parse(places.environment_file(loaded).read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        said = {}
    return {"HOME": str(loaded.paths.home), **said}

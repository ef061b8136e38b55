"""What every command starts from: the settings, the places, and the project it is about."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memd import config
from memd.errors import ConfigError
from memd.memory import location
from memd.memory.location import MemoryDir
from memd.memory.session_env import SessionEnv


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """One invocation's surroundings."""

    environ: Mapping[str, str]
    loaded: config.Loaded

    @property
    def paths(self) -> config.Paths:
        """Where memd keeps its things."""
        return self.loaded.paths

    @property
    def settings(self) -> config.Settings:
        """The settings in force."""
        return self.loaded.settings

    def memory_dir(self, directory: str | Path) -> MemoryDir:
        """Resolve the memory directory of the project that `directory` lies in."""
        return location.resolve(
            Path(directory).absolute(),
            environ=self.environ,
            home=self.paths.home,
            base=self.settings.memory.base,
            worktrees=self.settings.projects.worktrees,
        )

    def of_root(self, root: Path) -> MemoryDir:
        """Resolve the memory directory of a project by its canonical root, which may be gone."""
        session = SessionEnv(environ=self.environ)
        return location.of_root(root, session, home=self.paths.home, base=self.settings.memory.base)


def loaded_anyhow(environ: Mapping[str, str]) -> tuple[config.Loaded, ConfigError | None]:
    """The settings, or the defaults and what is wrong with the settings: for who has to say how memd stands."""
    try:
        return config.load(environ), None
    except ConfigError as error:
        bare = {name: value for name, value in environ.items() if not name.startswith("MEMD_")}
        usual = config.load({**bare, "MEMD_CONFIG": os.devnull})
        return replace(usual, paths=config.find_paths(environ)), error


def here() -> Here:
    """Read the environment and the settings, and finish a purge that was broken off. Raises ConfigError."""
    environ = dict(os.environ)
    surroundings = Here(environ=environ, loaded=config.load(environ))
    if surroundings.paths.purging.exists():
        from memd.memory import purge  # noqa: PLC0415 - hardly ever needed, and commands start fast

        purge.resume(history=surroundings.paths.history, caches=surroundings.paths.caches)
    return surroundings

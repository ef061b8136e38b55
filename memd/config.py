"""Settings: defaults, then the file, then `MEMD_*`, then flags; and where memd keeps its things.

Nothing inside a watched project configures memd. Every setting stands in `config/memd.toml` with its default.
"""

from __future__ import annotations

import difflib
import os
import pwd
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from memd.errors import ConfigError
from memd.settings import Settings, duration, spelled

__all__ = ["Loaded", "Paths", "Settings", "duration", "find_paths", "flat", "home", "keys", "load", "spelled"]

_NOT_SETTINGS = frozenset({"MEMD_DISABLE", "MEMD_CHILD", "MEMD_FAILPOINT", "MEMD_CONFIG"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Where memd keeps its own things, all of them absolute."""

    home: Path
    config_file: Path
    state: Path

    @property
    def ledger(self) -> Path:
        """The SQLite file of jobs, cursors and runs."""
        return self.state / "ledger.sqlite3"

    @property
    def history(self) -> Path:
        """One directory a run, with the images that undo needs."""
        return self.state / "history"

    @property
    def scratch(self) -> Path:
        """Where passes get their private workspaces."""
        return self.state / "scratch"

    @property
    def headers(self) -> Path:
        """What scans remember of topic files; may be deleted at any time."""
        return self.state / "headers"

    @property
    def recall(self) -> Path:
        """Indexes of topics; may be deleted at any time."""
        return self.state / "recall"

    @property
    def team(self) -> Path:
        """What is kept of each team memory: a repository of its own, and how it stands."""
        return self.state / "team"

    @property
    def caches(self) -> tuple[Path, ...]:
        """What was read from memories, kept to save time."""
        return self.headers, self.recall

    @property
    def purging(self) -> Path:
        """What says, while it is there, that a memory is being taken out of the history."""
        return self.state / "purging"

    @property
    def lock(self) -> Path:
        """Held by the one daemon that runs."""
        return self.state / "daemon.lock"

    @property
    def control(self) -> Path:
        """The socket that the daemon listens at."""
        return self.state / "control.sock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Settings with where each came from, and what was odd but not fatal."""

    settings: Settings
    paths: Paths
    sources: Mapping[str, str]
    warnings: tuple[str, ...]


def home(environ: Mapping[str, str]) -> Path:
    """Name the person's home directory: `HOME`, else the password database."""
    return Path(environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir)


def find_paths(environ: Mapping[str, str]) -> Paths:
    """Follow the XDG base directories; a relative value counts as unset, as that specification says."""

    def base(name: str, *default: str) -> Path:
        value = environ.get(name, "")
        return Path(value) if value.startswith("/") else home(environ).joinpath(*default)

    config = environ.get("MEMD_CONFIG") or base("XDG_CONFIG_HOME", ".config") / "memd" / "config.toml"
    return Paths(
        home=home(environ),
        config_file=Path(config),
        state=base("XDG_STATE_HOME", ".local", "state") / "memd",
    )


def load(environ: Mapping[str, str], overrides: Mapping[str, str] | None = None) -> Loaded:
    """Put the settings together. `overrides` are flags: dotted key to value. Raises ConfigError."""
    paths = find_paths(environ)
    given = _from_file(paths.config_file)
    from_environ, warnings = _from_environ(environ)
    for source in (from_environ, {key: ("flag", value) for key, value in (overrides or {}).items()}):
        given |= source
    values = {key: _parsed(key, source, value) for key, (source, value) in given.items()}
    sources = dict.fromkeys(keys(), "default") | {key: source for key, (source, _) in given.items()}
    return Loaded(settings=_build(Settings, "", values), paths=paths, sources=sources, warnings=warnings)


def keys() -> tuple[str, ...]:
    """Every dotted key, in the order of `config/memd.toml`."""
    return tuple(key for key, _ in _parsers(Settings(), ""))


def flat(settings: Settings) -> dict[str, Any]:
    """Every dotted key with its value."""
    return {key: _value(settings, key) for key in keys()}


def _value(settings: Settings, key: str) -> Any:  # noqa: ANN401 - settings have many types
    node: Any = settings
    for part in key.split("."):
        node = getattr(node, part)
    return node


def _parsers(section: Any, prefix: str) -> Iterator[tuple[str, Callable[[object], Any]]]:  # noqa: ANN401 - any section
    for item in fields(section):
        value = getattr(section, item.name)
        if is_dataclass(value):
            yield from _parsers(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, item.metadata["parse"]


def _parsed(key: str, source: str, value: object) -> Any:  # noqa: ANN401 - settings have many types
    parse = dict(_parsers(Settings(), "")).get(key)
    if parse is None:
        near = difflib.get_close_matches(key, keys(), n=1)
        raise ConfigError(
            f"{source}: unknown setting {key!r}",
            hint=f"did you mean {near[0]!r}?" if near else "`memd config show` lists every setting",
        )
    try:
        return parse(value)
    except ValueError as error:
        raise ConfigError(f"{source}: {key} {error}, not {value!r}", hint="correct it and start again") from error


def _build(kind: type[Any], prefix: str, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any section
    chosen: dict[str, Any] = {}
    for item in fields(kind):
        default = item.default_factory() if callable(item.default_factory) else None
        if is_dataclass(default):
            chosen[item.name] = _build(type(default), f"{prefix}{item.name}.", values)
        elif prefix + item.name in values:
            chosen[item.name] = values[prefix + item.name]
    return kind(**chosen)


def _from_file(path: Path) -> dict[str, tuple[str, object]]:
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}", hint="correct the file, or move it away for the defaults") from error
    return {key: (str(path), value) for key, value in _flattened(document, "")}


def _flattened(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict) and prefix + name not in keys():
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _from_environ(environ: Mapping[str, str]) -> tuple[dict[str, tuple[str, object]], tuple[str, ...]]:
    variables = {"MEMD_" + key.upper().replace(".", "_"): key for key in keys()}
    found = {variables[name]: (name, value) for name, value in environ.items() if name in variables}
    unknown = sorted(n for n in environ if n.startswith("MEMD_") and n not in variables and n not in _NOT_SETTINGS)
    return dict(found), _complaints(unknown, tuple(variables))


def _complaints(unknown: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    nearest = ((name, difflib.get_close_matches(name, known, n=1)) for name in unknown)
    return tuple(
        f"{name} is not a setting of memd" + (f" (did you mean {near[0]}?)" if near else "") for name, near in nearest
    )

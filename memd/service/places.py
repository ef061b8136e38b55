"""What the service may write to, and what it is not to see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from memd import git_address
from memd.config import Loaded
from memd.memory import location, membership
from memd.memory.session_env import SessionEnv
from memd.service import environment
from memd.service.entry import command
from memd.service.service import Service
from memd.team import credentials, remote
from memd.team.git import Repository
from memd.team.nouns import GitError

_ANY_PROJECT = Path("/no/project/yet")
_HIDDEN = (".ssh", ".gnupg", ".netrc", ".config/gh", ".docker/config.json", ".kube", ".password-store")
_SOCKETS = ("bus", "systemd/private", *credentials.AGENTS)  # in the runtime directory
_OF_PROVIDER = {"bedrock": ".aws", "vertex": ".config/gcloud", "foundry": ".azure"}  # where its client keeps its keys


def service(loaded: Loaded, environ: Mapping[str, str], roots: Iterable[str]) -> Service:
    """This memd, for these settings; `roots` are the projects that are known."""
    paths, shared = loaded.paths, remotes(loaded)
    asked = {kind for one in shared for kind in _kinds(one, paths.home, environ)}
    own = [Path(one.removeprefix("file://")) for one in shared if git_address.is_local(one)]
    return Service(
        command=command(),
        home=paths.home,
        environment_file=environment_file(loaded),
        temporary=temporary(loaded),
        writable=_outermost([paths.state, *memory_places(loaded, environ, roots), *own]),
        hidden=tuple(paths.home / name for name in _hidden(loaded.settings.models.provider, asked)),
        sockets=tuple(name for name in _SOCKETS if "ssh" not in asked or name not in credentials.AGENTS)
        if shared
        else None,
    )


def environment_file(loaded: Loaded) -> Path:
    """The file with the service's variables, of mode 0600."""
    return loaded.paths.config_file.with_name(environment.FILE)


def temporary(loaded: Loaded) -> Path:
    """Where the service keeps what lives for moments: all else is closed to it."""
    return loaded.paths.state / "tmp"


def memory_places(loaded: Loaded, environ: Mapping[str, str], roots: Iterable[str]) -> tuple[Path, ...]:
    """The directories that memories lie in: the usual one for all projects, and those of projects with their own."""
    session, base = SessionEnv(environ=environ), loaded.settings.memory.base
    found: list[Path] = []
    for root in (_ANY_PROJECT, *map(Path, roots)):
        place = location.of_root(root, session, home=loaded.paths.home, base=base)
        found.append(place.path.parents[1] if place.rule.startswith("base:") else place.path)
    return _outermost(found)


def covered(path: Path, by: Iterable[Path]) -> bool:
    """Whether a path is one of these directories, or lies below one."""
    return any(path.is_relative_to(one) for one in by)


def _outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    unique = tuple(dict.fromkeys(paths))
    return tuple(path for path in unique if not covered(path, (one for one in unique if one != path)))


def remotes(loaded: Loaded) -> tuple[str, ...]:
    """The git remotes through which this person shares memories, or would."""
    team = loaded.settings.team
    joined = (one.remote for one in membership.current(loaded.paths, loaded.settings))
    found = (*joined, team.remote, *(rule.remote for rule in team.projects))
    home = str(loaded.paths.home)
    return tuple(dict.fromkeys(f"{home}/{one[2:]}" if one.startswith("~/") else one for one in found if one))


def _kinds(address: str, home: Path, environ: Mapping[str, str]) -> frozenset[str | None]:
    """How git reaches it, as the person's own settings have it."""
    try:
        return remote.kinds(Repository(path=home, environ=environ), address)
    except (GitError, OSError):
        return frozenset({git_address.kind(address)})


def _hidden(provider: str, asked: Collection[str | None]) -> Iterator[str]:
    """Places of keys, but those that are used: by a model's client, or by git for a team's remote of such a kind."""
    used = {name for kind, names in credentials.PLACES.items() if kind in asked for name in names}
    yield from (name for name in _HIDDEN if name not in used)
    yield from (place for name, place in _OF_PROVIDER.items() if name != provider)

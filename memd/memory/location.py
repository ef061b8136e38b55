"""Where a project's memory is: the one resolver for every reader and writer."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.memory import claude_settings, git_layout, usable
from memd.memory.configured_directory import RefusedPathError, configured_directory
from memd.memory.enabled import OVERRIDE
from memd.memory.enabled import REMOTE_MEMORY_DIR as REMOTE
from memd.memory.session_env import SessionEnv
from memd.memory.shown_directory import Shown, overridden

_USUAL = "base:~/.claude"
_SLUG_LIMIT = 200  # UTF-16 code units
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ALPHANUMERIC = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDir:
    """A project's memory directory and how it was chosen."""

    root: Path  # canonical project root
    slug: str
    path: Path
    rule: str  # "override", "transcript", "settings:<scope>", or "base:<where the base came from>"
    problems: tuple[str, ...] = ()  # what was refused on the way, with setting and file
    belongs: Path | None = None  # where the rules want it, while it still stands where it was before ~/.claude


def resolve(
    cwd: Path,
    *,
    environ: Mapping[str, str],
    home: Path,
    base: str | None = None,
    worktrees: str = "shared",
    managed: Path | None = None,
) -> MemoryDir:
    """The memory directory of a session that works in `cwd` with the variables `environ`. Nothing is created.

    `base` and `worktrees` are memd's settings; `managed` is the policy file of an organisation (the system's own when
    None).
    """
    session = SessionEnv(environ=environ)
    return of_session(cwd, session, home=home, base=base, worktrees=worktrees, managed=managed)


def of_session(
    cwd: Path,
    session: SessionEnv,
    *,
    home: Path,
    base: str | None = None,
    worktrees: str = "shared",
    managed: Path | None = None,
) -> MemoryDir:
    """The same for a session that may be over, of which more is known than its variables."""
    return of_root(canonical_root(cwd, worktrees=worktrees), session, home=home, base=base, managed=managed)


def of_root(
    root: Path, session: SessionEnv, *, home: Path, base: str | None = None, managed: Path | None = None
) -> MemoryDir:
    """The same for a project whose canonical root is known, and may be gone."""
    environ = session.environ
    policy = claude_settings.managed_file() if managed is None else managed
    scopes = claude_settings.scopes(root, environ=environ, home=home, managed=policy)
    problems = list(claude_settings.problems(scopes))
    name = slug(str(root))
    belongs = None
    path, rule = _configured(environ, home, scopes, problems) or (None, "")
    if path is None:
        parent, rule = _base(environ, home, base, problems)
        path = parent / "projects" / name / "memory"
        if rule == _USUAL and (left := _left_behind(environ, home, path, problems)):
            belongs, path, rule = path, left, _data_home(environ, home)[1]
    if session.directory is not None:
        seen = Shown(named=session.directory, chosen=path, config=claude_settings.config_dir(environ, home), home=home)
        path, rule = overridden(seen, root, scopes, problems) or (path, rule)
    return MemoryDir(root=root, slug=name, path=path, rule=rule, problems=tuple(problems), belongs=belongs)


def canonical_root(cwd: Path, *, worktrees: str = "shared") -> Path:
    """The project that `cwd` belongs to: its repository's main work tree, without git `cwd` itself; links resolved.

    With `worktrees="separate"`, a linked work tree is a project of its own.
    """
    directory = Path(os.path.realpath(cwd))
    found = git_layout.find(directory)
    if found is None:
        return directory
    return found.top if worktrees == "separate" else found.main


def suggested(place: MemoryDir) -> Path:
    """A directory for a project whose slug another one has."""
    mark = hashlib.sha256(os.fsencode(place.root)).hexdigest()[:8]
    return place.path.parent.with_name(f"{place.slug}-{mark}") / place.path.name


def slug(path: str) -> str:
    """The directory name that stands for a real path. It cannot be turned back, and two paths may share one."""
    units = struct.unpack(f"<{len(encoded) // 2}H", encoded) if (encoded := _utf16(path)) else ()
    name = "".join(chr(unit) if unit in _ALPHANUMERIC else "-" for unit in units)
    if len(units) <= _SLUG_LIMIT:
        return name
    return f"{name[:_SLUG_LIMIT]}-{_base36(abs(_hash(units)))}"


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", errors="surrogatepass")


def _hash(units: tuple[int, ...]) -> int:
    """Start at 0, then h*31 + unit for each unit, as a signed 32-bit number."""
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def _configured(
    environ: Mapping[str, str], home: Path, scopes: tuple[claude_settings.Scope, ...], problems: list[str]
) -> tuple[Path, str] | None:
    """Rules 1 and 2. What is refused leaves a problem, and rule 3 applies."""
    if given := environ.get(OVERRIDE):
        return _checked(given, home, rule="override", source=f"{OVERRIDE} (environment)", problems=problems)
    if named := claude_settings.directory(scopes):
        value, scope = named
        source = f"{claude_settings.DIRECTORY} in {scope.file}"
        return _checked(value, home, rule=f"settings:{scope.name}", source=source, problems=problems)
    return None


def _checked(value: object, home: Path, *, rule: str, source: str, problems: list[str]) -> tuple[Path, str] | None:
    try:
        return configured_directory(value, home), rule
    except RefusedPathError as error:
        problems.append(f"{source} is refused: {error}")
        return None


def _base(environ: Mapping[str, str], home: Path, base: str | None, problems: list[str]) -> tuple[Path, str]:
    """Rule 3: what `projects/<slug>/memory` lies in, and where that was said."""
    given = (
        (REMOTE, environ.get(REMOTE)),
        ("CLAUDE_CONFIG_DIR", environ.get("CLAUDE_CONFIG_DIR")),
        ("memory.base", base),
    )
    for name, value in given:
        if not value:
            continue
        text = str(home / value[2:].lstrip("/")) if value.startswith("~/") else value
        if text.startswith("/") and "\0" not in text:
            return Path(os.path.normpath(text)), f"base:{name}"
        problems.append(f"{name} is refused: it is not an absolute path")
    return (home / ".claude", _USUAL) if (home / ".claude").is_dir() else _data_home(environ, home)


def _data_home(environ: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """The base where Claude Code was never used, and where that was said."""
    given = environ.get("XDG_DATA_HOME", "")
    if given.startswith("/"):
        return Path(given) / "memd", "base:XDG_DATA_HOME"
    return home / ".local" / "share" / "memd", "base:~/.local/share"


def _left_behind(environ: Mapping[str, str], home: Path, usual: Path, problems: list[str]) -> Path | None:
    """Where memory was kept before there was a ~/.claude, as long as none is where it would be by now.

    Nobody's memory vanishes because Claude Code was installed; a person is told, and moves it.
    """
    left = _data_home(environ, home)[0] / "projects" / usual.parent.name / usual.name
    if not _holds(left, otherwise=False):
        return None
    if _holds(usual, otherwise=True):
        problems.append(
            f"{left} holds memory of this project too, from before {home}/.claude was there: move its files"
        )
        return None
    problems.append(f"memory is still in {left}, where no agent looks: `memd project mv . .` takes it to {usual}")
    return left


def _holds(directory: Path, *, otherwise: bool) -> bool:
    try:
        return usable.holds_memory(directory)
    except OSError:
        return otherwise

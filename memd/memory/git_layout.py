"""What a `.git` says about a directory, read without starting git: a hostile repository's configuration runs code."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

_POINTER_LIMIT = 64 * 1024  # bytes of a pointer file or a config
_WORKTREE_KEY = re.compile(r"[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTree:
    """A directory under git. For a bare repository `top` and `git_dir` are the repository itself."""

    top: Path
    git_dir: Path  # its own: holds its HEAD and index
    main: Path  # the main work tree, the same for all linked ones


def find(directory: Path) -> WorkTree | None:
    """The work tree (or bare repository) that `directory`, a real path, lies in; None without git.

    A link to another work tree is believed only when that one points back; otherwise the directory that holds the
    link stands for itself.
    """
    for top in (directory, *directory.parents):
        git = top / ".git"
        if is_git_dir(git):
            return WorkTree(top=top, git_dir=git, main=top)
        if _is_file(git):
            return _linked(top, git)
        if is_git_dir(top):
            # Inside the repository's own directory: that of a work tree, or a bare one.
            return WorkTree(top=top, git_dir=top, main=_main_of(top))
    return None


def is_git_dir(path: Path) -> bool:
    """Whether this is what git takes for a repository: HEAD, objects, refs."""
    return _is_file(path / "HEAD") and (path / "objects").is_dir() and (path / "refs").is_dir()


def _linked(top: Path, git: Path) -> WorkTree:
    """What a `.git` file stands for: a linked work tree, else a submodule or a repository kept elsewhere."""
    git_dir = _pointed_to(git)
    if git_dir is None:
        return WorkTree(top=top, git_dir=git, main=top)
    common = _common_dir(git_dir)
    if common is None or not _points_back(git_dir, common, git):
        return WorkTree(top=top, git_dir=git_dir, main=top)
    return WorkTree(top=top, git_dir=git_dir, main=_main_of(common))


def _pointed_to(git: Path) -> Path | None:
    text = _text(git)
    if text is None or not text.startswith("gitdir:"):
        return None
    return _real(git.parent, text.removeprefix("gitdir:"))


def _common_dir(git_dir: Path) -> Path | None:
    text = _text(git_dir / "commondir")
    return None if text is None else _real(git_dir, text)


def _points_back(git_dir: Path, common: Path, git: Path) -> bool:
    """Whether the main repository itself knows this work tree: the entry lies inside it and names `git`.

    Both matter: an entry outside the repository could be planted by whoever planted `git`.
    """
    if git_dir.parent != common / "worktrees" or not is_git_dir(common):
        return False
    text = _text(git_dir / "gitdir")
    return text is not None and _real(git_dir, text) == _real(git.parent, git.name)


def _main_of(common: Path) -> Path:
    """The main work tree of a repository, or the repository itself when it has none that points to it."""
    if common.name == ".git":
        return common.parent
    configured = (_WORKTREE_KEY.fullmatch(line) for line in (_text(common / "config") or "").splitlines())
    named = (_real(common, found[1].strip('"')) for found in configured if found)
    candidates = (common.parent, *(top for top in named if top is not None))
    return next((top for top in candidates if _pointed_to(top / ".git") == common), common)


def _real(base: Path, text: str) -> Path | None:
    """A path as a pointer file gives it, relative to `base`; None for what cannot be one."""
    text = text.rstrip("\r\n").strip(" ")
    if not text or "\0" in text:
        return None
    return Path(os.path.realpath(base / text))


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _text(path: Path) -> str | None:
    """A small regular file's text, None where it cannot be had."""
    if not _is_file(path):
        return None
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(_POINTER_LIMIT))
    except OSError:
        return None

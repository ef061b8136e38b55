"""A bare repository whose objects are made by hand, so that there is nothing that they could not say."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memd.team.git import Repository

_WHO = {
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.com",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.com",
}
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """A bare repository on this disk."""

    path: Path

    @staticmethod
    def made(path: Path) -> Bare:
        """A new one, empty."""
        bare = Bare(path=path)
        path.mkdir(parents=True)
        bare.git("init", "-q", "--bare", "--initial-branch=memd")
        return bare

    @property
    def repository(self) -> Repository:
        """The same, for memd."""
        return Repository(path=self.path, environ={"PATH": os.environ["PATH"]})

    def git(self, *words: str, stdin: bytes = b"", variables: Mapping[str, str] = _NOTHING) -> str:
        """What git says."""
        environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", f"--git-dir={self.path}", *words],  # noqa: S607 - the one that is installed
            input=stdin,
            env={**environ, **_WHO, **variables},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def blob(self, data: bytes) -> str:
        """A file's object."""
        return self.git("hash-object", "-w", "--stdin", "--literally", "-t", "blob", stdin=data)

    def tree(self, files: Mapping[str, bytes]) -> str:
        """A tree of plain files, by path."""
        index = {"GIT_INDEX_FILE": str(self.path / "made-by-hand")}
        Path(index["GIT_INDEX_FILE"]).unlink(missing_ok=True)
        lines = "".join(f"100644 {self.blob(data)}\t{name}\0" for name, data in files.items())
        self.git("update-index", "-z", "--add", "--index-info", stdin=lines.encode(), variables=index)
        return self.git("write-tree", variables=index)

    def raw_tree(self, *entries: tuple[str, bytes, str]) -> str:
        """A tree of (mode, name, object), whatever they are and in this order."""
        data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
        return self.git("hash-object", "-w", "--stdin", "--literally", "-t", "tree", stdin=data)

    def commit_tree(
        self, tree: str, *parents: str, message: str = "memd", variables: Mapping[str, str] = _NOTHING
    ) -> str:
        """A commit of a tree."""
        words = [word for parent in parents for word in ("-p", parent)]
        return self.git("commit-tree", tree, *words, stdin=message.encode(), variables=variables)

    def commit(
        self,
        files: Mapping[str, bytes],
        *parents: str,
        message: str = "memd",
        variables: Mapping[str, str] = _NOTHING,
    ) -> str:
        """A commit of plain files."""
        return self.commit_tree(self.tree(files), *parents, message=message, variables=variables)

    def point(self, branch: str, commit: str) -> None:
        """Let a branch be there."""
        self.git("update-ref", f"refs/heads/{branch}", commit)

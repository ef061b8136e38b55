"""What the settings may say of team memory: a remote, a branch, and both for some projects. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from memd import git_address


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRule:
    """Through which remote the projects that a glob names share memories; without one, through none."""

    glob: str
    remote: str | None
    branch: str | None = None  # None: the general one

    def __str__(self) -> str:
        """As the settings file has it."""
        branch = "" if self.branch is None else f', branch = "{self.branch}"'
        return f'"{self.glob}" = {{ remote = "{self.remote or ""}"{branch} }}'


def remote(value: object) -> str | None:
    """A remote, None for an empty one. Raises ValueError."""
    if value in ("", None):
        return None
    if not isinstance(value, str):
        raise ValueError("must be the address of a git repository")  # noqa: TRY004 - what every parser raises
    return git_address.remote(value)


def branch(value: object) -> str:
    """A branch. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError("must be a branch name such as memd")  # noqa: TRY004 - as above
    return git_address.branch(value)


def rules(value: object) -> tuple[TeamRule, ...]:
    """Read a table of globs over root directories, each with a remote and perhaps a branch. Raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError("must be a table of directories, each { remote = …, branch = … }")  # noqa: TRY004 - as above
    return tuple(_rule(glob, said) for glob, said in value.items())


def _rule(glob: str, said: object) -> TeamRule:
    if not isinstance(said, dict) or not {"remote"} <= said.keys() <= {"remote", "branch"}:
        raise ValueError(f"must give a remote, and may give a branch, for {glob}")
    named = said.get("branch")
    return TeamRule(glob=glob, remote=remote(said["remote"]), branch=None if named is None else branch(named))

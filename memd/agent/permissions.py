"""What the restricted agent may read and what it may write, by name alone. Pure.

Names are compared as a forgiving file system would: without regard to case, width and characters nobody can see.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase

from memd.agent import invisible
from memd.memory.layout import LEVELS, NOT_TOPICS, TEAM, is_new_name

NAME_RULE = "lower-case letters, digits, `-` and `_`, at most 64 of them, then `.md`, like `feedback_no_db_mocks.md`"

# Hidden names are closed unless they are known to hold no credentials: what is hidden in a home is mostly settings.
_OPEN_HIDDEN = (  # noqa: SIM905 - as quoted literals these would fill a screen
    ".babelrc* .bazelrc .bazelversion .browserslistrc .buildkite .changeset .ci .circleci .clang-format .clang-tidy "
    ".clippy.toml .codecov.yml .coveragerc .devcontainer .dockerignore .editorconfig .eslintignore .eslintrc* "
    ".flake8 .gitattributes .github .gitignore .gitlab .gitlab-ci.yml .gitmodules .golangci.y*ml .goreleaser.y*ml "
    ".husky .isort.cfg .java-version .jshintrc .markdownlint* .mailmap .mocharc* .mypy.ini .node-version .nvmrc "
    ".nycrc* .pre-commit-config.yaml .prettierignore .prettierrc* .pylintrc .python-version .readthedocs.y*ml "
    ".rspec .rubocop.yml .ruby-version .ruff.toml .rustfmt.toml .storybook .stylelintrc* .swcrc .swiftlint.yml "
    ".tool-versions .travis.yml .vscode .woodpecker .woodpecker.y*ml .yamllint*"
).split()
_CLOSED = (  # noqa: SIM905 - likewise
    # keys and certificates with keys
    "*.pem *.key *.p12 *.p8 *.pfx *.pkcs12 *.jks *.jceks *.keystore *.kdb *.kdbx *.ppk *.asc *.gpg *.pgp *.ovpn "
    "*.keytab *.agekey *.mobileprovision *.keychain* id_rsa* id_dsa* id_ecdsa* id_ed25519* id_xmss* "
    # environments and what holds secrets by its name; more of these below
    "*.env *.env.* env.local *.envrc client_secret* service-account*.json service_account*.json *.tfstate *.tfstate.* "
    "*.tfvars *.tfvars.json shadow gshadow sudoers htpasswd *.htpasswd "
    # tools that keep a login in a file
    "_netrc netrc pgpass.conf auth.json token.json tokens.json token token.txt kubeconfig kubeconfig.* *.kubeconfig "
    "rclone.conf wp-config.php nuget.config settings-security.xml local.settings.json "
    # what agents are configured by
    "claude.json claude_desktop_config.json mcp.json"
).split()
# Data called so; programs and texts about secrets are open.
_SECRETS = re.compile(
    r"(?:.*[-_.])?(?:secrets?|credentials?|passwords?|passwd|api[-_]?keys?)"
    r"(?:\.(?:json5?|ya?ml|toml|ini|cfg|conf|config|txt|xml|properties|[ct]sv|plist|enc|db|sqlite3?|bak|old|orig))*"
)
_KEY_FILE = re.compile(r"id_[a-z0-9]+")  # without an ending, as ssh names them


def hidden(parts: Sequence[str]) -> str | None:
    """Why these path components are out of sight in any place, in words for a model; None: they are not."""
    if any(_hidden(_plain(part)) for part in parts):
        return "Hidden files and directories are not readable"
    return None


def unreadable(parts: Sequence[str]) -> str | None:
    """Why nothing of a project may be read below these path components; None: it may be."""
    for part in parts:
        name = _plain(part)
        if _hidden(name) and not _any(name, _OPEN_HIDDEN):
            return "Hidden files and directories (.env, .git, settings of tools and agents) are not readable"
        if _any(name, _CLOSED) or _SECRETS.fullmatch(name) or _KEY_FILE.fullmatch(name):
            return "Files that hold keys, credentials or secrets by their name are not readable"
    return None


def unwritable(rel: str, *, exists: bool, team: bool = False) -> str | None:
    """Why a memory may not be written at `rel`, a path inside the memory directory; None: it may be.

    `team`: whether there is a team to share with.
    """
    parts = rel.split("/")
    if team and parts[0] == TEAM:  # others' disks take plain names alone
        parts, exists = parts[1:], False
    if not parts or len(parts) > LEVELS:
        return f"Memories lie in memory/ or one directory below it, not deeper. {_name_rule()}"
    if _plain(parts[0]) in NOT_TOPICS:
        return f"`{parts[0]}/` is not yours to write: {_OPEN}"
    if exists:
        return None if parts[-1].endswith(".md") else f"Only Markdown files are memories. {_name_rule()}"
    return None if is_new_name(parts) else f"Not a name for a memory. {_name_rule()}"


_OPEN = f"write memories as `memory/<name>.md`, open bullets in `bullets.md`; a name is {NAME_RULE}."


def _name_rule() -> str:
    return f"A name is {NAME_RULE}."


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", invisible.removed(name)).casefold()
    return folded.rstrip(" .") or folded


def _hidden(name: str) -> bool:
    return name.startswith(".")


def _any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)

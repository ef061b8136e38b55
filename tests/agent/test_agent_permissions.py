"""What may be read and written, by name."""

from __future__ import annotations

import pytest

from memd.agent import permissions

CLOSED = """
.env .env.local .env.example prod.env .ENV .Env .envrc app.env.production .git .git/config .GIT/config .ssh/id_rsa
.aws/credentials .npmrc .netrc _netrc .pypirc .pgpass .docker/config.json .kube/config .claude/settings.json
.claude.json .codex/auth.json .cursor/mcp.json .gemini .mcp.json mcp.json .config/gh/hosts.yml .gnupg/x
.bash_history .vault-token
server.pem server.PEM tls.key deploy.p12 a.pfx a.jks a.keystore a.kdbx a.ppk a.asc a.gpg id_rsa id_rsa.pub id_ed25519
id_ecdsa.old id_deploy credentials credentials.json credentials.yml aws_credentials aws-credentials.csv secrets.yml
secret secrets/a.txt app-secrets.yaml k8s_secret.json secrets.yml.enc passwords.txt passwd api_keys.json api-key.txt
client_secret_1.json service-account-prod.json terraform.tfstate terraform.tfstate.backup prod.tfvars shadow auth.json
token.json kubeconfig rclone.conf wp-config.php nuget.config .terraform.d/credentials.tfrc.json .git-credentials
．env .envs
"""

DISGUISED = (".\u200benv", ".g\u200cit/config", "\u2024env", ".env.", ".git ", "id\uff3frsa")

OPEN = """
README.md src/app.py .github/workflows/ci.yml .gitignore .pre-commit-config.yaml .editorconfig .vscode/settings.json
memory/secrets.py docs/secrets.md src/password_reset.ts id_map.py idea.md identity.rs environment.py env.py keyboard.js
monkey.txt src/credentials_form.tsx token.py tokens.css CLAUDE.md AGENTS.md git/notes.txt Makefile x.pub keys.md
secretary.md
"""


@pytest.mark.parametrize("path", [*CLOSED.split(), *DISGUISED], ids=ascii)
def test_what_may_hold_credentials_is_closed(path: str) -> None:
    assert permissions.unreadable(path.split("/"))


@pytest.mark.parametrize("path", OPEN.split())
def test_what_a_project_is_made_of_is_open(path: str) -> None:
    assert permissions.unreadable(path.split("/")) is None


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "a/b/c.md",
        "X.md",
        "a.txt",
        "a",
        ".a.md",
        "-a.md",
        "a b.md",
        "é.md",
        "a.md.md",
        f"{'a' * 65}.md",
        "logs/a.md",
        "logs/2026/04/x.md",
        "team/a.md",
        "TEAM/a.md",
        "Upper/a.md",
        "a/../b.md",
        "a.MD",
        "a.md ",
        "ａ.md",
    ],
)
def test_a_new_memory_has_a_plain_name(path: str) -> None:
    assert permissions.unwritable(path, exists=False)


@pytest.mark.parametrize("path", ["a.md", "0.md", "user_role.md", "a-b_c.md", "sub/a.md", "a" * 64 + ".md"])
def test_a_plain_name_is_good(path: str) -> None:
    assert permissions.unwritable(path, exists=False) is None


def test_what_is_there_already_keeps_its_name() -> None:
    assert permissions.unwritable("Old Name.md", exists=True) is None
    assert permissions.unwritable("notes.txt", exists=True)
    assert permissions.unwritable("logs/a.md", exists=True)


def test_a_denial_tells_the_rule() -> None:
    assert "feedback_no_db_mocks.md" in (permissions.unwritable("Bad Name.md", exists=False) or "")
    assert "bullets.md" in (permissions.unwritable("logs/a.md", exists=False) or "")


@pytest.mark.parametrize("path", ["team/project_freeze.md", "team/ops/a.md"])
def test_with_a_team_its_topics_may_be_written(path: str) -> None:
    assert permissions.unwritable(path, exists=False)
    assert permissions.unwritable(path, exists=False, team=True) is None


@pytest.mark.parametrize(
    "path", ["team", "team/Old.md", "team/a/b/c.md", "team/logs/a.md", "team/team/a.md", "logs/a.md"]
)
def test_with_a_team_the_rest_is_as_it_was(path: str) -> None:
    assert permissions.unwritable(path, exists=path == "team/Old.md", team=True)

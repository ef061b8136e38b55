"""Secrets and harmless texts that were written down before the rules were read, to measure without fitting.

As the guard stood when they were written, it found 34 of the 60 secrets and nothing in the 60 harmless texts.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Iterator

from tests.fakes.secret_corpus import Planted

_ALNUM = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_HEX = "0123456789abcdef"
_BASE64 = _ALNUM + "+/"
_URL_SAFE = _ALNUM + "-_"
_WORDS = ("Maple", "Otter", "Harbor", "Velvet", "Cobalt", "Thunder", "Pickle", "Saffron", "Walnut", "Glacier")

_PASSWORD_PLACES = (
    ("said-db", "For the staging db, the password is <> and the user is reporting."),
    ("said-key", "the key is <>, don't share it"),
    ("said-use-as", "Please use <> as the password for the staging admin."),
    ("said-login", "Log in as admin / <> and check that the dashboard loads."),
    ("said-user-pass", "you can test with user qa_bot, pass <>"),
    ("said-changed", "I changed the root password to <> yesterday."),
    ("said-set-to", "Set POSTGRES_PASSWORD to <> when you start the container"),
    ("said-creds", "creds for grafana: admin:<>"),
    ("said-german", "Das Passwort für den Testserver ist <>."),
    ("said-french", "Le mot de passe est <>, merci"),
    ("said-spanish", "La contraseña del servidor es <>"),
    ("said-chinese", "测试环境的密码是<>，用户名是 admin"),
    ("said-chinese-2", "登录口令：<>"),
    ("said-italian", "La password è <>"),
    ("said-dutch", "het wachtwoord is <>"),
    ("said-russian", "пароль от базы: <>"),
    ("said-japanese", "パスワードは<>です"),
    ("pgpass", "db.internal:5432:orders:app_rw:<>"),
    ("netrc", "machine git.example.org login build password <>"),
    ("netrc-lines", "machine api.example.org\n  login build\n  password <>\n"),
    ("curl-u", "curl -u deploy:<> https://files.example.org/upload -T a.tgz"),
    ("mysql-p", "mysql -h db1 -u root -p<> orders < dump.sql"),
    ("flag-password", "restic backup --password <> /srv"),
    ("flag-equals", "helm upgrade app ./chart --set auth.password=<>"),
    ("docker-login", "docker login registry.example.org -u ci -p <>"),
    ("sshpass", "sshpass -p '<>' ssh deploy@10.0.0.7 uptime"),
    ("export-env", "export DB_PASS=<>"),
    ("env-quoted", 'SMTP_PASSWORD="<>"'),
    ("yaml", "database:\n  user: app\n  password: <>\n"),
    ("json", '{"username": "app", "password": "<>"}'),
    ("python", 'client = Client(user="app", password="<>")'),
    ("java-props", "spring.datasource.password=<>"),
    ("terraform", 'resource "aws_db_instance" "x" {\n  username = "app"\n  master_password = "<>"\n}'),
    ("url", "DATABASE_URL=postgres://app:<>@db.internal:5432/orders"),
    ("url-query", "jdbc:postgresql://db.internal/orders?user=app&password=<>&ssl=true"),
    ("mssql", "Server=db1;Database=orders;User Id=app;Password=<>;Encrypt=yes"),
    ("redis", "redis-cli -h cache -a <> ping"),
    ("pypirc", "[pypi]\nusername = build\npassword = <>\n"),
    ("xml", "<server><id>nexus</id><username>ci</username><password><></password></server>"),
)


def secrets_first_look(seed: int) -> tuple[Planted, ...]:
    """All sixty; another seed makes other values."""
    rng = random.Random(seed)  # noqa: S311 - invented values
    passwords = [_planted(name, _password(rng), text) for name, text in _PASSWORD_PLACES]
    return (*passwords, *_said(rng), *_encoded(rng), *_tokens(rng), *_keys(rng))


def _planted(name: str, value: str, text: str) -> Planted:
    return Planted(name=name, text=text.replace("<>", value), value=value)


def _made(rng: random.Random, alphabet: str, length: int) -> str:
    characters = [rng.choice(alphabet) for _ in range(length)]
    characters[0], characters[-1] = rng.choice([c for c in alphabet if c.isalpha()]), rng.choice("23456789")
    return "".join(characters)


def _password(rng: random.Random) -> str:
    """A password as people make them up."""
    first, second = rng.sample(_WORDS, 2)
    return f"{first}{rng.choice('!#-_')}{second}{rng.randrange(10, 9999)}"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _said(rng: random.Random) -> Iterator[Planted]:
    yield _planted("said-value-first", _made(rng, _ALNUM, 24), "<> is our s3 secret, put it into the pipeline")
    yield _planted("said-pin", str(rng.randrange(10**7, 10**8)), "the door PIN is <>")
    yield _planted("said-passphrase", "correct otter glacier walnut", "wifi password: <>")
    yield _planted("said-token", _made(rng, _LOWER, 32), "our deploy token is <> (expires in March)")


def _encoded(rng: random.Random) -> Iterator[Planted]:
    header = "curl -H 'Authorization: Basic <>' https://api.example.org/"
    yield _planted("basic-header", _base64(f"build:{_password(rng)}"), header)
    yield _planted("k8s", _base64(_password(rng)), "kind: Secret\ndata:\n  password: <>\n")
    auths = json.dumps({"auths": {"registry.example.org": {"auth": "<>"}}})
    yield _planted("docker-auths", _base64(f"ci:{_password(rng)}"), auths)


def _tokens(rng: random.Random) -> Iterator[Planted]:
    def made(alphabet: str, length: int) -> str:
        return _made(rng, alphabet, length)

    numbers = "-".join(str(rng.randrange(10**10, 10**11)) for _ in range(2))
    head, claims = (
        base64.urlsafe_b64encode(part).rstrip(b"=").decode()
        for part in (b'{"alg":"RS256"}', b'{"sub":"u-77","aud":"api"}')
    )
    yield _planted("env-line", made(_HEX, 40), "SECRET_KEY_BASE=<>")
    yield _planted("npmrc", made(_HEX, 36), "//npm.example.org/:_authToken=<>")
    yield _planted("aws-id", "AK" + "IA" + made(string.ascii_uppercase + "234567", 16), "AWS key <>")
    yield _planted("aws-secret", made(_BASE64, 40), "aws_secret_access_key = <>")
    yield _planted("github", "gh" + "p_" + made(_ALNUM, 36), "gh auth login --with-token <<< <>")
    yield _planted("slack", f"xo{'xb'}-{numbers}-{made(_ALNUM, 24)}", "bot: <>")
    yield _planted("stripe", "sk" + "_live_" + made(_ALNUM, 24), "Stripe uses <> in prod")
    yield _planted("google", "AI" + "za" + made(_URL_SAFE, 35), "maps key=<>")
    yield _planted("gitlab", "gl" + "pat-" + made(_ALNUM, 20), "remote with <> works")
    yield _planted("openai", "sk-" + "proj-" + made(_ALNUM, 48), "openai: <>")
    yield _planted("sendgrid", "S" + "G." + made(_ALNUM, 22) + "." + made(_ALNUM, 43), "mail goes through <>")
    yield _planted("jwt", f"{head}.{claims}.{made(_URL_SAFE, 43)}", "Cookie: session=<>")


def _keys(rng: random.Random) -> Iterator[Planted]:
    lines = [_made(rng, _BASE64, 64) for _ in range(8)]
    body = "\n".join(lines)
    begin, end = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END OPENSSH PRIVATE" + " KEY-----"
    yield Planted(name="pem-cut", text=f"{begin}\n{body}\n", value=lines[3])
    yield Planted(name="pem-no-begin", text=f"the end of the key:\n{body}\n{end}\n", value=lines[5])


def harmless_first_look(seed: int) -> tuple[str, ...]:
    """Sixty texts without a secret."""
    rng = random.Random(seed)  # noqa: S311 - invented values

    def hexed(length: int) -> str:
        return "".join(rng.choice(_HEX) for _ in range(length))

    return (
        "The key is to start small and measure.",
        "use caching as the strategy for staging",
        "Log in as admin / then open the settings page.",
        "All workers must pass the test before merging.",
        "password: see 1Password, vault Engineering",
        "The password is stored in the keychain.",
        "The password is never logged.",
        "Token: the unit a tokenizer yields",
        "The secret is out: we ship on Friday.",
        "The key is config.timeouts.read_ms",
        "The primary key is (tenant_id, order_id).",
        "The cache key is user:{id}:profile",
        "The partition key is created_at.",
        "the key is in ~/.ssh/id_ed25519",
        "Use pytest-xdist as the runner for staging",
        "Use Redis 7.2 as the session store.",
        "use the admin user, pass --verbose",
        "user admin, pass rate 97.5%",
        "log in as deploy/readonly and look around",
        'curl -u "$USER:$PASS" https://api.example.org',
        "docker login -u ci --password-stdin",
        "mysql -u root -p orders",
        "ssh -p 2222 deploy@host",
        "mkdir -p build/Release2024/x64",
        "cp -p Makefile2 Makefile3",
        "psql postgres://app:$DB_PASSWORD@db/orders",
        "postgres://user:password@localhost:5432/db is the example in the README",
        "export DB_PASS=$(pass show db/orders)",
        "DB_PASSWORD=changeme",
        "API_KEY=your-api-key-here",
        "password = os.environ['DB_PASSWORD']",
        "password: str = Field(min_length=12)",
        "if password != confirm_password: raise ValidationError('passwords differ')",
        "const token = await getAccessToken(session)",
        "csrf_token = request.cookies.get('csrftoken')",
        "secretKeyRef:\n  name: orders-db\n  key: password",
        "kind: Secret\nmetadata:\n  name: orders-db\n",
        "password = var.db_password",
        "master_password = random_password.db.result",
        "//npm.example.org/:_authToken=${NPM_TOKEN}",
        "machine-readable output, login required, password optional",
        "Das Passwort ist im Tresor hinterlegt.",
        "Le mot de passe est obligatoire",
        "La contraseña es incorrecta",
        "密码是必填项，长度至少八位",
        "口令不能写进代码里，放在密钥管理服务里",
        "密码：见 1Password",
        "пароль не должен попадать в логи",
        "パスワードは環境変数から読む",
        f"build {hexed(40)} is green",
        f"request id {hexed(8)}-{hexed(4)}-4{hexed(3)}-a{hexed(3)}-{hexed(12)} timed out",
        f"image: registry.example.org/app@sha256:{hexed(64)}",
        f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}"',
        f"data:image/png;base64,iVBORw0KGgo{base64.b64encode(rng.randbytes(300)).decode()}",
        f'etag: W/"{hexed(32)}"',
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{base64.b64encode(rng.randbytes(32)).decode()[:43]} kim@laptop",
        "-----BEGIN CERTIFICATE-----\n" + base64.b64encode(rng.randbytes(600)).decode() + "\n-----END CERTIFICATE-----",
        "token budget: 200000 per pass, 8192 out",
        "The AWS access key id starts with AKIA, the secret has 40 characters.",
        "Rotate the API key every 90 days; ask #infra for a new one.",
    )

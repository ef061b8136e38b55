"""Invented secrets in the places where secrets stand, put together at run time."""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

_LOWER_DIGITS = string.ascii_lowercase + string.digits
_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_URL_SAFE = _ALNUM + "-_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A text with one secret in it."""

    name: str
    text: str
    value: str


def _made(rng: random.Random, alphabet: str, length: int) -> str:
    """Random characters, with at least one letter and one digit, as in any real token."""
    characters = [rng.choice(alphabet) for _ in range(length)]
    letters = [c for c in alphabet if c.isalpha()]
    characters[0], characters[-1] = rng.choice(letters), rng.choice("23456789")
    return "".join(characters)


def _uuid(rng: random.Random) -> str:
    return "-".join(_made(rng, _HEX, n) for n in (8, 4, 4, 4, 12))


def _jwt(rng: random.Random) -> str:
    head, body = (
        base64.urlsafe_b64encode(part).rstrip(b"=").decode()
        for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1842","name":"Kim","iat":1770000000}')
    )
    return f"{head}.{body}.{_made(rng, _URL_SAFE, 43)}"


def tokens(rng: random.Random) -> dict[str, str]:
    """One token of each vendor's shape."""

    def made(alphabet: str, length: int) -> str:
        return _made(rng, alphabet, length)

    upper = string.ascii_uppercase + "234567"
    return {
        "aws-access-key-id": "AK" + "IA" + made(upper, 16),
        "gcp-api-key": "AI" + "za" + made(_URL_SAFE, 35),
        "google-oauth-secret": "GOC" + "SPX-" + made(_URL_SAFE, 28),
        "google-oauth-token": "ya" + "29." + made(_URL_SAFE, 60),
        "azure-client-secret": made(_ALNUM, 3) + "8" + "Q~" + made(_ALNUM, 34),
        "digitalocean-token": "do" + "p_v1_" + made(_HEX, 64),
        "anthropic-key": "sk-" + "ant-api03-" + made(_URL_SAFE, 93) + "AA",
        "openai-key": "sk-" + "proj-" + made(_URL_SAFE, 120),
        "openai-key-legacy": "sk" + "-" + made(_ALNUM, 48),
        "huggingface-token": "h" + "f_" + made(_ALNUM, 34),
        "github-token": "gh" + "p_" + made(_ALNUM, 36),
        "github-oauth-token": "gh" + "o_" + made(_ALNUM, 36),
        "github-fine-grained-token": "github" + "_pat_" + made(_ALNUM, 22) + "_" + made(_ALNUM, 59),
        "gitlab-token": "gl" + "pat-" + made(_URL_SAFE, 20),
        "slack-token": "xo" + "xb-" + f"{rng.randrange(10**11, 10**12)}-" + made(_ALNUM, 24),
        "slack-webhook": "https://hooks.slack." + "com/services/T0" + made(upper, 8) + "/B0" + made(_ALNUM, 30),
        "twilio-key": "S" + "K" + made(_HEX, 32),
        "sendgrid-key": "S" + "G." + made(_URL_SAFE, 22) + "." + made(_URL_SAFE, 43),
        "npm-token": "np" + "m_" + made(_ALNUM, 36),
        "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + made(_URL_SAFE, 120),
        "databricks-token": "da" + "pi" + made(_HEX, 32),
        "terraform-token": made(_ALNUM, 14) + ".atlas" + "v1." + made(_URL_SAFE, 67),
        "pulumi-token": "pu" + "l-" + made(_HEX, 40),
        "postman-key": "PM" + "AK-" + made(_HEX, 24) + "-" + made(_HEX, 34),
        "grafana-token": "gl" + "sa_" + made(_ALNUM, 32) + "_" + made(_HEX, 8),
        "sentry-token": "sn" + "tryu_" + made(_HEX, 64),
        "stripe-key": "sk" + "_live_" + made(_ALNUM, 24),
        "shopify-token": "sh" + "pat_" + made(_HEX, 32),
        "discord-bot-token": "M" + made(_ALNUM, 25) + "." + made(_ALNUM, 6) + "." + made(_URL_SAFE, 38),
        "telegram-bot-token": f"{rng.randrange(10**9, 10**10)}" + ":A" + "A" + made(_URL_SAFE, 33),
        "mailgun-key": "ke" + "y-" + made(_HEX, 32),
        "heroku-key": "HR" + "KU-" + _uuid(rng),
        "cloudflare-origin-ca-key": "v1" + ".0-" + made(_HEX, 24) + "-" + made(_HEX, 146),
        "vault-token": "hv" + "s." + made(_URL_SAFE, 90),
        "doppler-token": "dp" + ".pt." + made(_ALNUM, 43),
        "linear-key": "lin" + "_api_" + made(_ALNUM, 40),
        "notion-token": "nt" + "n_" + made(_ALNUM, 46),
        "figma-token": "fi" + "gd_" + made(_URL_SAFE, 40),
        "atlassian-token": "AT" + "ATT3" + made(_URL_SAFE, 180),
        "jwt": _jwt(rng),
        "age-secret-key": "AGE-" + "SECRET-KEY-1" + made(string.ascii_uppercase + "234567", 58),
        "docker-hub-token": "dck" + "r_pat_" + made(_URL_SAFE, 27),
        "groq-key": "gs" + "k_" + made(_ALNUM, 52),
        "tailscale-key": "ts" + "key-auth-" + made(_ALNUM, 17) + "-" + made(_ALNUM, 32),
    }


_TOKEN_PLACES = (
    "export SERVICE_KEY={}\nexport REGION=eu-west-1\n",
    'curl -s -H "X-Auth: {}" https://api.corp.test/v2/things',
    "use {} for the staging run, it is valid until Friday",
    "先用这个 {} 跑一下，跑完我就作废",
    '{{"name": "ingest", "auth": "{}", "retries": 3}}',
    'client = Client("{}", timeout=30)',
    "https://api.corp.test/v1/items?key={}&page=2",
    "     7→AUTH={}\n     8→DEBUG=1",
    r"first line\n{}\nlast line",
)


def _password(rng: random.Random) -> str:
    word = rng.choice(("tr0ut", "Velvet", "K1wi", "Mango", "0tter"))
    return f"{word}-{_made(rng, _ALNUM, 6)}{rng.choice('!#%+')}{rng.randrange(10, 99)}"


_PASSWORD_PLACES = (
    "PGPASSWORD='{}' psql -h db.corp.test",
    "DB_PASSWORD={}\nDB_USER=app",
    "postgres://svc:{}@10.2.3.4:5432/app",
    "the password is {}, please rotate it later",
    "my password for the vpn is {}.",
    "the staging password was changed to {} today",
    "the vpn password ({}) rotates monthly",
    "db password: {}",
    '"password": "{}",',
    r"{{\"password\": \"{}\", \"user\": \"app\"}}",
    "password = '{}'  # local only",
    'password: str = "{}"',
    "密码是{}，别外传",
    "密码：{}",
    "数据库密码改成了 {} 记一下",
    "口令 {}",
    "mysql -u root -p'{}' app",
    "curl -u admin:{} https://nexus.corp.test/",
    "redis://:{}@cache.corp.test:6379/0",
    "Server=db;User Id=sa;Password={};Encrypt=True",
    "sshpass -p '{}' ssh deploy@host",
    "**Password:** `{}`",
    "tool --password {} --verbose",
    'login("kim", password="{}")',
    "<password>{}</password>",
    "ALTER ROLE app WITH PASSWORD '{}';",
)

_CREDENTIAL_PLACES = (
    "api_key: {}",
    "API_KEY={}",
    'secret_key = "{}"',
    "clientSecret: '{}',",
    '"access_token":"{}"',
    "Authorization: Bearer {}",
    'headers = {{"Authorization": "Bearer {}"}}',
    "curl -H 'Authorization: token {}' https://git.corp.test/api",
    "https://api.corp.test/x?api_key={}&limit=5",
    "the api key is {} for now",
    "密钥：{}",
    "//registry.corp.test/:_authToken={}",
    "PRIVATE-TOKEN: {}",
    "AccountName=logs;AccountKey={}==;EndpointSuffix=core.test",
)


def planted(seed: int) -> tuple[Planted, ...]:
    """Secrets in realistic places; another seed makes other values."""
    rng = random.Random(seed)  # noqa: S311 - invented values
    out = [
        Planted(name=name, text=_TOKEN_PLACES[i % len(_TOKEN_PLACES)].format(value), value=value)
        for i, (name, value) in enumerate(tokens(rng).items())
    ]
    for i, place in enumerate(_PASSWORD_PLACES):
        value = _password(rng)
        out.append(Planted(name=f"password {i}", text=place.format(value), value=value))
    for i, place in enumerate(_CREDENTIAL_PLACES):
        value = _made(rng, _ALNUM, 64 if "AccountKey" in place else 36)
        out.append(Planted(name=f"credential {i}", text=place.format(value), value=value))
    return (*out, *_key_blocks(rng), *_disguised(rng))


def _key_blocks(rng: random.Random) -> tuple[Planted, ...]:
    lines = [_made(rng, _ALNUM + "+/", 64) for _ in range(6)]
    out = []
    for kind in ("RSA ", "OPENSSH ", "EC ", "ENCRYPTED ", ""):
        begin, end = (f"-----{edge} {kind}PRIVATE" + " KEY-----" for edge in ("BEGIN", "END"))
        out.append(Planted(name=f"{kind}key", text="\n".join([begin, *lines, end]), value=lines[3]))
    one_line = begin + r"\n" + r"\n".join(lines) + r"\n" + end + r"\n"
    numbered = "\n".join(f"{i:6}→{line}" for i, line in enumerate([begin, *lines, end], 1))
    out += [
        Planted(name="key in JSON", text=f'{{"private_key": "{one_line}"}}', value=lines[2]),
        Planted(name="key with line numbers", text=numbered, value=lines[5]),
        Planted(name="key cut off", text="\n".join(["cat id_rsa", begin, *lines]), value=lines[4]),
    ]
    return tuple(out)


def _disguised(rng: random.Random) -> tuple[Planted, ...]:
    """Tokens broken over lines, encoded, in full-width letters or with invisible characters inside."""
    one = tokens(rng)
    github, gitlab, slack = one["github-token"], one["gitlab-token"], one["slack-token"]
    wide = "".join(chr(ord(c) + 0xFEE0) for c in github)
    encoded = base64.b64encode(f"user: app\ntoken: {gitlab}\n".encode()).decode()
    return (
        Planted(name="broken over lines", text=f"{github[:20]}\n  {github[20:]}\nnext", value=github[4:20]),
        Planted(name="full width", text=f"令牌 {wide} 用完作废", value=wide),
        Planted(name="zero width", text=f"{slack[:12]}\u200b{slack[12:]}", value=slack[12:]),
        Planted(name="base64", text=f"data:\n  config: {encoded}\n", value=encoded[:40]),
    )

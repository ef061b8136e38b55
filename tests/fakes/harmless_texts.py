"""Texts that only resemble secrets: hashes, identifiers, code about secrets, talk about secrets, placeholders."""

from __future__ import annotations

import base64
import random
import string
import uuid

_ALNUM = string.ascii_letters + string.digits


def _made(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def _hex(rng: random.Random, length: int) -> str:
    return _made(rng, "0123456789abcdef", length)


def harmless(seed: int) -> tuple[str, ...]:
    """All of them, with made-up hashes and identifiers."""
    rng = random.Random(seed)  # noqa: S311 - invented values
    sri = base64.b64encode(rng.randbytes(64)).decode()
    image = "iVBORw0KGgo" + base64.b64encode(rng.randbytes(600)).decode()
    return (
        f"commit {_hex(rng, 40)}",
        f"git show {_hex(rng, 7)}..{_hex(rng, 7)}",
        f"md5: {_hex(rng, 32)}",
        f"sha256:{_hex(rng, 64)}",
        f"FROM python@sha256:{_hex(rng, 64)}",
        f'"integrity": "sha512-{sri}"',
        f"id = {uuid.UUID(bytes=rng.randbytes(16))}",
        f"session {uuid.UUID(bytes=rng.randbytes(16))} ended",
        f"token {uuid.UUID(bytes=rng.randbytes(16)).hex[:8]} was reused",
        f"![logo](data:image/png;base64,{image})",
        f'ETag: W/"{_hex(rng, 32)}"',
        f"cache key {_hex(rng, 64)}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_made(rng, _ALNUM, 43)} kim@laptop",
        f"trace_id={_hex(rng, 32)} span_id={_hex(rng, 16)}",
        f"go.sum h1:{base64.b64encode(rng.randbytes(32)).decode()}",
        *HARMLESS,
    )


HARMLESS = tuple(
    line
    for line in r"""
the token refresh races, see session.ts
the password field is too narrow
the password is required
password is wrong, try again
The password is case-sensitive.
the password was reset yesterday
reset the password to continue
passwords must be at least 12 characters
password must contain 8-64 characters
min password length: 12
password_min_length = 12
max_tokens: 4096
"max_tokens": 200000,
input_tokens=183422 output_tokens=992
token_count: 128000
tokens: 1234567
the token limit is 200k
token budget is 25000
access token expires after 3600 seconds
the access token is stored in sessionStorage
the refresh token is rotated on every use
password: string
password: str
password: str | None = None
password: Optional[str] = Field(default=None, min_length=8)
password: z.string().min(8).max(64)
password = getpass.getpass("Password: ")
password = os.environ["DB_PASSWORD"]
password = os.getenv("DB_PASSWORD2")
password = self.config.password
password=settings.DATABASE_PASSWORD_V2
const token = await getToken(user.id)
const token = req.headers.authorization?.split(' ')[1]
token = response.json()["access_token"]
token: process.env.NPM_TOKEN
api_key = config.get("api_key")
apiKey: process.env.OPENAI_API_KEY,
api_key=YOUR_API_KEY
api_key: <your-key>
API_KEY=your-api-key-here
API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx
API_KEY=changeme
PASSWORD=changeme
PASSWORD=change_me_123
PASSWORD=${DB_PASSWORD}
PASSWORD=$DB_PASSWORD
PASSWORD="{{ db_password }}"
password: "********"
password: ••••••••
password: [REDACTED]
password: <redacted>
secret: ${{ secrets.DEPLOY_TOKEN_2 }}
secret: !Ref DatabaseSecret1
password: op://vault/item/password1
password: vault:secret/data/db#password1
POSTGRES_PASSWORD: postgres
DB_PASSWORD=password
DB_PASSWORD=secret
postgres://user:password@localhost:5432/db
postgres://postgres:postgres@localhost/app
postgres://USER:PASSWORD@HOST:5432/DB
mysql://root:${MYSQL_PWD}@db/app
redis://localhost:6379/0
https://example.test:8443/a@b
http://localhost:3000/@scope/pkg
git@github.com:org/repo.git
ssh://git@host.test:2222/org/repo.git
https://user@host.test/path
docker run -u 1000:1000 image
curl -u $USER:$PASS https://x.test
curl -u "${NEXUS_USER}:${NEXUS_PASS}" https://x.test
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${ACCESS_TOKEN}
Authorization: Basic auth is off
send it as a bearer token in the header
bearer authentication is enabled
AKIAIOSFODNN7EXAMPLE is the key in Amazon's docs
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx
sk-... goes into .env.local
the file starts with -----BEGIN PRIVATE KEY----- and must not be committed
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
call +49 170 1234567 or 138 0013 8000
订单号 202604011234567890
手机号 13800138000
密码框要居中
密码长度至少 8 位
密码错误三次就锁定
密码是必填的
密码里的 `%23` 没有解码成 `#`
忘记密码的流程要改
口令太短
令牌刷新有竞态
token 永远不过期
密码字段用 bcrypt 加密
密码强度：强
密码：<你的密码>
请输入密码：
handleAuthenticationTokenRefreshFailureInBackground2
const SECRET_NAME = "db-credentials"
secretName: my-app-tls-2024
secret_id = aws_secretsmanager_secret.db.id
kubectl get secret app-tls-2 -o yaml
tokenizer: cl100k_base
token_type: bearer
password_hash = bcrypt.hashpw(password, salt)
password_reset_url: /auth/reset/2
passwordInput.value = ""
if password == confirm_password2:
pwd: /work/app/service-2
cd $(pwd)/build2
PWD=/srv/app2
key: value
primary_key: user_id_2
cache_key: user-42-profile
sort key is created_at2
public_key: keys/deploy2.pub
compass: 120 degrees
all tests pass: 128 of 128
pass: 12, fail: 0
bypass = true
Tokens per second: 182.4
the secret to fast builds is caching2
secrets are rotated every 90 days
keyboard shortcut: ctrl+shift+p
task-2024-sk-review-of-the-quarterly-numbers-and-plans
risk-assessment-2024-for-the-new-payment-provider-v2
desk_live_view_component_v2
v1.0-rc.2-build.20260401
eyJhbGciOiJIUzI1NiJ9 decodes to the header
hf_transfer makes downloads faster
npm_config_registry=https://packages.example/npm/
def verify_token(token: str, audience: str = "api://default") -> Claims:
fn token(&self) -> Option<&str> {
private token: Token | null = null;
type Token = { kind: "ident"; text: string }
the api key is read from the environment
the passphrase is optional
secret is mounted at /run/secrets/db_password
password-less login via SSO2
export GITHUB_TOKEN=$(gh auth token)
--password-stdin < ~/.docker/pass
--token-file /etc/app/token2
use --auth-mode login2
the token is passed to handle_v2_requests
the token is checked in verify_session_2024
the password is passed to auth_service2
the password is stored in users_2024
the password column is varchar255
tests pass when the flag is v2x3y4
pass it to user2handler
Three of them pass `actor=None2`.
password = user_password_2
the secret is mounted by helm3 into app-7d4f
the credentials are read from s3cfg
token kinds are ident1, number2 and string3
the api key for maps is optional2
密码用 sha256 加盐
密码用户表 users2 里
密钥轮换见 runbook-2024
""".splitlines()
    if line
)

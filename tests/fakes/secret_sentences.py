"""Secrets as people tell and configure them, and keys, tokens and logins in disguise.

Written after the rules for sentences and before they were tried on these: 87 of the 94 were found at that first look.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Iterator

from tests.fakes.secret_corpus import Planted

_ALNUM = string.ascii_letters + string.digits
_WORDS = ("Maple", "Otter", "Harbor", "Velvet", "Cobalt", "Thunder", "Pickle", "Saffron", "Walnut", "Glacier")
_PLAIN = ("correct", "horse", "battery", "staple", "walnut", "glacier", "pickle", "saffron")

_PLACES = (
    # spoken and configured, value <>
    "the key is <>",
    "fyi the wifi key is now <>",
    "Key for the vault is <>.",
    "use <> as the password for staging",
    "please take <> as the passphrase, thanks",
    "log in as admin / <>",
    "login: deploy / <> on the jump host",
    "sign in with qa@example.org : <>",
    "user admin, pass <>",
    "user: root pass: <>",
    "username admin and password <>",
    "das Passwort ist <>",
    "Das Kennwort lautet <>",
    "le mot de passe du serveur est <>",
    "la contraseña es <>",
    "la senha é <>",
    "Het wachtwoord voor de database is <>",
    "lösenordet är <>",
    "hasło to <>",
    "heslo je <>",
    "пароль: <>",
    "密码是<>",
    "口令<>",
    "服务器的密码是 <> 记得改",
    "账号 root 密码 <>",
    "パスワード：<>",
    "비밀번호는 <> 입니다",
    "<> is our admin password",
    '"<>" was the old password, it still works',
    "<> ist das Passwort für den Router",
    "db.example.org:5432:app:app:<>",
    "*:*:*:postgres:<>",
    "machine ftp.example.org login kim password <>",
    "default login kim password <>",
    "jdbc:mysql://db/app?user=app&password=<>",
    "mongodb://db/app?authSource=admin&password=<>",
    "mycli --host db --password <> orders",
    "createuser --pwd=<>",
    "mc alias set s3 https://s3.example.org app --secret-key <>",
    "podman login -u ci -p <> quay.example.org",
    "az login -u kim@example.org -p <>",
    "unzip -P <> backup.zip",
    "ldapsearch -D cn=admin -w <> -b dc=corp",
    "openssl rsa -in k.pem -passin pass:<>",
    "stringData:\n  password: <>\n",
    "- name: DB_PASSWORD\n  value: <>\n",
    '- name: DB_PASSWORD\n  value: "<>"\n',
    '<add key="DbPassword" value="<>"/>',
    'variable "db_password" {\n  type = string\n  default = "<>"\n}',
    'password = "<>"',
    "MAIL_PASSWORD='<>'",
    "export PGPASSWORD=<>",
    "  ADMIN_PASS: <>",
    "auth:\n  basic:\n    password: <>",
    "The admin's password changed last week: <>",
    "password reset done, new one is <>",
    "New password => <>",
    "root:<>@10.0.0.3 does not answer (mysql://root:<>@10.0.0.3/app)",
    "ftp://kim:<>@files.example.org/in",
    "net use z: \\\\nas\\share /user:kim <>",
    "echo <> | sudo -S true",
    "Passwort: <>",
    "Passwort (neu): <>",
    "PW=<>",
    "pw: <>",
    "the password to the build box is '<>'",
    "the password hasn't changed, it's still <>",
    "We share one login, kim / <>",
    "password\n<>\n",
    "| password | <> |",
    "- **Password**: <>",
    "my ssh passphrase is <>",
    "secret: <>",
)
_PHRASES = ("wifi password: <>", "the passphrase is <>", 'password: "<>"', "Passphrase: <>.")


def sentences(seed: int) -> tuple[Planted, ...]:
    """All of them; another seed makes other values."""
    rng = random.Random(seed)  # noqa: S311 - invented values
    told = [_planted(place, _password(rng), place) for place in _PLACES]
    phrases = [_planted(place, " ".join(rng.sample(_PLAIN, 4)), place) for place in _PHRASES]
    return (*told, *phrases, *_encoded(rng), *_bodies(rng), *_disguised(rng))


def _planted(name: str, value: str, text: str) -> Planted:
    return Planted(name=" ".join(name.split())[:40], text=text.replace("<>", value), value=value)


def _password(rng: random.Random) -> str:
    """A password as people make them up."""
    if rng.random() < 0.5:
        first, second = rng.sample(_WORDS, 2)
        return f"{first}{rng.choice('!#-_')}{second}{rng.randrange(10, 9999)}"
    start, middle = rng.choice(("hunter", "dragon", "Biscuit")), rng.choice(("Correct", "Purple"))
    return f"{start}{rng.randrange(2, 9)}{middle}{rng.randrange(2, 9)}Horse"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _encoded(rng: random.Random) -> Iterator[Planted]:
    """Values behind base64: what is to be taken out is their encoded form."""
    manifest = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  conf: <>\n"
    yield _planted("manifest", _base64(_password(rng)), manifest)
    yield _planted("manifest in JSON", _base64(_password(rng)), '{"kind": "Secret", "data": {"conf": "<>"}}')
    yield _planted("npmrc", _base64(f"ci:{_password(rng)}"), "_auth=<>")
    yield _planted("basic", _base64(f"kim:{_password(rng)}"), "Authorization: Basic <>")
    auths = json.dumps({"auths": {"r.example.org": {"auth": "<>"}}})
    yield _planted("docker config", _base64(f"ci:{_password(rng)}"), auths)
    yield _planted("a line of it", _base64(f"db password: {_password(rng)}"), "<>")


def _bodies(rng: random.Random) -> Iterator[Planted]:
    """Private keys without their edges."""
    long = (("pkcs1", "308204a30201000282010100"), ("pkcs8", "308204bd020100300d06092a864886f70d0101010500048204a7"))
    for name, start in long:
        body = base64.b64encode(bytes.fromhex(start) + rng.randbytes(1180)).decode()
        lines = [body[i : i + 64] for i in range(0, len(body), 64)]
        yield Planted(name=f"{name} body", text="key:\n" + "\n".join(lines), value=lines[4])
        yield Planted(name=f"{name} body in one line", text=f'"key": "{body}"', value=body[100:160])
    body = base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + rng.randbytes(32)).decode()
    yield Planted(name="ed25519 body", text=f"signing {body}", value=body[30:60])
    body = base64.b64encode(b"openssh-key-v1\0" + rng.randbytes(400)).decode()
    lines = [body[i : i + 70] for i in range(0, len(body), 70)]
    end = "-----END OPENSSH PRIVATE" + " KEY-----"
    yield Planted(name="openssh without its first line", text="\n".join([*lines[2:], end]), value=lines[3])


def _disguised(rng: random.Random) -> Iterator[Planted]:
    token = "gh" + "p_" + "".join(rng.choice(_ALNUM) for _ in range(35)) + "7"
    bold, wide = _bold(token), "".join(chr(ord(c) + 0xFEE0) for c in token)
    yield Planted(name="bold letters", text=bold, value=bold)
    yield Planted(name="wide letters", text=f"token {wide}", value=wide)
    spaced = "\u200b".join(token)
    yield Planted(name="zero width everywhere", text=f"x {spaced}", value=spaced[:24])
    for name, blank in (
        ("hangul filler", "\u3164"),
        ("joiner", "\u034f"),
        ("selector", "\ufe0f"),
        ("hyphen", "\u00ad"),
    ):
        yield Planted(name=name, text=f"x {token[:9]}{blank}{token[9:]}", value=token[9:])
    yield Planted(name="two lines", text=f"token {token[:18]}\n{token[18:]}", value=token[4:18])
    encoded = _base64(f"GH_TOKEN={token}")
    yield Planted(name="encoded line", text=encoded, value=encoded[:30])


def _bold(text: str) -> str:
    starts = ((string.ascii_lowercase, 0x1D41A), (string.ascii_uppercase, 0x1D400), (string.digits, 0x1D7CE))
    table = {ord(c): start + i for letters, start in starts for i, c in enumerate(letters)}
    return text.translate(table)

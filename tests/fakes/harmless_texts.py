"""Texts that only resemble secrets: hashes, identifiers, code about secrets, talk about secrets, placeholders."""

from __future__ import annotations

import base64
import random
import string
import uuid
from pathlib import Path

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
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-2024",
        "kind: Secret\nmetadata:\n  name: db-2024\n  labels:\n    app: frontend\n",
        "Password\nForgot your password?\n",
        f"yarn lock: integrity sha512-{sri}\n  resolved: https://registry.example.org/left-pad/-/left-pad-1.3.0.tgz",
        f"密码学的作业：{_hex(rng, 64)} 是摘要，不是密钥",
        *HARMLESS,
    )


HARMLESS = tuple(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines())

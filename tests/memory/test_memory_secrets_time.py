"""How long the guard takes on lines that were made to be slow."""

from __future__ import annotations

import time

import pytest

from memd.memory import secrets

_HOSTILE = (
    "a", "password=", "password is ", "password: a1B!c2 ", "password: a1B!c2&x=", "eyJ", "eyJhbGciOiJIUzI1NiJ9.", "sk-",
    "-----BEGIN PRIVATE KEY-----", "a@b://:", "http://a:b", "https://u:p4ssw0rd!@h ", "token ",
    "token: 'a1b2c3d4e5f6g7' ",
    "密码", "密码是a1B!c2 ", "mysql -p", "curl -u a:b1 ", "QUJD", "ghp_", "AKIA", "\u200b", "Bearer ", "'\n'", " \n",
    "[secret:jwt]", "[secret:", "\ud800", "-us1", "mailgun ", "--password ", "password\"'`", "$" , "heroku_key_",
    "login a/b1C!d2 ", "log in as a / ", "a:b@c.d ", "user a pass b1c2d3 ", "key is a1 ", "key for a b c ",
    "PIN is 1234 ", "is our password ", "aB3! is our password. ", "password: aaa aaa aaa aaa.", "password: aaa ",
    "password\naB3$aB3$\n", "-----END PRIVATE KEY-----", "QUJD\n-----END PRIVATE KEY-----\n", "auth QUJDREVG ",
    "kind: Secret\na: cGFzczEyMzQ1\n", " -u a -p b1C!d2e3 ", "name: password value: a1b2c3 ", 'variable "token" {',
    "1:5432:a:b:c1d2e3\n", "echo a|sudo ", "MIIEpAIBAAK", "b3BlbnNzaC1rZXktdjE", "пароль это a1B!c2d3 ", "\ufe0f",
    "\U0001d41a", "clave ", "is ", ": ", "/ ",
)  # fmt: skip


def _seconds(piece: str, size: int, enough: float = 0.0) -> float:
    """Processor time for a text of `size` characters: the best of three, or the first that is good enough."""
    text = piece * (size // len(piece))
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        secrets.find(text)
        best = min(best, time.process_time() - start)
        if best < enough:
            break
    return best


@pytest.mark.parametrize("size", [60_000, pytest.param(200_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("piece", _HOSTILE)
def test_a_hostile_line_takes_linear_time(piece: str, size: int) -> None:
    secrets.find("warm")
    short = _seconds(piece, size // 4)
    most = min(0.2, max(8 * short, 0.05))  # four times the text: less than twice four times as long
    assert _seconds(piece, size, most) < most

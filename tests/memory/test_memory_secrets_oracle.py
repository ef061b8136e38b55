"""The guard beside a public scanner, detect-secrets, used in-process: its detectors look at text and at nothing else.

Its detectors for tokens of a known shape are an oracle: what they find, the guard finds. Those for words like
"password" and for random-looking strings are compared by their figures.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import string
from collections.abc import Callable, Iterator

import pytest
from detect_secrets import plugins
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString
from detect_secrets.plugins.keyword import KeywordDetector
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory import secrets
from tests.memory.test_memory_secrets import _HARMLESS, _PLANTED

# What the oracle reports that is no secret, by detector.
NOT_SECRET = {
    "IPPublicDetector": "an address is no secret",
    "ArtifactoryDetector": "its second pattern is any word that begins with AP and a hexadecimal digit",
    "PrivateKeyDetector": "it reports the first line of a key, which without a body is prose",
    "BasicAuthDetector": "it reports user:password, localhost and variables too",
}
# The shapes: `{A24}` stands for 24 letters and digits, U capitals, L small letters, H hexadecimal, d digits,
# u URL-safe, B base64, N small letters and digits.
_SHAPES = {
    "AWSKeyDetector": ("AK~IA{U16}", "AS~IA{U16}", "aws_access_token = '{B40}'"),
    "AzureStorageKeyDetector": ("AccountKey={B88}",),
    "CloudantDetector": ("cloudant_password = '{H64}'", "cloudant_apikey={L24}",
                         "https://acct:{H64}@acct.cloudant.com"),
    "DiscordBotTokenDetector": ("M{A23}.{A6}.{u27}", "N{A25}.{A6}.{u27}"),
    "GitHubTokenDetector": ("gh~p_{A36}", "gh~o_{A36}", "gh~u_{A36}", "gh~s_{A36}", "gh~r_{A36}"),
    "GitLabTokenDetector": ("gl~pat-{u20}", "gl~dt-{u20}", "gl~rt-{u20}", "GR~1348941{u20}", "gl~cbt-0f_{u20}",
                            "gl~ptt-{H40}", "gl~agent-{u50}", "gl~oas-{H64}", "gl~imt-{N25}", "gl~ft-{u20}",
                            "gl~soat-{u20}"),
    "IbmCloudIamDetector": ("ibm_cloud_api_key = '{u44}'", "iam_token: {u44}"),
    "IbmCosHmacDetector": ("cos_hmac_secret_access_key = {H48}", "secret_key: '{H48}'"),
    "MailchimpDetector": ("{H32}-us12", "{N32}-us3"),
    "NpmDetector": ("//registry.npmjs.org/:_authToken=np~m_{A36}",
                    "//npm.corp.test/:_authToken={H8}-{H4}-{H4}-{H4}-{H12}"),
    "OpenAIDetector": ("s~k-{A20}T3BlbkFJ{A20}", "s~k-proj-{A20}T3BlbkFJ{A20}", "s~k-mine-{A20}T3BlbkFJ{A20}"),
    "PypiTokenDetector": ("py~pi-AgEIcHlwaS5vcmc{u90}", "py~pi-AgENdGVzdC5weXBpLm9yZw{u90}"),
    "SendGridDetector": ("S~G.{u22}.{u43}",),
    "SlackDetector": ("xo~xb-{d12}-{A24}", "xo~xp-{d11}-{d11}-{H32}",
                      "https://hooks.slack.~com/services/T{U9}/B{U9}/{A24}"),
    "SoftlayerDetector": ("softlayer_api_key = '{N64}'", "https://api.softlayer.com/soap/v3/{N64}"),
    "SquareOAuthDetector": ("sq~0csp-{u43}",),
    "StripeDetector": ("s~k_live_{A24}", "r~k_live_{A24}"),
    "TelegramBotTokenDetector": ("{d10}:AA{u33}", "{d8}:{u35}"),
    "TwilioKeyDetector": ("S~K{H32}",),
    "ArtifactoryDetector": ("token AK~C{A60} ",),
}  # fmt: skip
_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase,
    "H": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_letters + string.digits + "-_",
    "B": string.ascii_letters + string.digits + "+/",
    "N": string.ascii_lowercase + string.digits,
}
_PLACES = ("{}", "use {} for now", "先用 {} 跑一下", "x = 1\n  {}\ny = 2", '"{}",', "> {}")


def _detectors() -> dict[str, RegexBasedDetector]:
    for module in pkgutil.iter_modules(plugins.__path__):
        importlib.import_module(f"{plugins.__name__}.{module.name}")
    return {kind.__name__: kind() for kind in RegexBasedDetector.__subclasses__()}


_ORACLE = _detectors()


def _structured(text: str) -> Iterator[tuple[str, str]]:
    """What the oracle finds by a token's shape: its detector and the value."""
    for name, detector in _ORACLE.items():
        if name not in NOT_SECRET:
            yield from ((name, value) for line in text.splitlines() for value in detector.analyze_string(line))


def _finds_any(text: str) -> bool:
    """Whether any detector of the oracle's finds anything, those for words and for randomness included."""
    loose = (KeywordDetector(), Base64HighEntropyString(), HexHighEntropyString())
    by_shape = any(True for one in _ORACLE.values() for line in text.splitlines() for _ in one.analyze_string(line))
    return by_shape or any(one.analyze_line("notes.md", line) for one in loose for line in text.splitlines())


def _token(shape: str, rng: random.Random) -> tuple[str, list[str]]:
    """A token of a shape, and the random parts of it. The `~` keeps the shape itself from looking like one."""
    parts: list[str] = []

    def made(code: re.Match[str]) -> str:
        letters, length = _ALPHABETS[code[1]], int(code[2])
        plain = [c for c in letters if c.isalnum()]
        parts.append("".join(rng.choice(plain if i in {0, length - 1} else letters) for i in range(length)))
        return parts[-1]

    return re.sub(r"\{([A-Za-z])(\d+)\}", made, shape.replace("~", "")), parts


def test_the_oracle_has_no_detector_that_nobody_judged() -> None:
    by_hand = {"JwtTokenDetector"}  # what it takes for one has to be valid JSON: the corpus holds some
    assert set(_ORACLE) == set(_SHAPES) | set(NOT_SECRET) | by_hand


@pytest.mark.parametrize("name", sorted(_SHAPES))
@settings(max_examples=40, deadline=None)  # the first example compiles the table
@given(seed=st.integers(0, 2**32), place=st.sampled_from(_PLACES), which=st.integers(0, 20))
def test_a_token_of_a_known_shape_is_found_as_the_oracle_finds_it(name: str, seed: int, place: str, which: int) -> None:
    shapes = _SHAPES[name]
    token, parts = _token(shapes[which % len(shapes)], random.Random(seed))  # noqa: S311 - invented values
    text = place.format(token)
    found = [value for line in text.splitlines() for value in _ORACLE[name].analyze_string(line)]
    assert found or name in {"ArtifactoryDetector", "GitLabTokenDetector"}  # they want a certain character beside it
    left = secrets.redact(text)
    assert [value for value in (*found, max(parts, key=len)) if value in left] == []


def test_the_guard_finds_what_the_oracle_finds_in_the_corpus() -> None:
    missed = [
        (case.name, detector)
        for case in _PLANTED
        for detector, value in _structured(case.text)
        if value in secrets.redact(case.text)
    ]
    assert missed == []
    assert len({detector for case in _PLANTED for detector, _ in _structured(case.text)}) >= 10


def test_the_guard_beside_the_whole_oracle(record_property: Callable[[str, object], None]) -> None:
    """On the same texts: how many secrets each finds, and how many harmless texts each takes for one."""
    found = sum(1 for case in _PLANTED if case.value not in secrets.redact(case.text))
    oracle_found = sum(1 for case in _PLANTED if _finds_any(case.text))
    wrong = sum(1 for text in _HARMLESS if secrets.find(text))
    oracle_wrong = sum(1 for text in _HARMLESS if _finds_any(text))
    figures = {"guard": (found, wrong), "oracle": (oracle_found, oracle_wrong)}
    record_property("found of planted, wrong of harmless", f"{figures} of {len(_PLANTED)}, {len(_HARMLESS)}")
    assert wrong == 0
    assert found > oracle_found

"""What is private or secret is taken out of whole texts: a cut never lays any of it bare.

What is proven here is proven on the bytes that a service on loopback got.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memd.transcripts.grouping import RESULT_KEPT
from tests.fakes.anthropic_server import in_turn, serving, text
from tests.fakes.model_pass import Passes, conversation, furnished

PRIVATE = "The merger with Zanzibar Shipping is planned for the ninth of May. "
LATER = "and now the second turn, about the tide tables"
NOTHING = in_turn(otherwise=[text("nothing")])


@pytest.fixture
def passes(home: Path) -> Iterator[Passes]:
    """A project whose passes ask a model."""
    with serving(NOTHING) as server, furnished(home, server) as made:
        yield replace(made, house=replace(made.house, account="somebody"))


def sent(passes: Passes) -> str:
    """Everything that the service got."""
    return json.dumps([one.body for one in passes.server.requests])


def test_a_private_part_that_only_ends_far_behind_is_in_no_beginning(passes: Passes) -> None:
    passes.run(conversation(("human", PRIVATE * 600 + "</private> please build the crates")), NOTHING)
    passes.run(conversation(("human", LATER), start=10), NOTHING)
    assert "tide tables" in sent(passes)
    assert sent(passes).count("please build the crates") == 2
    assert "Zanzibar" not in sent(passes)


def test_nor_in_a_result_that_is_read_in_part(passes: Passes) -> None:
    output = PRIVATE * (2 * RESULT_KEPT // len(PRIVATE)) + "</private> 3 passed"
    passes.run(conversation(("human", LATER), ("tool", output)), NOTHING)
    assert "3 passed" in sent(passes)
    assert "Zanzibar" not in sent(passes)


def test_half_a_key_is_in_no_beginning(passes: Passes) -> None:
    rows = ["MIIEpAIBAAKCAQEA7bq2nVd9sK3xY8tLw0rJf5hZcQ1uGmXoPiSkDlWvBeTyNaRz"[n:] for n in range(40)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *rows, "-----END RSA PRIVATE KEY-----"])
    for number, filler in enumerate((0, 400, 3_000, 4_000)):
        words = "<private>" + "x" * filler + f"</private>build the crates with this key\n{key}\n" + "and so on. " * 500
        name = f"s{number}"
        passes.run(conversation(("human", words), start=100 * number), NOTHING, session=name)
        passes.run(conversation(("human", LATER), start=100 * number + 10), NOTHING, session=name)
    assert sent(passes).count("build the crates") == 8
    assert "IBAAKC" not in sent(passes)

"""A pin goes in and out of a header and leaves every other byte alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory import topic
from memd.memory.pin import pinned
from memd.memory.topic import TopicType

WORDS = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
FILE = b"---\nname: a\ndescription: b\ntype: user\n---\nBody.\n"


def both_ways(data: bytes) -> bytes | None:
    there = pinned(data, on=True)
    return None if there is None else pinned(there, on=False)


@given(name=WORDS, description=WORDS, body=st.text(max_size=80), crlf=st.booleans(), mark=st.booleans())
def test_pinning_and_unpinning_is_identity(name: str, description: str, body: str, *, crlf: bool, mark: bool) -> None:
    data = topic.render(name, description, TopicType.USER, body)
    data = data.replace(b"\n", b"\r\n") if crlf else data
    data = b"\xef\xbb\xbf" + data if mark else data
    there = pinned(data, on=True)
    assert there is not None
    assert topic.parse(there).pinned
    assert len(there) == len(data) + len(b"pinned: true\r\n" if crlf else b"pinned: true\n")
    assert pinned(there, on=False) == data


@pytest.mark.parametrize(
    "data",
    [
        FILE,
        FILE.replace(b"type: user", b"type: user  # a comment\n# another"),
        FILE.replace(b"name: a", b"'name': \"a\"\nextra: {b: [1, 2]}"),
        FILE.removesuffix(b"\n"),
        FILE.removesuffix(b"Body.\n"),
        FILE.removesuffix(b"\nBody.\n"),
    ],
)
def test_odd_but_valid_headers_keep_their_bytes(data: bytes) -> None:
    assert both_ways(data) == data


def test_a_key_that_is_there_is_changed_in_place() -> None:
    off = FILE.replace(b"type: user", b"pinned: no  # for now\ntype: user")
    assert pinned(off, on=True) == off.replace(b"pinned: no ", b"pinned: true ")
    inner = FILE.replace(b"type: user", b"type: user\nmetadata: {pinned: true}")
    assert pinned(inner, on=False) == inner.replace(b"pinned: true", b"pinned: false")


@pytest.mark.parametrize("on", [True, False])
def test_what_is_so_already_is_left_alone(on: bool) -> None:  # noqa: FBT001 - a parameter of the test
    data = FILE.replace(b"type: user", b"type: user\npinned: true") if on else FILE
    assert pinned(data, on=on) == data


@pytest.mark.parametrize("data", [b"", b"No header.\n", b"---\nname: a\nBody", b"---\n{name: a}\n---\nx", b"\xff---\n"])
def test_without_a_header_to_stand_in_there_is_no_pin(data: bytes) -> None:
    assert pinned(data, on=True) is None

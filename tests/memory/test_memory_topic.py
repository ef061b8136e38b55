"""Topic files: reading anything, writing new ones, names."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.memory import topic
from memd.memory.topic import Topic, TopicType

FULL = b"""---
name: no-db-mocks
description: Integration tests use the real database; mocks hid a broken migration
type: feedback
metadata: {node_type: memory, type: feedback, originSessionId: 57ef1e16-6b41, modified: 2026-04-01T10:15:00Z}
---
Do not mock the database.

**Why:** a migration failed.

**How to apply:** all of them.
"""

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1)
LINES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


def test_a_file_of_the_specified_shape_reads_whole() -> None:
    assert topic.parse(FULL) == Topic(
        name="no-db-mocks",
        description="Integration tests use the real database; mocks hid a broken migration",
        type=TopicType.FEEDBACK,
        body="Do not mock the database.\n\n**Why:** a migration failed.\n\n**How to apply:** all of them.",
        origin_session="57ef1e16-6b41",
        modified="2026-04-01T10:15:00Z",
        stamp="2026-04-01T10:15:00Z",
    )


def test_a_file_of_the_specified_shape_is_what_render_makes() -> None:
    said = topic.parse(FULL)
    metadata = {"originSessionId": said.origin_session, "modified": said.modified, "absent": None}
    assert topic.render(said.name, said.description, TopicType.FEEDBACK, said.body, metadata=metadata) == FULL


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("type: user", TopicType.USER),
        ("metadata:\n  type: project", TopicType.PROJECT),
        ("metadata: {node_type: memory, type: reference}", TopicType.REFERENCE),
        ("type: feedback\nmetadata: {type: user}", TopicType.FEEDBACK),
        ("type: opinion", None),
        ("metadata: user", None),
        ("type: [user]", None),
    ],
)
def test_type_stands_at_the_top_or_in_metadata(header: str, expected: TopicType | None) -> None:
    said = topic.parse(f"---\nname: a\ndescription: b\n{header}\n---\nc\n".encode())
    assert said.type == expected
    assert said.problems == (() if expected else (("unknown-type",) if "opinion" in header else ("no-type",)))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("no", "no"),
        ("012", "012"),
        ("2026-04-01", "2026-04-01"),
        ("1e3", "1e3"),
        ("~", "~"),
        ("'it''s'", "it's"),
        ('"a \\"b\\" \\u4e2d"', 'a "b" 中'),
        (">-\n  two\n  lines", "two lines"),
        ("|\n  two\n  lines", "two lines"),
        ("plain over\n  two lines # remark", "plain over two lines"),
        ("🦀 emoji 👩‍💻", "🦀 emoji 👩‍💻"),
        ("不要模拟数据库", "不要模拟数据库"),
    ],
)
def test_values_are_read_as_written(written: str, read: str) -> None:
    said = topic.parse(f"---\nname: a\ndescription: {written}\ntype: user\n---\nc\n".encode())
    assert (said.description, said.problems) == (read, ())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Use X: not Y", "Use X: not Y"),
        ("*stars* are bold", "*stars* are bold"),
        ("@someone said so", "@someone said so"),
        ("`code` first", "`code` first"),
        ('"half quoted', '"half quoted'),
        ('"a" and: "b"', '"a" and: "b"'),
        ("%done: yes", "%done: yes"),
        ("[open", "[open"),
        ("&anchor x: *anchor", "&anchor x: *anchor"),
    ],
)
def test_a_header_that_is_not_yaml_is_read_by_lines(written: str, read: str) -> None:
    said = topic.parse(
        f"---\nname: 'it''s'\ndescription: {written}\nmetadata: {{node_type: memory, type: user}}\npinned: true\n"
        f'evidence:\n  - "one"\n  - two\n---\nc\n'.encode()
    )
    assert said == Topic(
        name="it's",
        description=read,
        type=TopicType.USER,
        body="c",
        pinned=True,
        evidence=("one", "two"),
        problems=("header-not-yaml",),
    )


def test_a_header_that_is_not_yaml_may_hold_block_metadata() -> None:
    said = topic.parse(
        b"---\nname: a: b\ndescription: c\n  and more\nmetadata:\n  type: project\n  modified: x\n---\nd\n"
    )
    assert (said.name, said.description, said.type, said.modified) == ("a: b", "c and more", TopicType.PROJECT, "x")


@pytest.mark.parametrize("value", ["true", "True", "yes", "on", '"true"'])
def test_pinned(value: str) -> None:
    assert topic.parse(f"---\nname: a\npinned: {value}\n---\nb".encode()).pinned


@pytest.mark.parametrize("value", ["false", "no", "", "maybe", "[true]"])
def test_not_pinned(value: str) -> None:
    assert not topic.parse(f"---\nname: a\npinned: {value}\n---\nb".encode()).pinned


def test_evidence_may_be_one_quote_or_many() -> None:
    assert topic.parse(b"---\nevidence: one\n---\n").evidence == ("one",)
    assert topic.parse(b"---\nevidence: [one, 'two, three', {a: b}]\n---\n").evidence == ("one", "two, three")


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"", ("no-frontmatter", "no-name", "no-description", "no-type", "no-body")),
        (b"# Just a note\n", ("no-frontmatter", "no-name", "no-description", "no-type")),
        (b"---\nname: a\ndescription: b\ntype: user\n", ("header-not-closed",)),
        (b"---\nname: a\ndescription: b\ntype: user\n---\n \n\n", ("no-body",)),
        (b"---\nname: a\ndescription: b\ntype: user\n---\n\xff", ("not-utf8",)),
        (b"---\nname: a\nname: c\ndescription: b\ntype: user\n---\nx", ("header-not-yaml",)),
        (b"---\n- a\n- b\n---\nx", ("header-not-yaml", "no-name", "no-description", "no-type")),
        (b"---\n---\nx", ("no-name", "no-description", "no-type")),
        (b"---\nname:\ndescription: ''\ntype: user\n---\nx", ("no-name", "no-description")),
    ],
)
def test_problems_are_named(data: bytes, problems: tuple[str, ...]) -> None:
    assert topic.parse(data).problems == problems


@pytest.mark.parametrize(
    "bomb",
    [
        b"a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]",
        b"a: " + b"[" * 30_000,
        b"a: " + b"{b: " * 5_000,
        b"".join(b" " * level + b"a:\n" for level in range(300)),
        b"a: " + b"x" * 100_000,
        b"\n".join(b"k%d: &k%d v" % (n, n) for n in range(2_000)),
        b"? " * 10_000,
        b"- " * 10_000,
        b"a: !!python/object/apply:os.system [true]" + b"]" * 20_000,
    ],
    ids=["billion laughs", "brackets", "braces", "steps", "long", "anchors", "question marks", "dashes", "python"],
)
def test_bombs_are_refused_at_once(bomb: bytes) -> None:
    before = time.process_time()
    said = topic.parse(b"---\nname: a\n" + bomb + b"\n---\nbody\n")
    assert time.process_time() - before < 1.0
    assert said.problems[0] == "header-not-yaml"
    assert said.body == "body"


@given(data=st.binary(max_size=300))
@example(b"---\n\xef\xbb\xbf---\n---\n")
@example(b"---\nname: \x00\n---\n")
def test_any_bytes_can_be_read(data: bytes) -> None:
    for wrapped in (data, b"---\n" + data + b"\n---\n" + data):
        assert isinstance(topic.parse(wrapped), Topic)


@given(
    pieces=st.lists(
        st.sampled_from(["---", "\n", "\r\n", ":", " ", "- ", "name", "'", '"', "#", "{", "}", "|", "&", "*"])
    )
)
def test_any_mess_of_yaml_can_be_read(pieces: list[str]) -> None:
    said = topic.parse(("---\n" + "".join(pieces) + "\n---\nbody").encode())
    assert "no-name" in said.problems or said.name


@given(
    name=LINES,
    description=LINES,
    kind=st.sampled_from(TopicType),
    body=LINES,
    evidence=st.lists(st.text(st.characters(codec="utf-8")).filter(str.strip), max_size=3),
)
@example("null", "Use X: not Y", TopicType.USER, "body", ["- dash", "x: y", "#", "a\u2028b\x85c\x00d", "\ufeff", "123"])
@example("1.5", "yes", TopicType.USER, "---", ["'", '"', "\\", "> quoted", "!tag", "%", "@", "` "])
def test_what_is_rendered_reads_back(
    name: str, description: str, kind: TopicType, body: str, evidence: list[str]
) -> None:
    said = topic.parse(topic.render(name, description, kind, body, evidence=evidence))
    assert said == Topic(name=name, description=description, type=kind, body=body, evidence=tuple(evidence))


def test_values_that_yaml_would_turn_into_something_else_are_quoted() -> None:
    data = topic.render("012", "no", TopicType.USER, "x", metadata={"originSessionId": "1e3", "modified": "2026-04-01"})
    assert data.decode().splitlines()[1:5] == [
        'name: "012"',
        'description: "no"',
        "type: user",
        'metadata: {node_type: memory, type: user, originSessionId: "1e3", modified: 2026-04-01}',
    ]


def test_lone_surrogates_do_not_stop_a_new_file() -> None:
    said = topic.parse(topic.render("a", "b\ud800", TopicType.USER, "c\ud800", evidence=["\udfff"]))
    assert (said.description, said.body, said.evidence, said.problems) == ("b?", "c?", ("?",), ())


def test_no_escape_in_a_header_makes_half_a_character() -> None:
    said = topic.parse(b'---\nname: "\\ud800"\ndescription: "\\udfff"\ntype: user\n---\nx')
    assert (said.name + said.description).encode()


def test_the_body_of_a_rule_never_invents_a_reason() -> None:
    assert topic.body("Run the tests.") == "Run the tests.\n\n**Why:** not stated\n\n**How to apply:** not stated"
    assert topic.body("A.", "b", "c") == "A.\n\n**Why:** b\n\n**How to apply:** c"

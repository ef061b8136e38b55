"""Updates of topic files: only what is named changes, to the byte."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memd.memory import topic
from memd.memory.topic import Topic, TopicType

KEYS = ("name", "type", "description", "metadata", "tags", "Aliases", "x-odd key", "created", "pinned", "evidence")
# The written form of a value, by key; "\n" stands for the file's own line break.
PLAIN = st.sampled_from(
    ["no", "012", "1e3", "2026-04-01", "~", "'it''s'", '"a \\"b\\""', "🦀 crab", "不要模拟", "a#b", "a   b", "x: y"[:1]]
)
BLOCKS = st.sampled_from([">-\n  folded\n  text", "|\n  literal\n   text\n", "plain over\n   two lines"])
LISTS = st.sampled_from(
    ["[a, 'b']", "\n- a\n- b", "\n  - one\n  # inside\n  - two", "\n  - |\n    long\n    quote\n", ""]
)
MAPS = st.sampled_from(
    [
        "{node_type: memory, type: user, modified: 2026-04-01T10:15:00Z}",
        '{type: \'user\', "modified": "yesterday" }',
        "\n  type: project\n  modified: 2026-04-01 # when\n  other: {a: b}",
        "\n    modified: 'x'",
        "{}",
        "not a map",
    ]
)
REMARKS = st.sampled_from(["", "", "", " # a remark", "  # 备注", "  "])
BETWEEN = st.sampled_from(["", "", "", "# a comment\n", "\n", "\n# two\n\n"])
DESCRIPTIONS = st.one_of(
    st.sampled_from(
        ["no", "Use X: not Y", "# hash", "- dash", "'quoted'", '"both\' quotes"', "{brace", "ends:", "12", "emoji 👩‍💻"]
    ),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(lambda text: text.split()),
)
EXAMPLES = settings(max_examples=200, deadline=None)
FEWER = settings(max_examples=80, deadline=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A topic file in the pieces it was generated from, one a key."""

    before: str
    pieces: tuple[tuple[str, str], ...]  # key, whole lines
    after: str
    line_break: str

    def to_bytes(self, *, without: str | None = None) -> bytes:
        """The file, or the file as it would be without that key."""
        header = "".join(lines for key, lines in self.pieces if key != without)
        return (self.before + header + self.after).replace("\n", self.line_break).encode()


@st.composite
def files(draw: st.DrawFn) -> Written:
    """A file that people or other programs may have made."""
    pieces: list[tuple[str, str]] = []
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True, min_size=1)):
        values = {"metadata": MAPS, "evidence": LISTS, "tags": LISTS}.get(key, st.one_of(PLAIN, PLAIN, BLOCKS))
        value = draw(values)
        remark = draw(REMARKS) if "\n" not in value else ""
        pieces.append((key, f"{key}:{'' if value.startswith(chr(10)) else ' '}{value}{remark}".rstrip("\n") + "\n"))
        pieces.append(("", draw(BETWEEN)))
    body = draw(st.sampled_from(["", "\n", "\nText.\n", "Text", "\n\n  code\n---\nmore\n\n\n", "a\nb  \n c"]))
    return Written(
        before=draw(st.sampled_from(["", "", "\ufeff", "\n"])) + "---" + draw(st.sampled_from(["", "", " "])) + "\n",
        pieces=tuple(pieces),
        after="---\n" + body if body else draw(st.sampled_from(["---", "---\n"])),
        line_break=draw(st.sampled_from(["\n", "\n", "\r\n"])),
    )


def same_but(data: bytes, **changes: object) -> Topic:
    return replace(topic.parse(data), **changes)  # type: ignore[arg-type]  # the test names the fields


def without_problems(said: Topic) -> Topic:
    return replace(said, problems=())


@EXAMPLES
@given(file=files())
def test_saying_what_stands_there_already_gives_the_same_bytes(file: Written) -> None:
    data = file.to_bytes()
    said = topic.parse(data)
    if "header-not-yaml" not in said.problems:
        same = topic.updated(data, description=said.description, body=said.body, modified=said.modified, drop=())
        assert same == data


@EXAMPLES
@given(file=files())
def test_dropping_a_key_takes_its_lines_and_no_others(file: Written) -> None:
    data = file.to_bytes()
    result = topic.updated(data, drop=("evidence",))
    if "header-not-yaml" in topic.parse(data).problems:
        assert result is None
    else:
        assert result == file.to_bytes(without="evidence")


@EXAMPLES
@given(file=files(), description=DESCRIPTIONS)
def test_a_new_description_changes_its_own_lines_only(file: Written, description: str) -> None:
    data = file.to_bytes()
    said = topic.parse(data)
    result = topic.updated(data, description=description, drop=())
    has_description = any(key == "description" for key, _ in file.pieces)
    if result is None:
        assert not has_description or "header-not-yaml" in said.problems
        return
    one_line = " ".join(description.split())
    assert without_problems(topic.parse(result)) == without_problems(same_but(data, description=one_line))
    unchanged = file.to_bytes(without="description")
    start, end = _common_edges(unchanged, result)
    assert start + end >= len(unchanged)


def _common_edges(one: bytes, other: bytes) -> tuple[int, int]:
    """How many bytes two files share at the start and at the end."""
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    reverse = zip(reversed(one), reversed(other), strict=False)
    end = next((at for at, (a, b) in enumerate(reverse) if a != b), min(len(one), len(other)))
    return start, end


@FEWER
@given(file=files(), modified=st.sampled_from(["2027-01-01T00:00:00Z", "later", "a: b"]))
def test_a_new_time_goes_where_there_was_one(file: Written, modified: str) -> None:
    data = file.to_bytes()
    said = topic.parse(data)
    result = topic.updated(data, modified=modified, drop=())
    if "header-not-yaml" in said.problems:
        assert result is None
    elif said.modified is None:
        assert result == data
    else:
        assert result is not None
        assert topic.parse(result) == replace(said, modified=modified, stamp=said.stamp and modified)


@FEWER
@given(file=files(), lines=st.lists(st.sampled_from(["a", "b  ", " c", "", "---", "new 新", "more"]), min_size=1))
def test_a_new_body_leaves_the_header_alone(file: Written, lines: list[str]) -> None:
    data = file.to_bytes()
    body = "\n".join(["first", *lines, "last"])
    result = topic.updated(data, body=body, drop=())
    if "header-not-yaml" in topic.parse(data).problems:
        assert result is None
        return
    assert result is not None
    head = data[: len(data) - len(file.after.replace("\n", file.line_break).encode())]
    assert result.startswith(head + b"---")
    assert topic.parse(result).body == body
    assert result.count(b"\r\n") == (result.count(b"\n") if file.line_break == "\r\n" else 0)
    assert result.endswith(b"\n") == (data.endswith(b"\n") or not topic.parse(data).body)


@FEWER
@given(file=files(), quotes=st.lists(DESCRIPTIONS, max_size=3))
def test_evidence_comes_and_goes_without_a_trace(file: Written, quotes: list[str]) -> None:
    data = file.to_bytes()
    said = topic.parse(data)
    result = topic.with_evidence(data, quotes)
    if "header-not-yaml" in said.problems or (quotes and any(key == "evidence" for key, _ in file.pieces)):
        assert result is None or not quotes
    else:
        assert result is not None
        assert topic.parse(result).evidence == (tuple(quotes) or said.evidence)
        assert topic.updated(result, drop=("evidence",) if quotes else ()) == data


@pytest.mark.deep
@pytest.mark.timeout(900)
@settings(max_examples=10_000, deadline=None)
@given(file=files(), description=DESCRIPTIONS)
def test_ten_thousand_headers(file: Written, description: str) -> None:
    data = file.to_bytes()
    result = topic.updated(data, description=description, drop=("evidence",))
    if result is not None:
        again = topic.updated(result, description=topic.parse(data).description, drop=())
        assert again is None or without_problems(topic.parse(again)) == without_problems(same_but(data, evidence=()))


def test_lines_keep_their_own_ends() -> None:
    data = b"---\nname: a\n---\none\r\ntwo\nthree\r\nfour"
    assert (
        topic.updated(data, body="one\ntwo\nnew\nthree\nfour") == b"---\nname: a\n---\none\r\ntwo\nnew\nthree\r\nfour"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("description: old", "description: new"),
        ("description: 'old'   # why", "description: 'new'   # why"),
        ('description: "old"', 'description: "new"'),
        ("description:", "description: new"),
        ("description: # to do", "description: new # to do"),
        ("description: >-\n  old\n  lines\n\n# then", "description: new\n\n# then"),
        ("description : old", "description : new"),
        ("'description': old", "'description': new"),
    ],
)
def test_a_description_keeps_its_quotes_and_surroundings(old: str, new: str) -> None:
    data = f"---\nname: a\n{old}\ntype: user\n---\nb\n".encode()
    assert topic.updated(data, description="new") == f"---\nname: a\n{new}\ntype: user\n---\nb\n".encode()


@pytest.mark.parametrize(
    "header",
    [
        "description: Use X: not Y",
        "description: a\ndescription: b",
        "description: !!str a",
        "description: [a]",
        "description: &x a",
        "description: | # remark\n  a",
        "name: a",
        "? description\n: a\n? [b]\n: c",
        "description: a\n...\n%YAML 1.1",
        "{description: a, evidence: b}",
        "tags: x\n? evidence\n: b\ndescription: a",
        "",
    ],
)
def test_what_cannot_be_done_with_certainty_is_not_done(header: str) -> None:
    assert topic.updated(f"---\n{header}\n---\nb\n".encode(), description="new") is None


# What people's files are like, each with the place of its description marked.
PEOPLES_FILES = {
    "byte order mark": "\ufeff---\nname: a\ndescription: @\ntype: user\n---\nbody\n",
    "carriage returns": "---\r\nname: a\r\ndescription: @\r\ntype: user\r\n---\r\nbody\r\n",
    "no final newline": "---\nname: a\ndescription: @\ntype: user\n---\nbody",
    "header alone": "---\nname: a\ndescription: @\ntype: user\n---",
    "comments": "---\n# mine\nname: a # short\ndescription: @ # long\n\n# what it is\ntype: user\n---\nbody\n",
    "key order": "---\ntype: user\nzebra: 1\ndescription: @\nalpha: 2\nname: a\n---\nbody\n",
    "what YAML would change": "---\nname: no\ndescription: @\ntype: user\nid: 012\nat: 2026-04-01\nn: 1e3\n---\nx\n",
    "quotes of both kinds": "---\nname: 'it''s'\ndescription: @\ntype: \"user\"\ntags: [ 'a' , \"b\" ]\n---\n",
    "emoji": "---\nname: 🦀 crab\ndescription: @\ntype: user\n---\n👩‍💻 body\n",
    "indentation": "---\nname:   a\nmetadata:\n    type:   user\n    x: [ 1,2 ]\ndescription: @\n---\n\n  body  \n\n",
}


@pytest.mark.parametrize("kind", PEOPLES_FILES)
@pytest.mark.parametrize("old", ["old words", "'old words'", '"old words"'])
def test_peoples_files_keep_all_but_the_words_that_change(kind: str, old: str) -> None:
    def written(words: str) -> bytes:
        return PEOPLES_FILES[kind].replace("@", words).encode()

    data = written(old)
    said = topic.parse(data)
    assert (said.description, said.type) == ("old words", TopicType.USER)
    assert topic.updated(data, description="old words", body=said.body) == data
    changed = topic.updated(data, description="new words")
    assert changed == written(old.replace("old", "new"))
    assert topic.updated(changed, description="old words") == data


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_header_that_is_not_yaml_is_read_and_left_alone(line_break: str) -> None:
    data = "---\nname: a\ndescription: Use X: not Y\ntype: user\n---\nbody\n".replace("\n", line_break).encode()
    said = topic.parse(data)
    assert (said.description, said.type, said.problems) == ("Use X: not Y", TopicType.USER, ("header-not-yaml",))
    assert topic.updated(data, description="new") is None
    assert topic.updated(data, body="new") is None


def test_a_value_moves_to_the_quotes_that_can_hold_it() -> None:
    data = b"---\ndescription: 'old'\nmetadata: {modified: old}\n---\nb\n"
    result = topic.updated(data, description="it's \x07 new", modified="a, b")
    assert result == b'---\ndescription: "it\'s \\x07 new"\nmetadata: {modified: "a, b"}\n---\nb\n'
    assert topic.updated(data, description="it's") == data.replace(b"'old'", b"'it''s'")


def test_a_description_in_a_flow_header_can_change() -> None:
    assert topic.updated(b"---\n{name: a, description: b}\n---\nc", description="d, e") == (
        b'---\n{name: a, description: "d, e"}\n---\nc'
    )


def test_a_block_that_keeps_its_blank_lines_is_left_alone_where_they_would_mean_more() -> None:
    data = b"---\nname: |+\n  a\n\nevidence: b\n\n---\nc"
    assert topic.updated(data) in {None, b"---\nname: |+\n  a\n\n\n---\nc"}
    assert topic.updated(data, description="x") is None


@pytest.mark.parametrize("data", [b"", b"no header", b"---\nname: a\n", b"---\nname: \xff\n---\nb"])
def test_a_file_without_a_readable_header_is_left_alone(data: bytes) -> None:
    assert topic.updated(data, body="new") is None


@example(b"---\ndescription: a\nevidence: [b\n---\n")
@given(data=st.binary(max_size=200))
def test_no_bytes_make_an_update_raise(data: bytes) -> None:
    for wrapped in (data, b"---\ndescription: a\n" + data + b"\n---\n" + data):
        result = topic.updated(wrapped, description="new", body="new")
        assert result is None or topic.parse(result).body == "new"

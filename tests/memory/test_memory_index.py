"""MEMORY.md: limits, entries, rebuilding and merging."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memd.memory import index
from memd.memory.index import BYTE_LIMIT, ENTRY_LIMIT, LINE_LIMIT, Entry, Loaded
from memd.memory.index_lines import parse_line
from memd.memory.scan import TopicHeader
from memd.memory.topic import TopicType


def header(
    path: str,
    *,
    description: str = "a hook",
    kind: TopicType = TopicType.PROJECT,
    mtime: float = 0.0,
) -> TopicHeader:
    return TopicHeader(path=path, name=path.removesuffix(".md"), description=description, type=kind, mtime=mtime)


# Limits


def test_what_fits_is_loaded_trimmed_and_whole() -> None:
    assert index.truncate(b"\xef\xbb\xbf\n\n# Memory\r\n- a\n \n") == Loaded(text="# Memory\r\n- a", warning=None)


def test_lines_beyond_the_limit_are_cut_and_named() -> None:
    data = b"\n".join(b"- %d" % number for number in range(201))
    loaded = index.truncate(data)
    assert loaded.text.split("\n")[-1] == "- 199"
    assert loaded.warning == "WARNING: MEMORY.md has 201 lines (limit 200); only part of it was loaded."


def test_bytes_beyond_the_limit_are_cut_at_a_line_and_named() -> None:
    data = b"\n".join(b"x" * 136 for _ in range(190))
    loaded = index.truncate(data)
    assert len(loaded.text.encode()) == 137 * 182 - 1
    assert loaded.warning == "WARNING: MEMORY.md has 26,029 bytes (limit 25,000); only part of it was loaded."


def test_both_limits_are_judged_on_the_whole() -> None:
    data = b"\n".join([b"- short"] * 200 + [b"x" * 25_000])
    loaded = index.truncate(data)
    assert loaded.text == "\n".join(["- short"] * 200)
    assert loaded.warning is not None
    assert "201 lines (limit 200) and 26,600 bytes (limit 25,000)" in loaded.warning


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"x" * 25_000, 25_000),
        (b"x" * 25_000 + b"\ny", 25_000),
        (b"x" * 24_999 + b"\ny", 24_999),
        (b"x" * 24_998 + b"\ny", 25_000),
        (b"x" * 25_001 + b"\ny", 25_000),
        ("一".encode() * 9_000, 24_999),
        ("🦀".encode() * 9_000, 25_000),
    ],
)
def test_the_cut_is_at_the_last_line_break_at_or_before_the_limit_else_between_characters(
    data: bytes, size: int
) -> None:
    text = index.truncate(data).text
    assert len(text.encode()) == size
    assert data.decode().startswith(text)


def test_190_lines_of_197_kilobytes() -> None:
    loaded = index.truncate(b"\n".join(b"y" * 1_036 for _ in range(190)))
    assert len(loaded.text) == 1_037 * 24 - 1
    assert loaded.warning is not None
    assert "197,029 bytes" in loaded.warning


@given(
    text=st.lists(st.text(st.characters(codec="utf-8"), max_size=30)).map("\n".join),
    times=st.integers(1, 400),
    junk=st.binary(max_size=10),
)
@example(text="一", times=25_001, junk=b"")
def test_what_is_loaded_never_exceeds_the_limits(text: str, times: int, junk: bytes) -> None:
    data = (text.encode() + junk) * times
    loaded = index.truncate(data)
    assert len(loaded.text.encode()) <= BYTE_LIMIT
    assert loaded.text.count("\n") < LINE_LIMIT
    assert (loaded.warning is None) == (loaded.text == data.decode(errors="replace").lstrip("\ufeff").strip())


# Lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [Title](file.md) — hook", Entry(title="Title", path="file.md", hook="hook")),
        ("* [A [b] c](./sub/file.md): hook", Entry(title="A [b] c", path="sub/file.md", hook="hook")),
        ("  - [T](a%20b.md)", Entry(title="T", path="a b.md", hook="")),
        ("- [T](<a.md#part>) - x — y", Entry(title="T", path="a.md", hook="x — y")),
        ("- [中文](反馈.md) – 钩子", Entry(title="中文", path="反馈.md", hook="钩子")),
    ],
)
def test_lines_about_topics_are_entries(line: str, expected: Entry) -> None:
    assert parse_line(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "# Memory",
        "See [this](file.md) first",
        "- [Docs](https://example.com/a.md)",
        "- [Log](logs/2026/04/2026-04-01.md)",
        "- [Shared](team/a.md)",
        "- [Up](../a.md)",
        "- [Root](/etc/a.md)",
        "- [Deep](a/b/c.md)",
        "- [Self](MEMORY.md)",
        "- [Image](a.png)",
        "- [ ] to do",
        "- plain",
        "",
    ],
)
def test_other_lines_belong_to_whoever_wrote_them(line: str) -> None:
    assert parse_line(line) is None
    data = f"{line}\r\nlast".encode()
    assert index.rebuild(data, []) == data


TEXT = st.text(st.characters(codec="utf-8"), max_size=200)
PATHS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}\.md", fullmatch=True)
ODD_PATHS = st.sampled_from(["a b.md", "ä.md", "x(1).md", "50%.md", "sub/a#b.md", "<x>.md", "a:b.md", "100%25.md"])


@given(title=TEXT, path=PATHS | ODD_PATHS, hook=TEXT)
@example(title="[a](b.md)", path="a.md", hook="\n- [x](y.md)")
@example(title="]" * 70, path="x" * 60 + ".md", hook="z" * 200)
def test_an_entry_is_one_short_line_that_reads_back(title: str, path: str, hook: str) -> None:
    line = index.entry_line(title, path, hook)
    entry = parse_line(line)
    assert len(line) <= ENTRY_LIMIT
    assert entry is not None
    assert entry.path == path
    assert "\n" not in line


@pytest.mark.parametrize(
    ("title", "hook", "line"),
    [
        ("Run make lint", "Always run `make lint`; builds are slow", "- [Run make lint](f.md) — builds are slow"),
        ("Merges frozen", "Merges are frozen from 2026-12-10", "- [Merges frozen](f.md) — from 2026-12-10"),
        ("Latency board", "The latency board is g.example/d/1", "- [Latency board](f.md) — g.example/d/1"),
        ("日志用英文", "日志用英文；检索系统不认中文", "- [日志用英文](f.md) — 检索系统不认中文"),
        ("No mocks in tests", "No mocks in tests.", "- [No mocks in tests](f.md)"),
        ("Lint before commit", "Lint and test", "- [Lint before commit](f.md) — Lint and test"),
        ("A", "A hook", "- [A](f.md) — A hook"),
    ],
)
def test_a_hook_goes_on_from_the_title_instead_of_repeating_it(title: str, hook: str, line: str) -> None:
    assert index.entry_line(title, "f.md", hook) == line
    assert index.rebuild(f"{line}\n".encode(), [header("f.md", description=hook)], {"f.md"}) == f"{line}\n".encode()


def test_a_long_hook_ends_with_a_clause_where_one_ends_in_its_second_half() -> None:
    hook = "many words that stand before the comma and say what there is to be said about it all, " + "more " * 20
    assert index.entry_line("Title", "file.md", hook).endswith("say what there is to be said about it all")


def test_long_hooks_are_cut_between_words_or_characters() -> None:
    line = index.entry_line("Title", "file.md", "word " * 50)
    assert line == "- [Title](file.md) — " + " ".join(["word"] * 25) + "…"
    assert index.entry_line("标题", "file.md", "字" * 200) == "- [标题](file.md) — " + "字" * 131 + "…"
    assert index.entry_line("T", "f.md", "e\u0301" * 100).endswith("e\u0301…")


# Rebuilding


def test_dead_links_go_new_topics_come_after_the_last_entry_and_the_rest_stays() -> None:
    data = (
        b"\xef\xbb\xbf# Memory\r\n\r\nBy hand, see [a](a.md).\r\n* [My own title](a.md): my own hook\r\n"
        b"- [Gone](gone.md) - x\r\n- [Docs](https://x/y.md)\r\n- [Twice](a.md)\r\nThe end \xff"
    )
    assert index.rebuild(data, [header("a.md"), header("b.md")]) == (
        b"\xef\xbb\xbf# Memory\r\n\r\nBy hand, see [a](a.md).\r\n* [My own title](a.md): my own hook\r\n"
        b"- [B](b.md) \xe2\x80\x94 a hook\r\n- [Docs](https://x/y.md)\r\nThe end \xff"
    )


def test_only_changed_topics_get_a_new_hook() -> None:
    data = b"- [A  title](a.md) - old a\n  * [B](b.md#part): old b\n"
    headers = [header("a.md", description="new a"), header("b.md", description="new b")]
    assert index.rebuild(data, headers) == data
    assert index.rebuild(data, headers, {"b.md"}).decode() == "- [A  title](a.md) - old a\n  * [B](b.md#part) — new b\n"


def test_a_changed_topic_whose_hook_stands_there_keeps_its_line() -> None:
    data = b"- [A](a.md) - a hook\n- [B](b.md): by hand"
    assert index.rebuild(data, [header("a.md"), header("b.md", description="")], {"a.md", "b.md"}) == data


def test_a_new_index_lists_every_topic() -> None:
    headers = [header("no-db_mocks.md"), header("sub/x.md", description="")]
    assert index.rebuild(b"", headers).decode() == "- [No db mocks](no-db_mocks.md) — a hook\n- [Sub/x](sub/x.md)\n"


def test_new_entries_keep_clear_of_prose() -> None:
    assert index.rebuild(b"# Memory\n", [header("a.md")]).decode() == "# Memory\n- [A](a.md) — a hook\n"
    assert index.rebuild(b"By hand", [header("a.md")]).decode() == "By hand\n\n- [A](a.md) — a hook"


def test_beyond_the_limits_feedback_user_and_the_newest_win() -> None:
    headers = [header(f"p{n}.md", mtime=n) for n in range(300)]
    headers += [header("f.md", kind=TopicType.FEEDBACK, mtime=-1), header("u.md", kind=TopicType.USER, mtime=-2)]
    data = index.rebuild(b"# By hand\n", headers)
    entries = index.parse(data)
    assert len(data.splitlines()) == LINE_LIMIT
    assert {entry.path for entry in entries} == {"f.md", "u.md", *(f"p{n}.md" for n in range(300 - 196, 300))}
    assert data.endswith(b"\n104 older memories are not listed here; `memd list` shows all.\n")
    assert index.rebuild(data, headers) == data
    assert index.rebuild(data, headers[:5]).splitlines()[0] == b"# By hand"
    assert b"older" not in index.rebuild(data, headers[:5])


def test_bytes_count_too() -> None:
    headers = [header(f"p{n}.md", description="字" * 150, mtime=n) for n in range(100)]
    data = index.rebuild(b"", headers)
    assert index.fits(data)
    assert len(data) > BYTE_LIMIT - 500
    assert re.search(rb"\n\d+ older memories are not listed here", data)


def test_a_hand_written_part_beyond_the_limits_costs_no_entry() -> None:
    data = b"prose\n" * 300
    assert index.rebuild(data, [header("a.md")]) == data + b"\n- [A](a.md) \xe2\x80\x94 a hook\n"


HAND = st.sampled_from(
    [
        "# Memory",
        "",
        "  indented",
        "prose with [link](a.md)",
        "- [Docs](https://x/y.md)",
        "- bullet",
        "3 older memories",
        "中文 🦀",
    ]
)
TOPICS = st.sampled_from([f"{letter}.md" for letter in "abcdefg"] + ["sub/h i.md"])
ENTRIES = st.builds(
    "{}[{}]({}){}".format,
    st.sampled_from(["- ", "* ", "  - "]),
    st.sampled_from(["A", "Long title " * 12, "[x]"]),
    TOPICS.map(lambda path: path.replace(" ", "%20")),
    st.sampled_from(["", " — hook", ": " + "long " * 40]),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An index in the pieces it was generated from."""

    mark: str
    lines: tuple[str, ...]
    repeat: int
    line_break: str
    last: str

    def to_bytes(self) -> bytes:
        """The file."""
        return (self.mark + self.line_break.join(self.lines * self.repeat) + self.last).encode()


INDEXES = st.builds(
    Made,
    mark=st.sampled_from(["", "\ufeff"]),
    lines=st.lists(HAND | ENTRIES, max_size=15).map(tuple),
    repeat=st.sampled_from([1, 1, 1, 12, 25]),
    line_break=st.sampled_from(["\n", "\r\n"]),
    last=st.sampled_from(["", "\n"]),
)
DESCRIPTIONS = st.sampled_from(["", "short", "字" * 140, "words " * 40])
HEADERS = st.lists(
    st.builds(
        header,
        TOPICS,
        description=DESCRIPTIONS,
        kind=st.sampled_from(TopicType),
        mtime=st.integers(0, 1_000).map(float),
    ),
    unique_by=lambda header: header.path,
)


@settings(max_examples=100, deadline=None)
@given(made=INDEXES, named=HEADERS, more=st.sampled_from([0, 0, 1, 20, 100, 199, 260]), description=DESCRIPTIONS)
def test_rebuilding_is_idempotent_and_loses_no_hand_written_line(
    made: Made, named: list[TopicHeader], more: int, description: str
) -> None:
    headers = [*named, *(header(f"t{n}.md", description=description, mtime=n % 7) for n in range(more))]
    data = made.to_bytes()
    changed = {one.path for one in headers[::2]}
    result = index.rebuild(data, headers, changed)
    assert index.rebuild(result, headers, changed) == result
    assert result.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    lines = iter(result.decode().removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    assert all(line in lines for line in made.lines * made.repeat if line and parse_line(line) is None)
    _assert_entries(result, headers)


def _assert_entries(result: bytes, headers: list[TopicHeader]) -> None:
    paths = [entry.path for entry in index.parse(result)]
    assert len(paths) == len(set(paths))
    assert set(paths) <= {one.path for one in headers}
    if len(paths) < len(headers):
        assert index.fits(result)
        assert f"{len(headers) - len(paths)} older memor" in result.decode()


# Merging


def test_a_pass_and_a_person_both_keep_their_lines() -> None:
    base = b"# Memory\n- [A](a.md) - a\n- [B](b.md) - b\n"
    live = b"# Memory\nby hand\n- [A](a.md) - a\n- [B](b.md) - b\nmore by hand\n"
    proposed = b"# Memory\n- [A](a.md) - a\n- [C](c.md) - c\n"
    expected = b"# Memory\nby hand\n- [A](a.md) - a\n- [C](c.md) - c\nmore by hand\n"
    assert index.merge(base, live, proposed) == expected


def test_into_an_empty_index() -> None:
    assert index.merge(b"", b"", b"- [A](a.md)\n") == b"- [A](a.md)\n"


SOME = st.lists(st.sampled_from(["a", "b", "c", "d", "", "e"]), max_size=8)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(base=SOME, live=SOME, proposed=SOME, line_break=ENDS)
def test_a_merge_is_one_of_sets_of_lines(
    base: list[str], live: list[str], proposed: list[str], line_break: str
) -> None:
    files = ["".join(line + line_break for line in lines).encode() for lines in (base, live, proposed)]
    merged = index.merge(*files)
    wanted = (set(live) - (set(base) - set(proposed))) | (set(proposed) - set(base))
    assert set(merged.decode().splitlines()) - {""} == wanted - {""}
    assert index.merge(files[0], merged, files[2]) == merged
    assert index.merge(files[0], files[1], files[0]) == files[1]


# Titles and where a line goes on from them


@pytest.mark.parametrize(
    ("name", "description", "line"),
    [
        (
            "deploy-on-tuesdays-only",
            "Deploy on Tuesdays only; ops is away",
            "[Deploy on Tuesdays only](a.md) — ops is away",
        ),
        (
            "spell-it-with-capital-k",
            "Spell it with capital K; they insist",
            "[Spell it with capital k](a.md) — they insist",
        ),
        (
            "deploy-on-tuesdays",
            "Deploy on Tuesdays only; ops is away",
            "[Deploy on Tuesdays](a.md) — only; ops is away",
        ),
        ("sunday-is-monday", "Another thing", "[Sunday is Monday](a.md) — Another thing"),
    ],
)
def test_a_line_goes_on_where_its_title_ends(name: str, description: str, line: str) -> None:
    one = TopicHeader(path="a.md", name=name, description=description, type=TopicType.FEEDBACK, mtime=0.0)
    assert index.rebuild(b"", [one]).decode() == f"- {line}\n"

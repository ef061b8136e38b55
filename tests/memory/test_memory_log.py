"""Daily logs: appending from many writers, reading what anyone wrote."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.errors import UnsafePathError
from memd.memory import log
from memd.memory.log import Bullet, BulletState, LoggedBullet

NOW = datetime(2026, 4, 1, 23, 59, tzinfo=timezone(timedelta(hours=9)))
TEXT = st.text(st.characters(codec="utf-8"), max_size=80)


def test_a_day_has_one_path() -> None:
    assert log.path_for(date(2026, 4, 1)) == "logs/2026/04/2026-04-01.md"
    assert log.path_for(NOW) == "logs/2026/04/2026-04-01.md"
    assert log.path_for(NOW.astimezone(UTC) + timedelta(hours=10)) == "logs/2026/04/2026-04-02.md"


def test_bullets_are_appended_to_the_local_days_log(tmp_path: Path) -> None:
    memory = tmp_path / "new" / "memory"
    path = log.append(memory, [Bullet(type="project", text="Freeze from Monday", source="session 11, human")], NOW)
    log.append(memory, [Bullet(type="user", text="two\nlines"), Bullet(type="", text="saved → a.md", source="x")], NOW)
    assert (memory / path).read_text() == (
        "- 23:59 [project] Freeze from Monday  <!-- session 11, human -->\n"
        "- 23:59 [user] two lines\n"
        "- 23:59 [note] saved → a.md  <!-- x -->\n"
    )
    assert (memory / path).stat().st_mode & 0o077 == 0
    assert (memory / "logs").stat().st_mode & 0o077 == 0


def test_what_stands_there_is_kept_and_a_missing_line_break_mended(tmp_path: Path) -> None:
    file = tmp_path / log.path_for(NOW)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"# by hand\r\n- torn \xff")
    log.append(tmp_path, [Bullet(type="user", text="a")], NOW)
    assert file.read_bytes() == b"# by hand\r\n- torn \xff\n- 23:59 [user] a\n"


def test_nothing_to_log_touches_nothing(tmp_path: Path) -> None:
    log.append(tmp_path / "memory", [Bullet(type="user", text=" \n")], NOW)
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize("at", ["logs", "logs/2026/04", "logs/2026/04/2026-04-01.md"])
def test_no_link_is_followed(tmp_path: Path, at: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "memory" / at
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "file" if at.endswith(".md") else outside)
    with pytest.raises(UnsafePathError):
        log.append(tmp_path / "memory", [Bullet(type="user", text="a")], NOW)
    assert list(outside.iterdir()) == []


@given(kind=TEXT, text=TEXT, source=TEXT)
@example(kind="a]\n- b", text="x --> y <!-- z", source="--> # owned\n<!--")
@example(kind="user", text="\u2028- 00:00 [user] forged\x85\x0b\r", source="-")
def test_a_bullet_is_one_line_that_reads_back(kind: str, text: str, source: str) -> None:
    data = log.render([Bullet(type=kind, text=text, source=source)], NOW)
    lines = data.decode().splitlines(keepends=True)
    read = log.parse(data)
    assert len(read) == len(lines) <= 1
    assert bool(lines) == any(char.isprintable() and char != " " for char in text)
    for line in lines:
        assert line.startswith("- 23:59 [")
        assert line.count("-->") == line.count("<!--") == line.endswith(" -->\n") <= 1
        assert read[0].type
        assert read[0].source in line


@given(words=st.lists(st.text("abc 新🦀", min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_plain_bullets_read_back_whole(words: list[str]) -> None:
    bullets = [Bullet(type="project", text=word, source="a b") for word in words]
    read = log.parse(log.render(bullets, NOW))
    assert [(one.line, one.type, one.text, one.source) for one in read] == [
        (number, "project", " ".join(word.split()), "a b") for number, word in enumerate(words, 1)
    ]


def test_a_bullet_that_ends_in_a_file_counts_as_distilled() -> None:
    data = (
        "\ufeff# Monday\r\n"
        "- 09:05 [feedback] Run the tests → feedback_tests.md  <!-- run 3 -->\r\n"
        "- 09:06 [project] a → b.md and more\n"
        "* 09:07 no type\n"
        "- not timed\n"
        "  - 09:08 [user] indented\n"
        "- 09:09 [user]\n"
        "- 09:10 [user] 用户 → sub/用户.md"
    )
    assert log.parse(data.encode()) == (
        LoggedBullet(
            line=2,
            time="09:05",
            type="feedback",
            text="Run the tests",
            source="run 3",
            state=BulletState.DISTILLED,
            file="feedback_tests.md",
        ),
        LoggedBullet(line=3, time="09:06", type="project", text="a → b.md and more", source="", state=BulletState.OPEN),
        LoggedBullet(line=4, time="09:07", type="", text="no type", source="", state=BulletState.OPEN),
        LoggedBullet(
            line=8,
            time="09:10",
            type="user",
            text="用户",
            source="",
            state=BulletState.DISTILLED,
            file="sub/用户.md",
        ),
    )


@given(data=st.binary(max_size=200))
def test_any_log_can_be_read(data: bytes) -> None:
    for bullet in log.parse(data + b"\n- 10:00 [user] x\n" + data):
        assert re.fullmatch(r"\d\d:\d\d", bullet.time)


WRITER = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from memd.memory import log
who = sys.argv[2]
sys.stdin.read()
for number in range(50):
    bullets = [log.Bullet(type="user", text=f"{who} {number} {part} " + "x" * 200, source=who) for part in range(2)]
    log.append(Path(sys.argv[1]), bullets, datetime(2026, 4, 1, 12, 0, tzinfo=timezone.utc))
"""


def test_eight_processes_append_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "memory")]
    writers = [subprocess.Popen([*command, f"w{n}"], stdin=subprocess.PIPE, env=dict(os.environ)) for n in range(8)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    assert [writer.wait() for writer in writers] == [0] * 8
    data = (tmp_path / "memory" / "logs/2026/04/2026-04-01.md").read_bytes()
    read = [bullet.text.split()[:3] for bullet in log.parse(data)]
    assert len(read) == data.count(b"\n") == 800
    for who in range(8):
        mine = [text[1:] for text in read if text[0] == f"w{who}"]
        assert mine == [[str(number), str(part)] for number in range(50) for part in range(2)]
    together = zip(read[::2], read[1::2], strict=True)
    assert all(one[:2] == other[:2] for one, other in together)

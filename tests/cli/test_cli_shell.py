"""What a shell does to commands: pipes, locales, narrow windows, no colours."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping

import pytest
from rich.cells import cell_len

from tests.cli.conftest import COMMAND, Memd

READING = (("status",), ("list",), ("list", "--json"), ("show", "feedback_a"), ("history",), ("project", "show"))
STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def full(memd: Memd) -> Memd:
    """Memd with a memory in Chinese and a run."""
    memd.save("feedback_a.md", "日志一律用英文写 — 检索系统对中文分词不行, the search service cannot split it")
    return memd


def test_a_reader_that_has_seen_enough_hears_no_complaint(full: Memd) -> None:
    for number in range(30):
        full.remember(f"rule_{number}", "word " * 40)
    pipeline = f"{shlex.join(COMMAND)} list | head -n 1; {shlex.join(COMMAND)} history --json | head -n 1"
    done = subprocess.run(["/bin/sh", "-c", pipeline], capture_output=True, cwd=full.project, check=False)
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert (lines, done.stderr) == ([["type", "file", "age", "description"], ["{"]], b"")


@pytest.mark.parametrize("arguments", [("status",), ("list",), ("show", "feedback_a")])
def test_a_reader_that_never_was_hears_none_either(full: Memd, arguments: tuple[str, ...]) -> None:
    readable, writable = os.pipe()
    os.close(readable)
    with open(writable, "wb") as pipe:  # noqa: PTH123 - a descriptor
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=pipe, stderr=subprocess.PIPE, cwd=full.project, check=False
        )
    assert done.stderr == b""


def test_a_home_beyond_ascii_is_the_same_one_in_every_locale(memd: Memd) -> None:
    home = memd.home / "h\N{LATIN SMALL LETTER E WITH ACUTE}"
    (home / ".claude").mkdir(parents=True)
    (home / "shop").mkdir()
    usual = {"HOME": str(home), "LC_ALL": "C.UTF-8"}
    bare = {"HOME": str(home), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    shown = [memd("project", "show", str(home / "shop"), environ=one).out for one in (usual, bare)]
    assert shown[0] == shown[1]
    saved = memd("remember", "数据库不要用 mock", "--project", str(home / "shop"), environ=bare)
    assert (saved.code, saved.err) == (0, "")
    assert len(list(home.rglob("feedback_shu_ju_ku*.md"))) == 2  # live, and in the history


def test_a_bare_locale_will_do(full: Memd) -> None:
    answers = [full(*arguments, environ={"LC_ALL": "C"}) for arguments in READING]
    assert [(answer.code, answer.err) for answer in answers] == [(3, ""), *[(0, "")] * (len(READING) - 1)]
    assert "日志一律用英文写" in answers[1].out


def test_names_that_are_not_utf_8_are_listed(full: Memd) -> None:
    (full.memory / os.fsdecode(b"caf\xe9.md")).write_text("---\nname: x\n---\n")
    (full.memory / "half.md").write_text('---\nname: half\ndescription: "\\ud800"\ntype: user\n---\n')
    documents = [full("list", "--json"), full.inside("status", "--json")]
    assert [len(documents[0].json["memories"]), documents[1].json["project"]["memories"]] == [3, 3]
    assert "caf\N{REPLACEMENT CHARACTER}.md" in full.inside("list").out


def on_terminal(memd: Memd, *arguments: str, columns: int, environ: Mapping[str, str] | None = None) -> str:
    """What a command prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=memd.project,
        env={**os.environ, "TERM": "xterm-256color", **(environ or {})},
    )
    os.close(theirs)
    shown = bytearray()
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how Linux says that the other side is closed
        pass
    finally:
        os.close(ours)
        process.wait()
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [30, 80])
def test_tables_fit_the_window(full: Memd, columns: int) -> None:
    for command in ("list", "history"):
        table = STYLE.sub("", on_terminal(full, command, columns=columns)).partition("\n\n1 memory")[0]
        assert max(map(cell_len, table.splitlines())) <= columns, command


def test_a_terminal_takes_no_orders_from_a_memory(full: Memd) -> None:
    (full.memory / "feedback_a.md").write_bytes(b"red \x1b[31m\ttab, 8-bit \xc2\x9b31m\n")
    assert (
        on_terminal(full, "show", "feedback_a", columns=80)
        == "red \N{REPLACEMENT CHARACTER}[31m\ttab, 8-bit \N{REPLACEMENT CHARACTER}31m\n"
    )
    assert full("show", "feedback_a").out == "red \x1b[31m\ttab, 8-bit \x9b31m\n"


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_plain_text_on_request(full: Memd, environ: dict[str, str]) -> None:
    shown = [on_terminal(full, command, columns=80, environ=environ) for command in ("list", "status")]
    assert not any("\x1b[3" in text or "\x1b[9" in text for text in shown)
    if "TERM" in environ:
        assert not any("\x1b" in text for text in shown)


def test_the_console_script_is_the_module(full: Memd) -> None:
    script = os.path.join(os.path.dirname(sys.executable), "memd")  # noqa: PTH118, PTH120 - strings do
    done = subprocess.run([script, "list", "--json"], capture_output=True, cwd=full.project, check=False)
    assert (done.returncode, done.stdout.decode()) == (0, full.inside("list", "--json").out)

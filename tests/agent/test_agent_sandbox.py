"""Running a program in the sandbox: what it gets, and where it ends. The attacks stand in test_agent_tools_attacks."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from memd.agent import launcher, programs, sandbox
from memd.agent.sandbox import Command, Directory, Outcome, Text

ONE = Text(name="project/one.txt", data="première ligne\nzwei\n三\n".encode())
TWO = Text(name="memory/two.md", data=b"two\n")
needs_sandbox = pytest.mark.skipif(sandbox.available() is not None, reason="no sandbox here")


@contextmanager
def listed(path: Path) -> Iterator[Directory]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield Directory(path=path, descriptor=descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.skipif(
    sys.platform != "linux" or not launcher.landlock_version() or not launcher.filters_calls(),
    reason="this kernel cannot hold anybody",
)
def test_where_the_kernel_can_hold_a_program_it_does() -> None:
    """Else all that is skipped without a sandbox would say nothing."""
    assert sandbox.available() is None


@needs_sandbox
@pytest.mark.parametrize(
    ("program", "arguments", "output"),
    [
        ("cat", (0, 1), "première ligne\nzwei\n三\ntwo\n"),
        ("head", ("-n", "1", 0, 1), "==> project/one.txt <==\npremière ligne\n\n==> memory/two.md <==\ntwo\n"),
        ("tail", ("-n", "1", "--", 0), "三\n"),
        ("wc", ("-l", 0), "3 project/one.txt\n"),
        ("grep", ("-i", "-n", "-e", "PREMIÈRE", "--", 0, 1), "project/one.txt:1:première ligne\n"),
    ],
    ids=["cat", "head", "tail", "wc", "grep"],
)
def test_a_program_reads_what_it_is_given(program: str, arguments: tuple[str | int, ...], output: str) -> None:
    ran = sandbox.run(Command(program=program, arguments=arguments, texts=(ONE, TWO)))

    assert ran == Outcome(output=output.encode(), code=0)


@needs_sandbox
def test_a_program_sees_names_and_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_text("text")
    with listed(tmp_path) as directory:
        seen = sandbox.run(Command(program="find", arguments=(str(tmp_path), "-name", "f*"), listed=(directory,)))
        read = sandbox.run(Command(program="cat", arguments=(str(tmp_path / "sub" / "file"),), listed=(directory,)))

    assert seen == Outcome(output=f"{tmp_path}/sub/file\n".encode(), code=0)
    assert (read.code, b"text" in read.output) == (1, False)


@needs_sandbox
def test_a_directory_that_is_swapped_for_a_link_stays_closed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "private").touch()
    with listed(inside) as directory:
        inside.rename(tmp_path / "moved")
        inside.symlink_to(outside)
        ran = sandbox.run(Command(program="ls", arguments=(f"{inside}/",), listed=(directory,)))

    assert b"private" not in ran.output
    assert ran.code


@needs_sandbox
def test_time_and_output_end_it_and_nothing_is_left() -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    waiting = sandbox.run(Command(program="tail", arguments=("-f", 0), texts=(TWO,)), seconds=1)
    flooding = sandbox.run(
        Command(program="cat", arguments=(0, 0, 0), texts=(Text(name="x", data=b"x" * 100_000),)), most=1000
    )

    assert (waiting.stopped, waiting.code) == ("time", None)
    assert (flooding.stopped, flooding.code, len(flooding.output)) == ("output", None, 1000)
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


@needs_sandbox
def test_many_at_once_do_not_mix() -> None:
    outputs: dict[int, bytes] = {}

    def run(number: int) -> None:
        text = Text(name=f"file-{number}", data=b"%d\n" % number)
        outputs[number] = sandbox.run(
            Command(program="grep", arguments=("-H", "-e", ".", "--", 0), texts=(text,))
        ).output

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outputs == {number: b"file-%d:%d\n" % (number, number) for number in range(8)}


@needs_sandbox
def test_the_environment_is_fixed_and_no_descriptor_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LD_DEBUG", "all")
    monkeypatch.setenv("GREP_COLORS", "mt=1")
    (tmp_path / "open").write_text("leak")
    with (tmp_path / "open").open() as held:
        os.set_inheritable(held.fileno(), True)  # noqa: FBT003 - its signature
        ran = sandbox.run(Command(program="cat", arguments=(f"/proc/self/fd/{held.fileno()}", 0), texts=(TWO,)))

    assert b"leak" not in ran.output
    assert b"calling init" not in ran.output


def test_only_known_programs_are_run() -> None:
    with pytest.raises(FileNotFoundError):
        sandbox.run(Command(program="sh", arguments=("-c", "true")))


def test_programs_come_from_the_system_whatever_the_path_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cat").write_text("#!/bin/sh\n")
    (tmp_path / "cat").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert programs.found("cat") == os.path.realpath("/bin/cat")
    assert programs.found("no-such-program") is None


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's loader")
def test_a_program_needs_single_files_and_no_directory() -> None:
    needs = programs.needs(os.path.realpath("/bin/ls"))

    assert needs.loader
    assert needs.libraries
    assert all(Path(path).is_file() for path in (needs.loader, *needs.libraries))


@pytest.mark.parametrize("contents", [b"", b"#!/bin/sh\n", b"\x7fELF\x01" + b"\0" * 60, b"\x7fELF\x02" + b"\0" * 59])
def test_what_is_no_program_needs_nothing(tmp_path: Path, contents: bytes) -> None:
    (tmp_path / "x").write_bytes(contents)

    assert programs.needs(str(tmp_path / "x")) == programs.Needs(loader=None, libraries=())


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's launcher")
@pytest.mark.parametrize(
    "policy",
    [
        "",
        "{",
        "{}",
        json.dumps({"program": "/bin/true", "argv": ["true"], "execute": ["/nowhere"], "read": [], "list": []}),
    ],
    ids=["nothing", "no-json", "empty", "missing-file"],
)
def test_a_launcher_that_cannot_restrict_itself_starts_nothing(policy: str) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", launcher.__file__, policy], capture_output=True, check=False)

    assert done.returncode == 126
    assert done.stderr.startswith(b"not started: ")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_fails_what_is_closed_and_lets_the_rest_pass(machine: str) -> None:
    column = ("x86_64", "aarch64").index(machine)
    names = {name: numbers[column] for name, numbers in launcher.CLOSED_CALLS.items()}
    code = launcher.call_filter(machine)

    assert {name for name, number in names.items() if number is not None and passes(code, machine, number)} == set()
    closed = set(names.values())
    assert all(passes(code, machine, number) for number in range(470) if number not in closed)
    assert not passes(code, "aarch64" if machine == "x86_64" else "x86_64", 0)
    assert not passes(code, machine, 0x40000000)


def passes(code: bytes, machine: str, number: int) -> bool:
    """What the kernel would say: the filter's steps carried out one by one."""
    names = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
    steps: list[tuple[int, int, int, int]] = list(struct.iter_unpack("=HBBI", code))
    at, value = 0, 0
    while True:
        kind, then, otherwise, operand = steps[at]
        if kind == 0x20:
            value = {0: number, 4: names[machine]}[operand]
        elif kind == 0x15:
            at += then if value == operand else otherwise
        elif kind == 0x35:
            at += then if value >= operand else otherwise
        else:
            assert kind == 0x06
            return bool(operand == 0x7FFF0000)
        at += 1


def test_on_macos_all_is_closed_but_what_is_named(tmp_path: Path) -> None:
    command = Command(program="ls", arguments=(), listed=(Directory(path=tmp_path / 'a"b', descriptor=0),))

    told = sandbox.profile(command, "/bin/ls")

    assert told.startswith("(version 1)\n(deny default)\n")
    assert f'(subpath "{tmp_path}/a\\"b")' in told
    assert "network" not in told
    assert "file-write" not in told


@needs_sandbox
@pytest.mark.skipif(sys.platform != "linux", reason="Linux's way to die with one's parent")
def test_a_command_does_not_outlive_who_started_it() -> None:
    code = (
        "from memd.agent.sandbox import *\n"
        "run(Command(program='tail', arguments=('-f', 0), texts=(Text(name='x', data=b'x'),)), seconds=600)"
    )
    worker = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    try:
        command = _started_by(worker.pid)
    finally:
        worker.kill()
        worker.wait()

    assert command.wait(timeout=30) in {None, -9}


def _started_by(pid: int) -> psutil.Process:
    """The command, once its launcher has become it."""
    while True:
        for child in psutil.Process(pid).children():
            if child.name() == "tail":
                return child

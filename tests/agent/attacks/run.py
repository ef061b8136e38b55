"""Carries out the attacks, as whoever starts it: who should be nobody, in a directory that is thrown away.

Reads one JSON object from stdin (`values`: what the placeholders stand for; `way`: tool, behind, kernel or plain;
`every`: which part of the kernel's, 1 for all) and writes one JSON object: what each attack was answered, by its id.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memd.agent import launcher, programs, sandbox
from memd.agent.tools import Toolbox
from memd.memory import workspace

HERE = Path(__file__).parent
_NOT_PLAINLY = ("programs.mv", "shell.nul")  # takes away what others need; no shell takes it
BROKEN = "the end was reached"
_SECONDS = 2  # what waits for ever is killed after so many
_PRELUDE = f"""
import ctypes, os, sys, time
machine = os.uname().machine
loader = sys.argv[1]
def call(number, *arguments):
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    if library.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return 0
try:
    import resource
    {{attack}}
except (OSError, RuntimeError, ValueError) as error:
    print(error)
else:
    print("{BROKEN}")
"""


def attacks(name: str, every: int = 1) -> Iterator[tuple[str, str]]:
    """The attacks of a collection, or the first of every so many in a family: id, text with placeholders."""
    for family, members in tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8")).items():
        for key in list(members)[::every]:
            yield f"{family}.{key}", members[key]


def filled(text: str, values: Mapping[str, str]) -> str:
    """An attack with its placeholders filled in."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def main() -> None:
    """Do what stdin says."""
    order = json.load(sys.stdin)
    values: dict[str, str] = order["values"]
    every: int = order["every"]
    answers = _kernel(values, every) if order["way"] == "kernel" else _WAYS[order["way"]](values)
    json.dump(answers, sys.stdout)


def _tool(values: dict[str, str]) -> dict[str, str]:
    """Each asked of the Bash tool."""
    ground = Path(values["P"]).parent
    with workspace.make(ground / "memory", ground / "state") as work:
        tools = Toolbox(
            workspace=work,
            project=ground / "project",
            transcript_text="nothing",
            deadline=time.monotonic() + 300,
            confined=True,
        )
        mine = values | {"M": str(work.memory)}
        return {key: tools.run("Bash", {"command": filled(text, mine)}).text for key, text in attacks("commands")}


def _behind(values: dict[str, str]) -> dict[str, str]:
    """Each run in the sandbox as if there were no parser: by a shell, or by the program itself with all its flags."""
    return _at_once(dict(attacks("commands")), lambda text: _unparsed(filled(text, values), values))


def _unparsed(command: str, values: dict[str, str]) -> str:
    if "\0" in command:
        return ""
    plain = not set(command) & set(";&|<>$`\\\n")
    words = _shell_words(command) if plain else []
    name = words[0] if words and words[0] in sandbox.PROGRAMS else "sh"
    program = programs.found(name)
    assert program
    needs = programs.needs(program)
    loader = [needs.loader] if needs.loader else []
    argv = words if name != "sh" else ["sh", "-c", command]
    policy: dict[str, object] = {
        "program": program,
        "argv": argv,
        "execute": [program, *loader],
        "read": list(needs.libraries),
    }
    return _confined(policy, [values["P"]])


def _shell_words(command: str) -> list[str]:
    asked = ["/bin/sh", "-c", f"printf '%s\\0' {command}"]
    return subprocess.run(asked, capture_output=True, check=False).stdout.decode(errors="replace").split("\0")[:-1]


def _kernel(values: dict[str, str], every: int) -> dict[str, str]:
    """Each run in the sandbox by an interpreter, where everything of the system may be read and executed."""
    program = os.path.realpath(sys.executable)
    needs = programs.needs(program)
    places = sorted({"/usr", os.path.realpath(sys.base_prefix)})

    def attacked(text: str) -> str:
        code = _PRELUDE.replace("{attack}", filled(text, values))
        argv = [program, "-I", "-S", "-c", code, needs.loader or ""]
        return _confined({"program": program, "argv": argv, "execute": places, "read": places}, places)

    return _at_once(dict(attacks("kernel", every)), attacked)


def _plain(values: dict[str, str]) -> dict[str, str]:
    """Each that would make a file, run by a plain shell: which of them work at all, by what they made."""
    made = Path(values["X"]).parent
    answers = {}
    for key, text in attacks("commands"):
        if "{X}" not in text or key.startswith("harm.") or key in _NOT_PLAINLY:
            continue
        _plainly(filled(text, values), values)
        answers[key] = ", ".join(sorted(path.name for path in made.iterdir()))
        subprocess.run(["/bin/rm", "-rf", *(str(path) for path in made.iterdir())], check=True)
    return answers


def _plainly(command: str, values: dict[str, str]) -> None:
    process = subprocess.Popen(
        ["/bin/bash", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=values["P"],
        start_new_session=True,
    )
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()


def _confined(policy: dict[str, object], listed: list[str]) -> str:
    descriptors = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in listed]
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", launcher.__file__, json.dumps(policy | {"list": descriptors})],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=descriptors,
        cwd=listed[0],
    )
    for descriptor in descriptors:
        os.close(descriptor)
    return _output(process)


def _output(process: subprocess.Popen[bytes]) -> str:
    try:
        said = process.communicate(timeout=_SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[0]
    return said.decode(errors="replace")


def _at_once(texts: dict[str, str], attack: Callable[[str], str]) -> dict[str, str]:
    with ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(texts, pool.map(attack, texts.values()), strict=True))


_WAYS: Mapping[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "tool": _tool,
    "behind": _behind,
    "plain": _plain,
}

if __name__ == "__main__":
    main()

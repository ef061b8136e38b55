"""Synthetic transcripts in the shape of Claude Code 2.1.332; the same ones every time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

SESSION = "5e1fe08d-42ac-4785-bd09-1e0fe69ecba5"
CWD = "/home/dev/repo"
# Characters of the results of a turn's tool calls: 69 % of all bytes are in their lines.
OUTPUTS = (300, 900, 2_000, 4_000, 7_500, 12_000)
_TEXT = "def return self value for in range print assert test path open read error line import from the a of x"
_WORDS = _TEXT.split()
_WIDE = (*_WORDS, "café", "数据")
_WIDE_SHARE = 1 / 8  # of the texts that are not plain ASCII
_USAGE = {
    "input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20,
    "output_tokens_details": {"thinking_tokens": 0}, "service_tier": "standard", "inference_geo": "", "iterations": [],
    "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "speed": "standard",
    "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}, "fallback_credit": None,
}  # fmt: skip

Line = dict[str, Any]


def write(path: Path, size: int) -> int:
    """Write whole turns until the file has about `size` bytes; how many lines that were."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = lines = 0
    with path.open("wb") as file:
        for turn in turns():
            file.write(turn)
            written += len(turn)
            lines += turn.count(b"\n")
            if written >= size:
                return lines
    return lines


def turns() -> Iterator[bytes]:
    """Turns without end: a prompt, thoughts, calls with their results, a last word, and the lines in between."""
    chance = random.Random(7)  # noqa: S311 - the same words every time
    return (b"".join(_packed(line) for line in _turn(number, chance)) for number in count())


def _turn(number: int, chance: random.Random) -> Iterator[Line]:
    yield _said(f"p{number}", _words(chance, 200), origin={"kind": "human"}, promptSource="typed", turnOrigin="human")
    yield _enveloped(f"d{number}", "attachment", attachment={"type": "date", "date": "2026-11-29"})
    for place, length in enumerate(OUTPUTS):
        name = f"{number}-{place}"
        yield _answer(f"t{name}", name, {"type": "thinking", "thinking": _words(chance, 700), "signature": "c2ln" * 40})
        yield _answer(f"c{name}", name, _call(f"toolu_{name}", _words(chance, 400)))
        yield _result(f"r{name}", f"toolu_{name}", _words(chance, length))
    yield _answer(f"a{number}", f"{number}", {"type": "text", "text": _words(chance, 3000)}, stop="end_turn")
    yield _enveloped(f"s{number}", "system", subtype="turn_duration", durationMs=329, messageCount=51, isMeta=False)
    yield {"type": "last-prompt", "lastPrompt": "go on", "leafUuid": f"a{number}", "sessionId": SESSION}


def _enveloped(uuid: str, kind: str, **extra: Any) -> Line:  # noqa: ANN401 - any JSON value
    made = f"{uuid}-{'0' * 36}"[:36]
    where = {"userType": "external", "entrypoint": "cli", "cwd": CWD, "sessionId": SESSION, "version": "2.1.332"}
    before = {"parentUuid": "cf8692a5-7b7c-4a00-970a-5545cdde0a2b", "isSidechain": False}
    stamp = {"type": kind, "uuid": made, "timestamp": "2026-11-30T00:02:11.091Z"}
    return before | extra | stamp | where | {"gitBranch": "main"}


def _said(uuid: str, content: object, **extra: Any) -> Line:  # noqa: ANN401 - any JSON value
    message = {"role": "user", "content": content}
    return _enveloped(uuid, "user", promptId="8f5a3b39-943f-4e18-aef7-329547d27079", message=message, **extra)


def _answer(uuid: str, group: str, block: Line, *, stop: str = "tool_use") -> Line:
    model = {"id": f"msg_{group}", "type": "message", "role": "assistant", "model": "claude-opus-5-5"}
    message = model | {"content": [block], "stop_reason": stop, "stop_sequence": None, "usage": _USAGE}
    asked = {"requestId": "req_9de90398d7d044df", "requestedModel": "claude-opus-5-5", "effort": "medium"}
    return _enveloped(uuid, "assistant", message=message, apiBlockIndex=0, **asked)


def _call(name: str, command: str) -> Line:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command, "description": "Look"}}


def _result(uuid: str, call: str, output: str) -> Line:
    block = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": False}
    told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return _said(uuid, [block], toolUseResult=told, sandboxed=False)


def _words(chance: random.Random, length: int) -> str:
    """Text like code and prose: a line break every ten words, quotes here and there."""
    words = chance.choices(_WIDE if chance.random() < _WIDE_SHARE else _WORDS, k=length // 5 + 1)
    rows = (" ".join(words[start : start + 10]) for start in range(0, len(words), 10))
    return '"\n'.join(rows)[:length]


def _packed(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

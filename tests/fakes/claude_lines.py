"""Lines as Claude Code writes them, and the sample transcripts it really wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memd.transcripts import reading, tail
from memd.transcripts.model import Cursor, Reading

SAMPLES = Path(__file__).parent.parent / "samples" / "claude-code"
SESSION = "11112222-3333-4444-8555-666677778888"
CWD = "/home/dev/repo"

Line = dict[str, Any]


def samples() -> list[Path]:
    """Every main transcript among the samples, of both versions."""
    return sorted(path for path in SAMPLES.glob("*/*.jsonl") if path.name != "hooks_payloads.jsonl")


def sample(name: str, version: str = "2.1.332") -> Path:
    """The one sample whose file name starts with `name`."""
    return next((SAMPLES / version).glob(f"{name}*.jsonl"))


def packed(*records: Line) -> bytes:
    """The records as a transcript's bytes."""
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def read(path: Path, since: Cursor | None = None) -> Reading:
    """What a file holds after a cursor; the session's id comes from the file's name where no record tells it."""
    with tail.opened(path) as fd:
        return reading.read(fd, since or Cursor(), name=path.stem)


def write(path: Path, *records: Line) -> Path:
    """Make `path` a transcript of these records."""
    path.write_bytes(packed(*records))
    return path


def add(path: Path, data: bytes) -> None:
    """Append bytes to a transcript, as an agent does."""
    with path.open("ab") as file:
        file.write(data)


def line(uuid: str, kind: str, **extra: Any) -> Line:  # noqa: ANN401 -- any JSON value
    """The envelope that records with a uuid share."""
    envelope = {"parentUuid": None, "isSidechain": False, "type": kind, "uuid": uuid}
    where = {"cwd": CWD, "sessionId": SESSION, "entrypoint": "cli", "timestamp": "2026-04-01T10:15:00.000Z"}
    return envelope | where | extra


def prompt(uuid: str, content: object, **extra: Any) -> Line:  # noqa: ANN401 -- any JSON value
    """A user record: a person's prompt, unless its content or `extra` says otherwise."""
    return line(uuid, "user", message={"role": "user", "content": content}, **extra)


def answer(uuid: str, group: str, *blocks: Line, stop: str | None = "end_turn", **extra: Any) -> Line:  # noqa: ANN401 -- any JSON value
    """An assistant record of the message `group`."""
    body = {"id": group, "type": "message", "role": "assistant", "model": "claude-opus-5-5", "stop_reason": stop}
    return line(uuid, "assistant", message=body | {"content": list(blocks)}, **extra)


def text(words: str) -> Line:
    """A text block."""
    return {"type": "text", "text": words}


def thought(words: str = "hmm") -> Line:
    """A thinking block."""
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def call(tool_id: str, name: str = "Bash", **arguments: object) -> Line:
    """A tool_use block."""
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def result(uuid: str, tool_id: str, content: object = "ok", **extra: Any) -> Line:  # noqa: ANN401 -- any JSON value
    """A user record that carries a tool's result."""
    return prompt(uuid, [{"type": "tool_result", "tool_use_id": tool_id, "content": content, **extra}])


def interrupt(uuid: str, **extra: Any) -> Line:  # noqa: ANN401 -- any JSON value
    """The mark of a person breaking a turn off."""
    return prompt(uuid, [text("[Request interrupted by user]")], **extra)


def api_error(uuid: str) -> Line:
    """The agent's own report of a failed request."""
    words = [text("API Error: 500 Internal")]
    body = {"id": uuid, "role": "assistant", "model": "<synthetic>", "stop_reason": "stop_sequence", "content": words}
    return line(uuid, "assistant", message=body, isApiErrorMessage=True)


def snapshot(uuid: str, *sections: str) -> Line:
    """The session's system prompt, as an attachment."""
    return line(uuid, "attachment", attachment={"type": "prompt_snapshot", "systemPrompt": list(sections)})


def notification(uuid: str) -> Line:
    """A background task's end, which wakes the assistant."""
    words = "<task-notification>\n<task-id>a</task-id>\n</task-notification>"
    return prompt(uuid, words, promptSource="system", turnOrigin="task_notification")


TURN = (prompt("h1", "hello"), answer("a1", "m1", text("hi")))  # the shortest complete one

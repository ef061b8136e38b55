"""What the log looks like to people and to programs."""

from __future__ import annotations

import io
import signal

from memd import logs


def test_a_terminal_gets_sentences_and_a_pipe_what_programs_read() -> None:
    said = {json: io.StringIO() for json in (False, True)}
    for json, stream in said.items():
        log = logs.configure(stream, json=json)
        log.info("daemon_ready", watching=["/home/a/.claude/projects"], quiet=120.0)
        log.info("stop_requested", signal=signal.SIGINT)
        log.warning("lease_lost", job=3)
        log.info("daemon_ready", watching=[])
    text = said[False].getvalue()
    assert "watching /home/a/.claude/projects; a conversation is over 120 s after its last word. Ctrl-C ends it" in text
    assert "ending" in text
    assert "lease lost" in text
    assert "job=3" in text
    assert "Signals" not in text
    assert '"watching": ["/home/a/.claude/projects"], "quiet": 120.0, "event": "daemon_ready"' in said[True].getvalue()

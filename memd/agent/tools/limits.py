"""How much one tool call may take and give."""

from __future__ import annotations

FILE_BYTES = 512 << 10  # a larger file is not read; cleaning one takes half a second, a hostile one four
TRANSCRIPT_CHARACTERS = 2 << 20
RESULT_CHARACTERS = 30_000
RESULT_LINES = 2_000
LINE_CHARACTERS = 2_000
READ_LINE_CHARACTERS = 10_000  # a message of a conversation is one line
BEFORE_MATCH = 200  # characters of a long line that are shown before what was found
ENTRIES_VISITED = 20_000  # of directories, in one Grep or Glob
FILES_SEARCHED = 5_000
BYTES_SEARCHED = 64 << 20
RESULTS = 250
LARGEST_NUMBER = 1_000_000
PATH_CHARACTERS = 1_000
PATTERN_CHARACTERS = 1_000
PROGRAM_SIZE = 2_000  # instructions of a compiled pattern
COMMAND_CHARACTERS = 2_000
COMMAND_FILES = 20
CALL_SECONDS = 10.0
COMMAND_SECONDS = 5.0
COMMAND_BYTES = 256 << 10


def shortened(lines: list[str], note: str, *, longest: int = LINE_CHARACTERS) -> str:
    """Lines as one text within the limits, each of at most `longest` characters; `note` says how to see the rest."""
    kept: list[str] = []
    room = RESULT_CHARACTERS
    for line in lines[:RESULT_LINES]:
        cut = line if len(line) <= longest else f"{line[:longest]} [line cut]"
        room -= len(cut) + 1
        if room < 0:
            break
        kept.append(cut)
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"[{left} more lines; {note}]"] if left else kept)

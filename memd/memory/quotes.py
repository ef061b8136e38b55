"""Whether a memory stands on words that were really said, and by whom (spec §7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Speaker(StrEnum):
    """Whose words an utterance holds."""

    HUMAN = "human"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One message as a pass may see it: injected text, private blocks and secrets already taken out."""

    speaker: Speaker
    text: str
    uuid: str
    at: datetime | None = None  # aware, in the zone that relative dates count from

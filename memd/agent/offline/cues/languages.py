"""The languages the rule engine reads."""

from __future__ import annotations

from memd.agent.offline.cues import (
    chinese_choices,
    chinese_person,
    chinese_places,
    chinese_plans,
    chinese_turns,
    chinese_vetoes,
    chinese_work,
    english_choices,
    english_person,
    english_places,
    english_plans,
    english_turns,
    english_vetoes,
    english_work,
)
from memd.agent.offline.cues.tables import Cues

ENGLISH = Cues(
    work=english_work.WORK,
    choices=english_choices.CHOICES,
    person=english_person.PERSON,
    plans=english_plans.PLANS,
    places=english_places.PLACES,
    vetoes=english_vetoes.VETOES,
    turns=english_turns.TURNS,
)
CHINESE = Cues(
    work=chinese_work.WORK,
    choices=chinese_choices.CHOICES,
    person=chinese_person.PERSON,
    plans=chinese_plans.PLANS,
    places=chinese_places.PLACES,
    vetoes=chinese_vetoes.VETOES,
    turns=chinese_turns.TURNS,
)

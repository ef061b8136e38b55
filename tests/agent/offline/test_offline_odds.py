"""What goes live is asked for, or looks like what was worth keeping elsewhere; the rest is a bullet, never lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memd.agent.offline import odds
from memd.agent.offline.odds import Trait
from memd.memory.topic import Topic
from memd.memory.workspace import Workspace
from tests.eval import fit_odds

Save = Callable[..., dict[str, Topic]]

RULE = "never catch Exception broadly in the importer, a swallowed error once cost us a week of wrong invoices"


def test_a_rule_in_passing_goes_live_at_the_end(save: Save) -> None:
    assert save("why is the import slow?", "A: It parses twice.", f"fix that please. {RULE}")


@pytest.mark.parametrize(
    "said",
    [
        ("the retry screen always shows the oldest job first", "A: Done.", "ok, looks good to me"),
        ("why is the import slow?", "A: It parses twice.", "ledger is the only source"),
    ],
    ids=["what the task is", "a few words"],
)
def test_what_looks_like_the_task_at_hand_makes_no_memory(said: tuple[str, ...], save: Save) -> None:
    assert not save(*said)


def test_what_is_not_likely_becomes_a_bullet(save: Save, space: Workspace) -> None:
    assert not save("how are keys sorted?", "A: By name.", "from now on sort keys in locale files", "A: Ok.", "thanks")
    assert "sort keys" in space.bullets.read_text(encoding="utf-8")


@pytest.mark.parametrize("asked", ["remember that we deploy from tags", "记住，部署只从标签来"])
def test_what_was_asked_for_goes_live_wherever_it_stands(asked: str, save: Save) -> None:
    assert save(asked, "A: Noted.", "now fix the build please")


def test_more_words_never_make_it_less_likely() -> None:
    seen = frozenset({Trait.RULE, Trait.FAINT})
    chances = [odds.odds(seen, count) for count in range(50)]
    assert chances == sorted(chances)


def test_the_weights_are_those_that_were_fitted() -> None:
    weights = dict(zip(map(str, fit_odds.NAMES), fit_odds.fit(fit_odds.load()), strict=True))
    shipped = {
        **{str(trait): weight for trait, weight in odds.WEIGHTS.items()},
        "length": odds.LENGTH,
        "start": odds.START,
    }
    assert {name: round(weight, 1) for name, weight in weights.items()} == shipped


@pytest.mark.deep
def test_sets_that_were_left_out_get_more_precise() -> None:
    rows = fit_odds.load()
    live = [row["right"] for row, chance in zip(rows, fit_odds.held_out(rows), strict=True) if chance >= odds.LIKELY]
    assert sum(live) / len(live) >= 0.9
    assert sum(live) >= 0.85 * sum(row["right"] for row in rows)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("never push to main. last month somebody pushed and broke the release.", True),
        ("always run the linter before a commit. the staging server was renamed to kea yesterday.", False),
        ("from now on use pnpm. our customers pay by the month.", False),
    ],
)
def test_news_beside_a_rule_is_not_its_reason(said: str, save: Save, *, why: bool) -> None:
    (rule,) = save(said).values()
    assert ("not stated" not in rule.body.split("**How")[0]) is why


def test_a_rule_that_only_points_at_what_nobody_knows_is_no_memory(save: Save) -> None:
    said = "perfect, that's how i want all our importers to behave from now on, customs and depot lists too"
    assert not save("is the importer done?", said)

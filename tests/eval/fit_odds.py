"""Fit the weights of `memd/agent/offline/odds.py`, and tell what they do where they were not fitted.

`fit_odds.py [CANDIDATES.jsonl]` prints the weights, then for several thresholds what a fit on all other sets does with
each set: precision, the share of right candidates kept, and how many conversations that teach nothing stay silent.

`candidates.jsonl` holds a line for every candidate that the rules made of a labelled set when nobody had read the set
yet, under the rules of that day (of `j` and `m` those of today): what it looked like, and whether it was right.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memd.agent.offline.odds import LONGEST, Trait

CANDIDATES = Path(__file__).with_name("candidates.jsonl")
EARLY = {"b": 0.5, "c": 0.5, "d": 0.5, "e": 0.7, "f": 0.7, "g": 0.8}  # rules of those days were further from today's
PRIOR = 1.0  # variance of a weight before anything was seen
NARROW = {
    Trait.OPENING: 0.2,
    Trait.CLOSING: 0.2,
}  # where things stand tells how sets are written, too: people go on longer
ROUNDS = 12  # of Newton's method
THRESHOLDS = (0.0, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8)
NAMES = (*Trait, "length", "start")
PRIORS = (*(NARROW.get(trait, PRIOR) for trait in Trait), PRIOR)

Row = Mapping[str, Any]


def load(path: Path = CANDIDATES) -> list[Row]:
    """The candidates, in order."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fit(rows: Sequence[Row]) -> list[float]:
    """The weights of a logistic regression, in the order of `NAMES`."""
    weights = [0.0] * len(NAMES)
    for _ in range(ROUNDS):
        slope = [-weight / prior for weight, prior in zip(weights[:-1], PRIORS, strict=True)] + [0.0]
        bend = [[(i == j) / prior for j in range(len(NAMES))] for i, prior in enumerate([*PRIORS, 1.0])]
        bend[-1][-1] = 1e-6
        for row in rows:
            _add(row, weights, slope, bend)
        weights = [old + step for old, step in zip(weights, _solved(bend, slope), strict=True)]
    return weights


def likely(weights: Sequence[float], row: Row) -> float:
    """How likely the weights hold a candidate to be right, 0 to 1."""
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, _values(row), strict=True))))


def held_out(rows: Sequence[Row]) -> list[float]:
    """How likely each candidate is to be right, by the weights that all other sets give."""
    sets = {row["set"] for row in rows}
    fits = {name: fit([row for row in rows if row["set"] != name]) for name in sets}
    return [likely(fits[row["set"]], row) for row in rows]


def _values(row: Row) -> list[float]:
    return [
        *(float(trait.value in row["traits"]) for trait in Trait),
        math.log(min(max(row["words"], 1), LONGEST)),
        1.0,
    ]


def _add(row: Row, weights: Sequence[float], slope: list[float], bend: list[list[float]]) -> None:
    """Add what a candidate says on the slope and the curvature of the likelihood."""
    values, chance, counts = _values(row), likely(weights, row), EARLY.get(row["set"], 1.0)
    there = [place for place, value in enumerate(values) if value]
    for i in there:
        slope[i] += counts * (row["right"] - chance) * values[i]
        for j in there:
            bend[i][j] += counts * chance * (1 - chance) * values[i] * values[j]


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of a system of linear equations with a positive definite matrix."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for place, pivot in enumerate(rows):
        for other in rows:
            if other is not pivot:
                share = other[place] / pivot[place]
                other[:] = [a - share * b for a, b in zip(other, pivot, strict=True)]
    return [line[-1] / line[place] for place, line in enumerate(rows)]


def _outcome(rows: Iterable[Row], chances: Iterable[float], threshold: float) -> str:
    pairs = list(zip(rows, chances, strict=True))
    live = [row for row, chance in pairs if chance >= threshold]
    right = sum(row["right"] for row in live)
    loud = {row["case"] for row in live if row["silent"]}
    kept = right / sum(row["right"] for row, _ in pairs)
    return f"{threshold:.2f}  precision {right / len(live):.3f}  kept {kept:.3f}  loud where silent {len(loud)}"


def main(path: Path) -> None:
    """Print the weights and the cross-validated figures: of all sets, then of the last six."""
    rows = load(path)
    for name, weight in zip(NAMES, fit(rows), strict=True):
        print(f"{name:10} {weight:+.2f}")  # noqa: T201 - a script for people
    chances = held_out(rows)
    for wanted in (frozenset("bcdefghijklm"), frozenset("hijklm"), frozenset("jm")):
        pairs = [(row, chance) for row, chance in zip(rows, chances, strict=True) if row["set"] in wanted]
        print("".join(sorted(wanted)))  # noqa: T201
        for threshold in THRESHOLDS:
            print(" ", _outcome((r for r, _ in pairs), (c for _, c in pairs), threshold))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CANDIDATES)

"""Fits of the certainty: tiers of rules by counts, and the weights of the model of P(same)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ..judge.certainty import (
    DOUBTFUL,
    MAX_SHORT_TOKENS,
    OFF,
    SIGNS,
    SURE,
    Features,
)
from ..judge.rules import RULE_NAMES
from .corpora import CorpusError

MIN_FIRINGS, MIN_SETS, MIN_LOWER_BOUND = 100, 2, 0.97
"""A rule is sure from so many firings, in so many sets, with this lower bound of the share of right ones."""

MAX_UPPER_BOUND = 0.5
"""A rule is off below this upper bound of the share of right firings."""

SURE_BY_DEFINITION = frozenset(["sign", "head"])
"""Rules about what an author has marked on purpose: +5 and −5, a declared title."""

NORMAL_QUANTILE = 1.96
PENALTY = 1e-3
MAX_ROUNDS = 2000
MAX_STEP = 1.0
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Observation:
    """What the judge saw in a labelled pair.

    - ``corpus``, ``site_kind``: the set, and the kind of site that it is like.
    - ``is_same``: the label. ``is_core``: see ``LabelledPair.is_core``.
    - ``length``: tokens of the shorter text.
    - ``rules``: the rules that decided.
    - ``features``: of a pair on which no rule decided.
    """

    corpus: str
    site_kind: str
    is_same: bool
    is_core: bool
    length: int
    verdict: str = "none"
    doubtful: bool = False
    rules: tuple[str, ...] = ()
    features: Features | None = None


def wilson_bounds(right: int, total: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share, 0..1 (Wilson 1927). It is (0, 1) for no observations."""
    if not total:
        return 0.0, 1.0
    share, spread = right / total, NORMAL_QUANTILE**2 / total
    centre = share + spread / 2
    margin = NORMAL_QUANTILE * sqrt(share * (1 - share) / total + spread / total / 4)
    return (centre - margin) / (1 + spread), (centre + margin) / (1 + spread)


def fit_rules(observations: Iterable[Observation]) -> dict[str, dict[str, Any]]:
    """Return the tiers of all rules with their counts, by name, from the observations of one kind of site."""
    right: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    wrong: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for seen in observations:
        counts = wrong if seen.is_same else right
        for rule in seen.rules:
            counts[rule, seen.length > MAX_SHORT_TOKENS][seen.corpus] += 1
    rules = {}
    for name in RULE_NAMES:
        firings = [(right[name, is_long], wrong[name, is_long]) for is_long in (False, True)]
        is_sure = name in SURE_BY_DEFINITION or _is_sure(firings)
        short, longer = (SURE if is_sure else _tier_below_sure(*pair) for pair in firings)
        rules[name] = {
            "short": short,
            "longer": longer,
            "right": [_total(pair[0]) for pair in firings],
            "wrong": [_total(pair[1]) for pair in firings],
            "sets": len(set().union(*firings[0], *firings[1])),
        }
    return rules


def _total(counts: Counter[str]) -> int:
    return sum(counts.values())


def _is_sure(firings: Sequence[tuple[Counter[str], Counter[str]]]) -> bool:
    right = sum(_total(pair[0]) for pair in firings)
    total = right + sum(_total(pair[1]) for pair in firings)
    sets = set().union(*firings[0], *firings[1])
    is_enough = total >= MIN_FIRINGS and len(sets) >= MIN_SETS
    return is_enough and wilson_bounds(right, total)[0] >= MIN_LOWER_BOUND


def _tier_below_sure(right: Counter[str], wrong: Counter[str]) -> str:
    total = _total(right) + _total(wrong)
    return OFF if wilson_bounds(_total(right), total)[1] < MAX_UPPER_BOUND else DOUBTFUL


def fit_model(observations: Iterable[Observation]) -> tuple[Features, float]:
    """Return the weights and the intercept of the model of P(same).

    A weight of the wrong sign is set to 0. A set counts as much as the root of its number of pairs, so that
    large sets do not decide everything. Raise CorpusError without pairs.
    """
    seen = [observation for observation in observations if observation.features is not None]
    if not seen:
        raise CorpusError("calibration needs labelled pairs that differ, in two sets at least")
    rows = np.array([[*(observation.features or ()), 1.0] for observation in seen])
    labels = np.array([float(observation.is_same) for observation in seen])
    sizes = Counter(observation.corpus for observation in seen)
    shares = np.array([1 / sqrt(sizes[observation.corpus]) for observation in seen])
    *weights, intercept = (
        round(float(weight), 4) for weight in _fit_logistic(rows, labels, shares / shares.sum())
    )
    return Features(*weights), intercept


def _fit_logistic(rows: Any, labels: Any, shares: Any) -> Any:
    """Return the weights of a logistic regression with a small ridge penalty, each of its sign or 0.

    One weight after another takes a step of Newton's method. The loss is convex, so this ends at its minimum.
    """
    weights = np.zeros(rows.shape[1])
    totals = rows @ weights
    for _ in range(MAX_ROUNDS):
        before = weights.copy()
        for number, column in enumerate(rows.T):
            predicted = 1 / (1 + np.exp(-totals))
            slope = float(column @ (shares * (labels - predicted))) - PENALTY * weights[number]
            curvature = float(column**2 @ (shares * predicted * (1 - predicted))) + PENALTY
            # A longer step may go past the minimum and back for ever.
            moved = weights[number] + min(max(slope / curvature, -MAX_STEP), MAX_STEP)
            if number < len(SIGNS):
                moved = SIGNS[number] * max(SIGNS[number] * moved, 0.0)
            totals = totals + column * (moved - weights[number])
            weights[number] = moved
        if np.abs(weights - before).max() < TOLERANCE:
            break
    return weights

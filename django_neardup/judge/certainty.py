"""How sure a verdict is: what each rule, and each degree of similarity, was worth on labelled pairs.

The numbers are in ``certainty.json``, which ``make calibrate`` writes (``evaluation/calibration_mode.py``). There
are two kinds of site: adverts, where another word is mostly another item, and articles, where it is mostly an edit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

from ..text.alignment.gaps import Gap
from .meanings import Meaning
from .pair_context import PairContext
from .rules.base import is_replaced

FILE = Path(__file__).with_name("certainty.json")
ADVERTS, ARTICLES = "adverts", "articles"
SITE_KINDS = (ADVERTS, ARTICLES)

SURE, DOUBTFUL, OFF = "sure", "doubt", "off"
"""Tiers of a rule: its other items are stated, said as "maybe", or not looked for."""

MAX_SHORT_TOKENS = 12
"""A text of so many tokens is short: a headline, the name of an article. A rule has a tier for each length."""

MAX_COUNTED_TOKENS = 100
# Equal texts would have infinite odds.
ODDS_OFFSET = 0.02

MIN_PROBABILITY = 0.5
"""Lowest P(same) of a duplicate, and of a pair below the duplicate's score that may still be one."""


class Features(NamedTuple):
    """What P(same) depends on.

    - ``changed``: the log odds of the changed share of the weight, 1 - score.
    - ``replaced``: replaced words per word of the shorter text, 0..1. Words that never decide do not count.
    - ``differing``: the same, each word times how unlike it is in characters to what stands in its place, 0..1.
    - ``length``: ln(1 + tokens of the shorter text, at most 100).
    """

    changed: float
    replaced: float
    differing: float
    length: float


SIGNS = Features(-1, -1, -1, 1)
"""Whether P(same) falls or rises with each feature: the model is monotone."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """The tiers of the rules, and the model of pairs on which no rule decides, for one kind of site.

    - ``tiers``: by the name of a rule, its tier in short texts and in longer ones. Other rules are doubtful.
    - ``weights``, ``intercept``: of the logistic model.
    """

    tiers: Mapping[str, tuple[str, str]]
    weights: Features
    intercept: float

    def tier(self, rule_name: str, shorter_length: int) -> str:
        tiers = self.tiers.get(rule_name)
        return tiers[shorter_length > MAX_SHORT_TOKENS] if tiers else DOUBTFUL

    def is_off(self, meaning: Meaning, shorter_length: int) -> bool:
        """Return whether a difference is left out of account. That is never so for a code, such as С140.35."""
        return meaning.kind != "code" and self.tier(meaning.rule, shorter_length) == OFF

    def only_sure(self, decisive: Iterable[Meaning], shorter_length: int) -> tuple[Meaning, ...]:
        """Return the differences that a sure rule explains. If there are any, the doubtful ones do not decide."""
        meanings = tuple(decisive)
        sure_gaps = {meaning.gap for meaning in meanings if self.tier(meaning.rule, shorter_length) == SURE}
        return tuple(meaning for meaning in meanings if meaning.gap in sure_gaps)

    def probability(self, features: Features) -> float:
        """Return P(same), 0..1: the chance that two texts on which no rule decides are one text."""
        total = self.intercept + sum(
            weight * value for weight, value in zip(self.weights, features, strict=True)
        )
        return 1 / (1 + exp(-total)) if total > -500 else 0.0


UNCALIBRATED = Certainty({}, Features(0, 0, 0, 0), 500.0)
"""All rules are in doubt, and all pairs are one text: what calibration measures."""


@cache
def certainty_of(site_kind: str) -> Certainty:
    """Return the certainty for a kind of site, ``ADVERTS`` or ``ARTICLES``."""
    content = json.loads(FILE.read_text("utf-8"))
    model = content["model"]
    return Certainty(read_tiers(content[site_kind]), Features(**model["weights"]), model["intercept"])


def read_tiers(rules: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the tiers of the rules of one kind of site, as the file has them."""
    return {name: (rule["short"], rule["longer"]) for name, rule in rules.items()}


def measure_features(context: PairContext, score: float) -> Features:
    """Return the features of two aligned texts."""
    replaced, differing, characters = 0, 0.0, 0
    for gap in context.gaps:
        if not is_replaced(gap):
            continue
        words_a, words_b = _unexplained_words(context, gap)
        if words_a and words_b:
            text_a, text_b = " ".join(words_a), " ".join(words_b)
            replaced += min(len(words_a), len(words_b))
            differing += (1 - character_similarity(text_a, text_b)) * (len(text_a) + len(text_b))
            characters += len(text_a) + len(text_b)
    share = replaced / context.shorter_length
    return Features(
        log((1 - score + ODDS_OFFSET) / (score + ODDS_OFFSET)),
        share,
        share * differing / characters if characters else 0.0,
        log(1 + min(context.shorter_length, MAX_COUNTED_TOKENS)),
    )


def _unexplained_words(context: PairContext, gap: Gap) -> tuple[Sequence[str], Sequence[str]]:
    """Return the unaligned words of both sides that may decide."""
    ignored_a, ignored_b = context.ignored_positions
    sides = (
        (context.a, gap.start_a, gap.end_a, ignored_a),
        (context.b, gap.start_b, gap.end_b, ignored_b),
    )
    words = [
        [
            side.tokens[position].surface
            for position in range(start, end)
            if side.positions[position] < 0 and position not in ignored
        ]
        for side, start, end, ignored in sides
    ]
    return words[0], words[1]


def character_similarity(a: str, b: str) -> float:
    """Return Dice's coefficient of the pairs of neighbouring characters, 0..1 (Dice 1945)."""
    pairs_a, pairs_b = Counter(pairwise(f" {a} ")), Counter(pairwise(f" {b} "))
    shared = sum((pairs_a & pairs_b).values())
    return 2 * shared / (len(a) + len(b) + 2)

"""The verdict on two texts of a site, whose boilerplate makes no two of them similar."""

from __future__ import annotations

from dataclasses import replace

from ..judge.boilerplate_snapshot import only_figures_differ, part_passages, without_ranges
from ..text.canonical_text import CanonicalText
from .base import Algorithm, Judgement


def judge_on_site(algorithm: Algorithm, a: CanonicalText, b: CanonicalText, author: str = "") -> Judgement:
    """Return the algorithm's verdict, with the boilerplate among the passages marked.

    A ``variant`` that is none without the boilerplate is ``related``. A ``duplicate`` stays one: what many texts
    share says nothing against two that are equal. ``author``: the author of both texts, if one has written both. Only
    then their own boilerplate counts.
    """
    judgement, boilerplate = algorithm.judge(a, b), algorithm.boilerplate
    if boilerplate is None or not judgement.is_similar or judgement.exact:
        return judgement
    ranges_a, ranges_b = boilerplate.find_ranges(a, author), boilerplate.find_ranges(b, author)
    if not ranges_a or not ranges_b:
        return judgement
    passages = part_passages(a, b, judgement.passages, ranges_a, ranges_b)
    judgement = replace(judgement, passages=passages)
    if judgement.verdict != "variant" or only_figures_differ(judgement.differences, ranges_a, ranges_b):
        return judgement
    own = algorithm.judge(without_ranges(a, ranges_a), without_ranges(b, ranges_b))
    if own.verdict in ("variant", "duplicate"):
        return judgement
    return replace(
        judgement,
        verdict="related",
        doubtful=False,
        classes=(),
        differences=tuple(item.without_decision() for item in judgement.differences),
        shares_only_boilerplate=True,
    )

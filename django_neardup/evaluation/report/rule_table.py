"""The table of rules: how often each rule decided on true and on false pairs, by set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from ..metrics import ratio
from ..results import PairsResult, TableRow

ALL_SETS = "(all)"
LABEL_NAMES = {True: "true", False: "false", None: "policy"}
RuleCounts = defaultdict[tuple[str, str, str], Counter[str]]


def rule_rows(results: Sequence[PairsResult]) -> list[TableRow]:
    """Return one row for each set, algorithm and rule that decided, then the sums over the sets.

    A rule that decided several times on a pair counts once.
    """
    by_set, totals = RuleCounts(Counter), RuleCounts(Counter)
    for result in results:
        for pair, rules in zip(result.pairs, result.judgements.rules, strict=True):
            for rule in rules:
                label = LABEL_NAMES[pair.is_duplicate]
                by_set[result.corpus, result.algorithm, rule][label] += 1
                totals[ALL_SETS, result.algorithm, rule][label] += 1
    return [*_sorted_rows(by_set), *_sorted_rows(totals)]


def _sorted_rows(counts_by_rule: RuleCounts) -> list[TableRow]:
    return [
        {
            "set": corpus,
            "algorithm": algorithm,
            "rule": rule,
            "decided": counts.total(),
            **{name: counts[name] for name in LABEL_NAMES.values()},
            "share true": ratio(counts["true"], counts["true"] + counts["false"]),
        }
        for (corpus, algorithm, rule), counts in sorted(counts_by_rule.items())
    ]

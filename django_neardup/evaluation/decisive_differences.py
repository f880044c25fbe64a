"""What the bench reads of a judgement: its decisive differences with their rules, and its certainty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..algorithms import Judgement
from ..judge.differences import Difference


def decisive_differences(judgement: Judgement) -> Iterator[Difference]:
    """Yield the differences that mean another item."""
    return (difference for difference in judgement.differences if difference.is_decisive)


def rule_name(difference: Difference) -> str:
    """Return the name of the rule that decided. Return an empty string if the judge names none."""
    return str(getattr(difference, "rule", ""))


def deciding_rules(judgement: Judgement) -> tuple[str, ...]:
    """Return the rules that decided, each once, sorted. Without a rule, the kind of the difference counts."""
    rules = {rule_name(difference) or difference.kind for difference in decisive_differences(judgement)}
    return tuple(sorted(rules))


def is_sure(judgement: Judgement) -> bool:
    """Return whether the judge is sure of its verdict."""
    return not judgement.doubtful


def difference_record(difference: Difference) -> dict[str, Any]:
    """Return kind, rule, words and raw offsets of a difference, ready for JSON."""
    return {
        "kind": difference.kind,
        "rule": rule_name(difference),
        "a": difference.text_a,
        "b": difference.text_b,
        "span_a": list(difference.span_a),
        "span_b": list(difference.span_b),
    }

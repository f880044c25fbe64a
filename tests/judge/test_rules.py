"""Every rule of the judge: the examples of its docstring, inputs in which it decides, and near misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from django_neardup.judge import heads, pair_rules, role_swaps
from django_neardup.judge.rules.boilerplate import BoilerplateRule
from django_neardup.judge.rules.ignored import IgnoredClassRule, TermsRule
from tests.judge.judged_pairs import (
    COPY,
    FIRES,
    HEAD_END,
    NEWS,
    JudgedPair,
    deciding_rules,
    find_rules,
    have_other_replies,
    is_guess,
    judge,
    parse_pair,
    read_pairs,
    speaks,
)

MIN_FIRING, MIN_NEAR_MISSES = 5, 3
IGNORING_RULES = (TermsRule.name, BoilerplateRule.name, IgnoredClassRule.name)
VERDICTS = {"accent doubt": ("related",), "guess": ("related",), "quotations": ("related", "variant")}
"""Verdicts of sections that are a doubt."""

PAIR_RULES: dict[str, Callable[..., Any]] = {
    "sign": pair_rules.find_other_signs,
    "accent": pair_rules.find_other_accents,
    "person": pair_rules.find_other_persons,
    "part": pair_rules.find_other_parts,
    "role swap": role_swaps.find_role_swaps,
    "head": heads.find_other_heads,
}
FRAME = "{}, рядом рынок и школа, документы готовы, подробности расскажу лично при встрече"
"""A rule needs words around a difference. Examples of docstrings have few."""

PAIRS = read_pairs()


def with_faults(pairs: list[JudgedPair]) -> list[Any]:
    """Return parameters. Pairs with a known fault are expected to fail."""
    return [
        pytest.param(
            pair,
            id=str(pair)[:70],
            marks=pytest.mark.xfail(reason=pair.fault, strict=True) if pair.fault else (),
        )
        for pair in pairs
    ]


def examples() -> Iterator[JudgedPair]:
    """Yield the examples of all docstrings, each in the frame."""
    documented = {rule.name: rule.__doc__ for rule in find_rules()}
    documented |= {name: function.__doc__ for name, function in PAIR_RULES.items()}
    for name, docstring in documented.items():
        for line in (docstring or "").splitlines():
            if f" {FIRES} " in line or f" {COPY} " in line:
                example = parse_pair(line.strip(), name)
                a, b = (_framed(name, text) for text in (example.a, example.b))
                yield JudgedPair(name, a, b, example.expected)


def _framed(name: str, text: str) -> str:
    if name == BoilerplateRule.name:
        return f"{NEWS} {text}"
    return f"{text}{HEAD_END}{FRAME.format('Объявление')}" if name == "head" else FRAME.format(text)


def check(pair: JudgedPair) -> None:
    if pair.rule in IGNORING_RULES:
        check_ignored(pair)
        return
    judgement = judge(pair.a, pair.b)
    rules = deciding_rules(judgement)
    if pair.expected == FIRES:
        wanted = VERDICTS.get(pair.rule, ("variant",))
        assert judgement.verdict in wanted, judgement.evidence()
    elif pair.expected == COPY:
        assert judgement.verdict == "duplicate", judgement.evidence()
    if pair.rule == "guess":
        assert is_guess(pair.a, pair.b) == (pair.expected == FIRES)
    elif pair.rule == "quotations":
        assert have_other_replies(pair.a, pair.b) == (pair.expected == FIRES)
    else:
        rule = "accent" if pair.rule == "accent doubt" else pair.rule
        assert (rule in rules) == (pair.expected == FIRES), rules


def check_ignored(pair: JudgedPair) -> None:
    """Check a difference that never decides, or is not ignored."""
    assert speaks(pair.rule, pair.a, pair.b) == (pair.expected == FIRES)
    is_copy = judge(pair.a, pair.b).verdict == "duplicate"
    assert is_copy == (pair.expected in (FIRES, COPY))


@pytest.mark.parametrize("pair", with_faults(PAIRS))
def test_input(pair: JudgedPair) -> None:
    check(pair)


@pytest.mark.parametrize("pair", list(examples()), ids=lambda pair: str(pair)[:70])
def test_example_of_a_docstring(pair: JudgedPair) -> None:
    check(pair)


@pytest.mark.parametrize("name", [*(rule.name for rule in find_rules()), *PAIR_RULES, *VERDICTS])
def test_a_rule_has_inputs(name: str) -> None:
    counts = Counter(pair.expected == FIRES for pair in PAIRS if pair.rule == name)
    assert counts[True] >= MIN_FIRING and counts[False] >= MIN_NEAR_MISSES


def test_every_section_is_a_rule() -> None:
    known = {*(rule.name for rule in find_rules()), *PAIR_RULES, *VERDICTS}
    assert {pair.rule for pair in PAIRS} == known


@pytest.mark.parametrize("rule", list(find_rules()), ids=lambda rule: rule.name)
def test_a_rule_has_an_example(rule: type[Any]) -> None:
    assert any(example.rule == rule.name for example in examples())

"""Inputs of the judge's tests: how they are written, read and judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django_neardup.algorithms.base import Judgement
from django_neardup.algorithms.registry import get_algorithm
from django_neardup.judge.pair_context import PairContext
from django_neardup.judge.quotations import verdict_by_quotations
from django_neardup.judge.rules.base import Rule
from django_neardup.judge.thresholds import SHORT_RELATED_SCORE
from django_neardup.judge.verdict import is_only_a_guess
from django_neardup.judge.word_classes import IGNORED_CLASSES
from django_neardup.text.alignment.align import align
from django_neardup.text.canonical_text import CanonicalText

INPUTS = Path(__file__).with_name("inputs.txt")
FIRES, COPY, SILENT = "|", "~", "≠"
HEAD_END = " // "
NEWS = (
    "The council of the town met on Monday evening to consider the plans of a bridge over the river near the old mill. "
    "The engineer explained what stone and iron would cost, and several members spoke in favour of waiting until the "
    "floods have passed. Others feared that prices would rise and asked that the work begin in summer. The mayor said "
    "that the government had promised half of the sum. After a long debate the question was put off until the next "
    "meeting of the council. A crowd of people had gathered in front of the hall and left quietly when the doors were "
    "opened and the decision was read to them by the clerk."
)
NEWS = " ".join([NEWS] * 3)
"""A text of over 300 tokens, which inputs name as ``{news}``."""

SECTION = re.compile(r"\[([^\]]+)\]")
XFAIL = "xfail: "


@dataclass(frozen=True)
class JudgedPair:
    """Two texts, and what a rule says of them: ``FIRES``, ``COPY`` or ``SILENT`` (see ``inputs.txt``).

    ``fault``: the known fault because of which the judge is wrong today.
    """

    rule: str
    a: str
    b: str
    expected: str
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.rule}: {self.a} {self.expected} {self.b}"


def read_pairs() -> list[JudgedPair]:
    """Read the pairs of all rules."""
    return list(_parse_lines(INPUTS.read_text(encoding="utf-8").splitlines()))


def _parse_lines(lines: list[str]) -> Iterator[JudgedPair]:
    rule = fault = ""
    for line in lines:
        if heading := SECTION.fullmatch(line):
            rule = heading[1]
        elif line.startswith(XFAIL):
            fault = line.removeprefix(XFAIL)
        elif line and not line.startswith("#"):
            yield parse_pair(line, rule, fault)
            fault = ""


def _unescape(text: str) -> str:
    return text.replace("\\n", "\n").replace("{news}", NEWS)


def parse_pair(line: str, rule: str, fault: str = "") -> JudgedPair:
    """Parse a line ``a | b``, ``a ~ b`` or ``a ≠ b``. Raise ValueError for any other line."""
    for sign in (FIRES, COPY, SILENT):
        a, found, b = line.partition(f" {sign} ")
        if found:
            return JudgedPair(rule, *(_unescape(text) for text in (a, b)), sign, fault)
    raise ValueError(f"no pair: {line}")


def text_of(written: str, secret: bytes = b"") -> CanonicalText:
    """Return the text of an input, with its declared head."""
    head, found, body = written.partition(HEAD_END)
    if not found:
        return CanonicalText(written, secret=secret)
    return CanonicalText(f"{head}\n{body}", head=len(head), secret=secret)


def judge(a: str, b: str, secret: bytes = b"") -> Judgement:
    """Return the judgement of the default algorithm on two inputs."""
    return get_algorithm("neardup").judge(text_of(a, secret), text_of(b, secret))


def deciding_rules(judgement: Judgement) -> set[str]:
    """Return the names of the rules that decided or doubted."""
    return {difference.rule for difference in judgement.differences if difference.is_decisive}


def context_of(a: str, b: str) -> PairContext:
    """Return the context in which the judge sees two inputs."""
    text_a, text_b = text_of(a), text_of(b)
    return PairContext.build(text_a, text_b, align(text_a, text_b), True, IGNORED_CLASSES)


def find_rules(root: type[Rule] = Rule) -> Iterator[type[Rule]]:
    """Yield the classes of all rules of the table."""
    for rule in root.__subclasses__():
        if "name" in vars(rule):
            yield rule
        yield from find_rules(rule)


def speaks(name: str, a: str, b: str) -> bool:
    """Return whether a rule of the table gives any difference a meaning, whatever other rules say."""
    context = context_of(a, b)
    rule = next(rule for rule in find_rules() if rule.name == name)()
    return any(rule.find(context, gap) for gap in context.judged_gaps)


def is_guess(a: str, b: str) -> bool:
    """Return whether nothing but guessed spellings differs."""
    return is_only_a_guess(context_of(a, b))


def have_other_replies(a: str, b: str) -> bool:
    """Return whether the texts quote one text and say other things."""
    return verdict_by_quotations(text_of(a), text_of(b), SHORT_RELATED_SCORE) == "related"

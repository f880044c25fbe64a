"""Token rules: the fields of a rule, and the single pattern that is compiled from all rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from unicodedata import category

from .lexicon import Lexicon, LexiconEntry, LongTextLexicon

Words = Lexicon | LongTextLexicon
Part = tuple[LexiconEntry, int, int]
Builder = Callable[[Words, str, int], list[Part]]
"""Builds the tokens of a match: the entry of each, and its start and end in the text."""

# Vowel signs from Devanagari to Khmer. Letters must not be among them: the pattern would be ambiguous.
VOWEL_SIGNS = "".join(
    char
    for char in map(chr, (*range(0x900, 0x1100), *range(0x1780, 0x1800)))
    if category(char) in ("Mn", "Mc")
)
# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, Japanese, Chinese.
UNSPACED_GLYPH = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    f"[{VOWEL_SIGNS}]*"
)


class Rule(NamedTuple):
    """One row of the table of rules.

    - ``name``: of the rule, a Python identifier.
    - ``pattern``: of the folded text in lower case.
    - ``build``: makes the tokens of a match. None for a mark that may close a sentence.
    - ``kinds``: the kinds of token that it makes.
    - ``ahead``: the characters that a match begins with. The pattern is tried only at these.
    - ``only``: "address" or "month" for a rule that is left out if the text has none, otherwise "".
    """

    name: str
    pattern: str
    build: Builder | None
    kinds: tuple[str, ...] = ()
    ahead: str = ""
    only: str = ""


class RuleTable:
    """Rules in their order. The first rule that matches at a position wins."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.builders = {rule.name: rule.build for rule in self.rules}
        self.kinds = tuple(dict.fromkeys(kind for rule in self.rules for kind in rule.kinds))
        self.pattern = lru_cache(maxsize=4)(self._compile)

    def _compile(self, with_addresses: bool, with_months: bool) -> re.Pattern[str]:
        """Compile the alternation of the rules.

        Rules for addresses or months are left out if the text has none.
        """
        left_out = {"address"} if not with_addresses else set()
        if not with_months:
            left_out.add("month")
        used_rules = [rule for rule in self.rules if rule.only not in left_out]
        return re.compile("|".join(_join_alternatives(used_rules)))


def _join_alternatives(rules: Iterable[Rule]) -> Iterator[str]:
    """Join adjacent rules that begin with the same characters, so they share one look-ahead."""
    for ahead, group in groupby(rules, lambda rule: rule.ahead):
        joined = "|".join(f"(?P<{rule.name}>{rule.pattern})" for rule in group)
        yield f"(?=[{ahead}])(?:{joined})" if ahead else joined

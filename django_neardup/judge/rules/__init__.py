"""The ordered table of rules: first ``IGNORING_RULES``, then ``RULES``.

The first rule that gives a difference a meaning wins.

The order is part of the judge: a term of the deal is ignored before its figures are read, a trigger noun makes a
price the item before prices are ignored.
"""

from __future__ import annotations

from .base import Rule
from .boilerplate import BoilerplateRule
from .figures import FigureRule, UnitRule
from .ignored import IgnoredClassRule, TermsRule
from .inserted import InsertedConditionRule, InsertedQualifierRule
from .items import ContactItemRule, NameItemRule, PriceItemRule
from .opposites import AntonymRule, DealRule, FunctionWordRule, NegationRule
from .replaced import BlockRule, GlyphRule, LetterRule, ReplacedItemRule, ReplacedWordRule

IGNORING_RULES: tuple[Rule, ...] = (TermsRule(), BoilerplateRule())
"""The first rules of all. They only ignore differences."""

RULES: tuple[Rule, ...] = (
    PriceItemRule(),
    ContactItemRule(),
    NameItemRule(),
    IgnoredClassRule(),
    FigureRule(),
    UnitRule(),
    DealRule(),
    AntonymRule(),
    FunctionWordRule(),
    NegationRule(),
    LetterRule(),
    GlyphRule(),
    ReplacedItemRule(),
    ReplacedWordRule(),
    InsertedConditionRule(),
    InsertedQualifierRule(),
    BlockRule(),
)

FIGURE_RULES: tuple[Rule, ...] = tuple(rule for rule in RULES if not rule.decides_by_words)
"""The rules that may decide in texts of any length, in their order."""

RULES_BEHIND_HEADS = frozenset(rule.name for rule in RULES[[rule.name for rule in RULES].index("letter") :])
"""Names of the rules of replaced and inserted words. A declared head comes before them."""

RULE_NAMES: tuple[str, ...] = (
    "sign",
    "role swap",
    "accent",
    "person",
    "part",
    "head",
    *(rule.name for rule in RULES if not isinstance(rule, IgnoredClassRule)),
)
"""Names of all rules that may find another item: those about aligned words and heads, then ``RULES``."""

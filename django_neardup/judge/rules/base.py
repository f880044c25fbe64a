"""A rule of the judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from ...text.alignment.gaps import Gap
from ..meanings import ANYWHERE, OTHER_ITEM, Meaning
from ..pair_context import PairContext

NARROW_GAP_WORDS = 3
MAX_GAP_WORDS = 8


class Rule(ABC):
    """A rule gives a difference its meaning, or leaves it to the rules behind it.

    Rules are asked only about gaps inside an aligned context (``PairContext.judged_gaps``).

    The examples in its docstring are its tests: ``a | b`` fires, ``a ~ b`` does not.
    """

    name: ClassVar[str]
    kind: ClassVar[str] = ""
    decides_by_words: ClassVar[bool] = True
    """Whether its meanings decide only where words do, see ``meanings.WORDS``."""

    @abstractmethod
    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        """Return the meaning of a gap. Return None if the rule says nothing about it."""

    def meaning(self, gap: Gap, kind: str = "", effect: str = OTHER_ITEM, decides: str = ANYWHERE) -> Meaning:
        return Meaning(gap, kind or self.kind, self.name, effect, decides)


def is_aligned(gap: Gap) -> bool:
    return gap.is_left_aligned and gap.is_right_aligned


def width(gap: Gap) -> int:
    """Return the number of words of the wider side."""
    return max(gap.end_a - gap.start_a, gap.end_b - gap.start_b)


def is_replaced(gap: Gap) -> bool:
    """Return whether both sides have words."""
    return gap.start_a < gap.end_a and gap.start_b < gap.end_b


def is_narrow(gap: Gap) -> bool:
    """Return whether a gap is small enough for a contradiction."""
    return width(gap) <= (MAX_GAP_WORDS if is_aligned(gap) else NARROW_GAP_WORDS)

"""Counts that stop at a bound: a page must not read a large table to say how large it is."""

from __future__ import annotations

from typing import Any

from django.utils.formats import number_format

MAX_COUNTED = 10_000
"""The largest number that is counted exactly."""


class BoundedCount(int):
    """A number of rows. If it is only known that there are at least so many, its text ends with a plus: "10 000+".

    This is so for every number above ``MAX_COUNTED``, and with ``is_least``.
    """

    is_least: bool

    def __new__(cls, number: int, is_least: bool = False) -> BoundedCount:
        count = super().__new__(cls, min(number, MAX_COUNTED + 1))
        count.is_least = is_least or number > MAX_COUNTED
        return count

    @classmethod
    def of(cls, queryset: Any) -> BoundedCount:
        """Count the rows of a queryset, but read at most one more than ``MAX_COUNTED``."""
        # The order does not matter for a number, and could cost a sort of all rows.
        return cls(queryset.order_by()[: MAX_COUNTED + 1].count())

    def __add__(self, other: int) -> BoundedCount:
        return BoundedCount(int(self) + other, self.is_least or getattr(other, "is_least", False))

    def __str__(self) -> str:
        if self.is_least:
            return f"{number_format(min(int(self), MAX_COUNTED), use_l10n=True, force_grouping=True)}+"
        return int.__repr__(self)

    @property
    def text(self) -> str:
        """Return the number as a text, for templates: they would group the digits of a number once more."""
        return str(self)

    __radd__ = __add__
    __hash__ = int.__hash__

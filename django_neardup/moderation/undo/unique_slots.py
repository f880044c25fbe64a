"""Unique slots: values that only one row may have, and the row that holds each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..unique_conflicts import RowValues, UniqueRule


class UniqueSlots:
    """The holders of the slots, by unique rules.

    With ``content_key``, rows of equal content share a slot too.
    """

    def __init__(self, rules: Sequence[UniqueRule], content_key: Callable[[RowValues], Any] | None) -> None:
        self.rules, self.content_key = rules, content_key
        self._holders: dict[tuple[UniqueRule | None, Any], Any] = {}
        self._original_holders: dict[tuple[UniqueRule | None, Any], Any] = {}

    def occupy(self, row: RowValues) -> None:
        """Let the row hold its slots that are free."""
        keys: list[tuple[UniqueRule | None, Any]] = [(rule, rule.unique_values(row)) for rule in self.rules]
        if self.content_key is not None:
            keys.append((None, self.content_key(row)))
        for key in keys:
            self._holders.setdefault(key, row["pk"])
            self._original_holders.setdefault(key, row["pk"])

    def release(self, pk: Any) -> None:
        """Free all slots of the row."""
        self._holders = {key: holder for key, holder in self._holders.items() if holder != pk}

    def violated_rules(self, row: RowValues) -> list[UniqueRule]:
        """Return the rules by which another row holds a slot of this row."""
        keys = ((rule, rule.unique_values(row)) for rule in self.rules)
        return [rule for rule, key in keys if key is not None and (rule, key) in self._holders]

    def has_equal_row(self, row: RowValues) -> bool:
        """Return whether a row of the same content exists."""
        return self.content_key is not None and (None, self.content_key(row)) in self._holders

    def current_holders(self, row: RowValues, rules: Iterable[UniqueRule]) -> tuple[Any, ...]:
        """Return the rows that hold the slots of this row."""
        return tuple(dict.fromkeys(self._holders[rule, rule.unique_values(row)] for rule in rules))

    def original_holders(self, row: RowValues, rules: Iterable[UniqueRule]) -> tuple[Any, ...]:
        """Return the rows that would hold the slots of this row if no slot had been freed."""
        return tuple(dict.fromkeys(self._original_holders[rule, rule.unique_values(row)] for rule in rules))

"""Places that only one row may have, and which row has each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .clashes import Row, Unique


class Places:
    """Who holds what: by the rules of uniqueness, and by ``content``, where rows of equal content count as one."""

    def __init__(self, rules: Sequence[Unique], content: Callable[[Row], Any] | None) -> None:
        self.rules, self.content = rules, content
        self._holders: dict[tuple[Unique | None, Any], Any] = {}
        self._first: dict[tuple[Unique | None, Any], Any] = {}

    def take(self, row: Row) -> None:
        """Let the row have its places, as far as they are free."""
        keys: list[tuple[Unique | None, Any]] = [(rule, rule.key(row)) for rule in self.rules]
        if self.content is not None:
            keys.append((None, self.content(row)))
        for key in keys:
            self._holders.setdefault(key, row["pk"])
            self._first.setdefault(key, row["pk"])

    def free(self, pk: Any) -> None:
        """Let that row have no place any more."""
        self._holders = {key: holder for key, holder in self._holders.items() if holder != pk}

    def broken(self, row: Row) -> list[Unique]:
        """The rules by which another row has the place of this one."""
        keys = ((rule, rule.key(row)) for rule in self.rules)
        return [rule for rule, key in keys if key is not None and (rule, key) in self._holders]

    def has_equal(self, row: Row) -> bool:
        """Whether a row of the same content is there."""
        return self.content is not None and (None, self.content(row)) in self._holders

    def holders(self, row: Row, rules: Iterable[Unique]) -> tuple[Any, ...]:
        """The rows that have the places of this one."""
        return tuple(dict.fromkeys(self._holders[rule, rule.key(row)] for rule in rules))

    def first(self, row: Row, rules: Iterable[Unique]) -> tuple[Any, ...]:
        """The rows that would have them if nothing had been freed."""
        return tuple(dict.fromkeys(self._first[rule, rule.key(row)] for rule in rules))

"""What is stored of two objects beside their texts, as a report tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .meeting import Met
from .pieces import showable

if TYPE_CHECKING:
    from .compare import Held
    from .labels import Labels


class Said(NamedTuple):
    """What a person decided: `kind` "same" or "different", `when` a date, `withdrawn` whether it was taken back."""

    kind: str
    by: str
    when: str
    note: str
    withdrawn: bool


@dataclass(frozen=True)
class Known:
    """`met`: keys that meet, None where it cannot be told.  `identity`: declared fields, each "equal", "unequal" or
    "unknown" (not both are given).  `author`: the same word.  `first`: who was seen first, "A", "B" or ""."""

    met: Met | None
    identity: tuple[tuple[str, str], ...]
    phrases: Held
    author: str
    first: str
    decisions: tuple[Said, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "keys": None if self.met is None else {**self.met._asdict(), "kinds": dict(self.met.kinds)},
            "identity": dict(self.identity),
            "phrases": {
                "equal": list(self.phrases.equal),
                "only_a": list(self.phrases.only_a),
                "only_b": list(self.phrases.only_b),
            },
            "author": self.author,
            "first_seen": self.first,
            "decisions": [each._asdict() for each in self.decisions],
        }

    def rows(self, labels: Labels) -> Iterator[tuple[str, str]]:
        """What it is of, and what is known, in words."""
        if self.met is not None:
            yield labels.heading("keys"), labels.keys(self.met)
        for name, state in self.identity:
            yield showable(name), labels.heading(state)
        if self.phrases:
            told = "; ".join(
                f"{where}: {', '.join(items)}" for where, items in labels.held("phrases", self.phrases)
            )
            yield labels.heading("phrases"), told
        yield labels.heading("author"), labels.heading(self.author)
        if self.first:
            yield labels.heading("first"), self.first
        for each in self.decisions:
            yield labels.heading("decided"), labels.said(each)

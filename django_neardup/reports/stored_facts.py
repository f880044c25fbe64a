"""Stored facts about two objects, apart from their texts, for a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .segments import replace_control_characters
from .shared_keys import SharedKeys

if TYPE_CHECKING:
    from .labels import ComparisonLabels
    from .text_comparison import SharedValues


class PastDecision(NamedTuple):
    """A person's decision: ``kind`` is "same" or "different", ``when`` a date."""

    kind: str
    by: str
    when: str
    note: str
    is_withdrawn: bool

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "kind": self.kind,
            "by": self.by,
            "when": self.when,
            "note": self.note,
            "withdrawn": self.is_withdrawn,
        }


@dataclass(frozen=True)
class StoredFacts:
    """Stored facts about two objects.

    - ``shared_keys``: equal keys, None if they cannot be determined
    - ``identity``: declared fields, each "equal", "unequal" or "unknown" (a value is missing)
    - ``author``: one of the same words
    - ``first_seen``: which was seen first, "A", "B" or ""
    """

    shared_keys: SharedKeys | None
    identity: tuple[tuple[str, str], ...]
    phrases: SharedValues
    author: str
    first_seen: str
    decisions: tuple[PastDecision, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "keys": None
            if self.shared_keys is None
            else {**self.shared_keys._asdict(), "kinds": dict(self.shared_keys.kinds)},
            "identity": dict(self.identity),
            "phrases": {
                "equal": list(self.phrases.equal),
                "only_a": list(self.phrases.only_a),
                "only_b": list(self.phrases.only_b),
            },
            "author": self.author,
            "first_seen": self.first_seen,
            "decisions": [decision.as_dict() for decision in self.decisions],
        }

    def labelled_rows(self, labels: ComparisonLabels) -> Iterator[tuple[str, str]]:
        """Yield the label of each fact and the fact in words."""
        if self.shared_keys is not None:
            yield labels.heading("keys"), labels.shared_keys_text(self.shared_keys)
        for name, state in self.identity:
            yield replace_control_characters(name), labels.heading(state)
        if self.phrases:
            phrases = "; ".join(
                f"{location}: {', '.join(items)}"
                for location, items in labels.listed_values("phrases", self.phrases)
            )
            yield labels.heading("phrases"), phrases
        yield labels.heading("author"), labels.heading(self.author)
        if self.first_seen:
            yield labels.heading("first"), self.first_seen
        for decision in self.decisions:
            yield labels.heading("decided"), labels.decision_text(decision)

"""The contract of an algorithm, and the judgement it gives of two texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..text.difference import Difference, Passage
from ..text.document import Document

VERDICTS = ("duplicate", "variant", "contained", "related", "none")
EVIDENCE_ITEMS = 40


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to be said of two texts.

    `verdict`: `duplicate` (one item, one text but for small edits), `variant` (alike, but of another item),
    `contained` (one holds most of the other), `related` (less alike) or `none`.
    `score`: likeness, 0..1.  `containment_a`: share of a that b holds, 0..1; `containment_b` the other way.
    `exact`: the canonical texts are equal.  `classes`: sorted classes of the differences that decide.
    """

    verdict: str
    score: float
    containment_a: float = 0.0
    containment_b: float = 0.0
    exact: bool = False
    differences: tuple[Difference, ...] = ()
    passages: tuple[Passage, ...] = ()
    classes: tuple[str, ...] = ()

    @property
    def offered(self) -> bool:
        """Whether a person is to see the pair."""
        return self.verdict != "none"

    def swapped(self) -> Judgement:
        """The same seen from b."""
        return replace(
            self,
            containment_a=self.containment_b,
            containment_b=self.containment_a,
            differences=tuple(sorted((d.swapped() for d in self.differences), key=_place)),
            passages=tuple(sorted((p.swapped() for p in self.passages), key=lambda item: (item.a, item.b))),
        )

    def evidence(self) -> dict[str, Any]:
        """JSON-able reasons of bounded size: classes, at most 40 differences (deciding ones first) and 40 passages."""
        shown = sorted(self.differences, key=lambda item: not item.decides)[:EVIDENCE_ITEMS]
        longest = sorted(self.passages, key=lambda item: -item.words)[:EVIDENCE_ITEMS]
        return {
            "exact": self.exact,
            "classes": list(self.classes),
            "differences": [item.as_dict() for item in sorted(shown, key=_place)],
            "passages": [item.as_dict() for item in sorted(longest, key=lambda item: (item.a, item.b))],
            "omitted": len(self.differences) - len(shown) + len(self.passages) - len(longest),
        }


def _place(item: Difference) -> tuple[tuple[int, int], tuple[int, int]]:
    return item.a, item.b


class Algorithm(ABC):
    """Keys to find candidates by, a payload to measure them on, and a judgement of two texts.

    Flags: `min_shared`, how many keys a candidate must share; `needs_text`, `judge` reads the texts, not the payloads
    alone; `needs_statistics`, keys depend on a collection's statistics; `metric`, 1 - score is a metric;
    `supports_containment`, the judgement tells a text held by another.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    min_shared: int = 1
    needs_text: ClassVar[bool] = False
    needs_statistics: ClassVar[bool] = False
    metric: ClassVar[bool] = False
    supports_containment: ClassVar[bool] = False

    def __init__(self, *, duplicate: float = 0.7, review: float = 0.5) -> None:
        self.duplicate, self.review = duplicate, review

    @abstractmethod
    def keys(self, document: Document) -> list[int]:
        """Distinct unsigned 64-bit keys; texts that share `min_shared` of them are candidates.  [] for an empty one."""

    @abstractmethod
    def pack(self, document: Document) -> bytes:
        """What the measure needs of a text."""

    @abstractmethod
    def measure(self, a: bytes, b: bytes) -> float:
        """Likeness, 0..1, of two texts by their payloads."""

    def screen(self, a: bytes, b: bytes) -> float:
        """A cheap likeness, 0..1, by which candidates are put in order before they are judged."""
        return self.measure(a, b)

    def passes(self, screened: float, shared_keys: int, words_a: int, words_b: int) -> bool:
        """Whether a candidate deserves to be judged."""
        return shared_keys >= self.min_shared and screened >= self.review

    def judge(self, a: Document, b: Document) -> Judgement:
        """The verdict on two texts; here by the thresholds on the measure alone."""
        if not len(a) or not len(b):
            return Judgement("none", 0.0)
        score = self.measure(self.pack(a), self.pack(b))
        verdict = "duplicate" if score >= self.duplicate else "related" if score >= self.review else "none"
        return Judgement(verdict, score, exact=a.exact == b.exact)

    def parameters(self) -> dict[str, Any]:
        """All that changes keys, payloads or verdicts, JSON-able: it is stored with the scheme."""
        return {
            "algorithm": self.name,
            "version": self.version,
            "duplicate": self.duplicate,
            "review": self.review,
        }

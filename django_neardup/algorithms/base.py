"""The contract of an algorithm, and the judgement it gives of two texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from ..text.alignment.align import align, is_second
from ..text.alignment.differences import Difference, Passage, find_differences, find_passages
from ..text.alignment.variant_guard import Contradiction
from ..text.alignment.word_classes import IGNORED_CLASSES
from ..text.canonical_text import CanonicalText
from .statistics import TermStatistics
from .verdict import find_decisive_contradictions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..text.batch import Batch
    from .kernels.signatures import Signatures

VERDICTS = ("duplicate", "variant", "contained", "related", "none")
MAX_EVIDENCE_ITEMS = 40
VECTORIZED_METHODS = {
    "sign_batch": ("keys", "payload"),
    "measure_pairs": ("measure",),
    "screen_pairs": ("measure", "screen"),
    "should_judge_many": ("should_judge",),
}
"""Methods that do for many texts what others do for one."""


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
    def is_similar(self) -> bool:
        """Whether a person is to see the pair."""
        return self.verdict != "none"

    def swap_sides(self) -> Judgement:
        """The same seen from b."""
        return replace(
            self,
            containment_a=self.containment_b,
            containment_b=self.containment_a,
            differences=tuple(sorted((d.swap_sides() for d in self.differences), key=_difference_order)),
            passages=tuple(
                sorted(
                    (p.swap_sides() for p in self.passages),
                    key=lambda item: (item.token_range_a, item.token_range_b),
                )
            ),
        )

    def evidence(self) -> dict[str, Any]:
        """JSON-able reasons of bounded size: classes, at most 40 differences (deciding ones first) and 40 passages."""
        shown = sorted(self.differences, key=lambda item: not item.is_decisive)[:MAX_EVIDENCE_ITEMS]
        longest = sorted(self.passages, key=lambda item: -item.word_count)[:MAX_EVIDENCE_ITEMS]
        return {
            "exact": self.exact,
            "classes": list(self.classes),
            "differences": [item.as_dict() for item in sorted(shown, key=_difference_order)],
            "passages": [
                item.as_dict()
                for item in sorted(longest, key=lambda item: (item.token_range_a, item.token_range_b))
            ],
            "omitted": len(self.differences) - len(shown) + len(self.passages) - len(longest),
        }


def _difference_order(difference: Difference) -> tuple[tuple[int, int], tuple[int, int]]:
    return difference.token_range_a, difference.token_range_b


class Algorithm(ABC):
    """Keys to find candidates by, a payload to measure them on, and a judgement of two texts.

    Flags: `min_shared`, how many keys a candidate must share; `limit`, how many candidates are looked at, those that
    share most keys (None: all); `needs_text`, `judge` reads the texts, not the payloads alone; `needs_statistics`,
    keys depend on a collection's statistics; `uses_statistics`, they do so where those are given; `metric`, 1 - score
    is a metric; `supports_containment`, the judgement tells a text held by another; `batch`, no signature at all: it
    refines the candidates of a whole collection, so that it is of use to the bench alone.

    Arguments: `duplicate` and `review`, the least scores of those verdicts; `guard`, whether an alignment of the two
    texts says what differs, and contradicting codes, numbers and names make a `variant` of a `duplicate`;
    `word_guard`, whether other nouns and adjectives do so too; `ignored_differences`, classes of differences that
    never decide; `statistics`, those of a collection, for the algorithms that need or use them.  A subclass names
    arguments of its own in `options`, and keeps each as an attribute of that name.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    options: ClassVar[tuple[str, ...]] = ()
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.5
    min_shared: int = 1
    limit: int | None = None
    needs_text: bool = False
    needs_statistics: ClassVar[bool] = False
    uses_statistics: ClassVar[bool] = False
    is_metric: ClassVar[bool] = False
    supports_containment: bool = False
    bench_only: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Whoever needs statistics uses them; a class with keys of its own does not sign many as its parent does."""
        super().__init_subclass__(**kwargs)
        cls.uses_statistics = cls.uses_statistics or cls.needs_statistics
        for many, of_one in VECTORIZED_METHODS.items():
            if many not in vars(cls) and not vars(cls).keys().isdisjoint(of_one):
                setattr(cls, many, getattr(Algorithm, many))

    def __init__(
        self,
        *,
        duplicate: float | None = None,
        review: float | None = None,
        guard: bool = False,
        word_guard: bool = True,
        ignored_differences: Iterable[str] = IGNORED_CLASSES,
        statistics: TermStatistics | None = None,
    ) -> None:
        self.duplicate = self.default_duplicate if duplicate is None else duplicate
        self.review = min(self.default_review, self.duplicate) if review is None else review
        self.guard, self.word_guard, self.ignored_differences = guard, word_guard, tuple(ignored_differences)
        self.statistics = statistics
        self._payload_cache: WeakKeyDictionary[CanonicalText, bytes] = WeakKeyDictionary()

    @abstractmethod
    def keys(self, text: CanonicalText) -> list[int]:
        """Distinct unsigned 64-bit keys; texts that share `min_shared` of them are candidates.  [] for an empty one."""

    def keys_by_kind(self, text: CanonicalText) -> dict[str, set[int]]:
        """The same by what each stands for, where the algorithm has keys of several kinds."""
        return {"keys": set(self.keys(text))}

    def duplicate_threshold(self, shorter_word_count: int) -> float:
        """The score from which texts are taken for one; `words`: how many the shorter of them has."""
        return self.duplicate

    @abstractmethod
    def payload(self, text: CanonicalText) -> bytes:
        """What the measure needs of a text."""

    def cached_payload(self, text: CanonicalText) -> bytes:
        """`pack`, once a document."""
        found = self._payload_cache.get(text)
        if found is None:
            found = self._payload_cache[text] = self.payload(text)
        return found

    def sign_batch(self, batch: Batch) -> Signatures:
        """`keys` and `pack` of every text of a batch; here one after another."""
        from .kernels.signatures import Signatures

        documents = [batch.document(number) for number in range(len(batch))]
        return Signatures.from_texts(
            map(self.keys, documents), [self.cached_payload(each) for each in documents]
        )

    @abstractmethod
    def measure(self, a: bytes, b: bytes) -> float:
        """Likeness, 0..1, of two texts by their payloads."""

    def measure_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        """`measure` of many pairs, whose sides stand in two sequences."""
        import numpy as np

        return np.array([self.measure(a, b) for a, b in zip(payloads_a, payloads_b, strict=True)], np.float64)

    def screen(self, a: bytes, b: bytes) -> float:
        """A cheap likeness, 0..1, by which candidates are put in order before they are judged."""
        return self.measure(a, b)

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        """Whether a candidate deserves to be judged."""
        return shared_keys >= self.min_shared and screening_score >= self.review

    def screen_many(self, payload: bytes, payloads: Sequence[bytes]) -> NDArray[np.float64]:
        """`screen` of one text against each of the others, in their order."""
        return self.screen_pairs([payload] * len(payloads), payloads)

    def screen_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        """`screen` of many pairs, whose sides stand in two sequences; pairs of one left side best stand together."""
        import numpy as np

        return np.array([self.screen(a, b) for a, b in zip(payloads_a, payloads_b, strict=True)], np.float64)

    def should_judge_many(
        self,
        screening_scores: ArrayLike,
        shared_keys: ArrayLike,
        word_count_a: ArrayLike,
        word_count_b: ArrayLike,
    ) -> NDArray[np.bool_]:
        """`passes` of many candidates; what is one number for all of them may be given as one."""
        import numpy as np

        columns = np.broadcast_arrays(
            np.atleast_1d(screening_scores), shared_keys, word_count_a, word_count_b
        )
        rows = zip(*(column.tolist() for column in columns))
        return np.array([self.should_judge(*row) for row in rows], np.bool_)

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        """The verdict on two texts: the algorithm's own, then the guard's where it is on."""
        if is_second(a, b):
            return self._judge_ordered(b, a).swap_sides()
        return self._judge_ordered(a, b)

    def _judge_ordered(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        if not len(a) or not len(b):
            return Judgement("none", 0.0)
        if a.exact_digest == b.exact_digest:
            return Judgement("duplicate", 1.0, 1.0, 1.0, exact=True)
        own = self.compare(a, b)
        return self._apply_guard(own, a, b) if self.guard and own.is_similar else own

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        """The algorithm's own verdict on two unlike texts with words, `a` not the longer; here by the measure alone."""
        return self.judge_by_score(self.measure(self.cached_payload(a), self.cached_payload(b)))

    def judge_by_score(self, score: float) -> Judgement:
        """A judgement by the thresholds."""
        verdict = "duplicate" if score >= self.duplicate else "related" if score >= self.review else "none"
        return Judgement(verdict, score)

    def _apply_guard(self, judgement: Judgement, a: CanonicalText, b: CanonicalText) -> Judgement:
        """What the alignment of the texts adds: evidence, and `variant` where they contradict one another."""
        alignment = align(a, b)
        decisive: tuple[Contradiction, ...] = ()
        if judgement.verdict == "duplicate":
            decisive = find_decisive_contradictions(
                a, b, alignment, self.word_guard, self.ignored_differences
            )
        return replace(
            judgement,
            verdict="variant" if decisive else judgement.verdict,
            containment_a=alignment.containment_a,
            containment_b=alignment.containment_b,
            differences=tuple(find_differences(a, b, alignment, decisive)),
            passages=tuple(find_passages(a, b, alignment)),
            classes=tuple(sorted({item.kind for item in decisive})),
        )

    def parameters(self) -> dict[str, Any]:
        """All that changes keys, payloads or verdicts, JSON-able: it is stored with the scheme."""
        made = {
            "algorithm": self.name,
            "version": self.version,
            "duplicate": self.duplicate,
            "review": self.review,
            "guard": self.guard,
            "word_guard": self.word_guard,
            "ignored_differences": sorted(self.ignored_differences),
            **{name: getattr(self, name) for name in self.options},
        }
        if self.needs_statistics or (self.uses_statistics and self.statistics):
            made["statistics"] = self.statistics.digest if self.statistics else None
        return made

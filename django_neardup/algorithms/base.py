"""The interface of an algorithm, and its judgement of two texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from ..judge.boilerplate_snapshot import BoilerplateSnapshot
from ..judge.certainty import ADVERTS, certainty_of
from ..judge.differences import Difference, Passage, find_differences, find_passages
from ..judge.meanings import Meaning
from ..judge.pair_context import PairContext
from ..judge.verdict import decisive_meanings, find_meanings
from ..judge.word_classes import IGNORED_CLASSES
from ..text.alignment.align import align, is_second
from ..text.canonical_text import CanonicalText
from .statistics import TermStatistics

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
"""Methods that do for many texts what the listed methods do for one."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of a comparison of two texts.

    - ``verdict``: ``duplicate`` (one item, the same text apart from small edits), ``variant`` (similar, but
      about another item), ``contained`` (one text has most of the other), ``related`` (less similar) or
      ``none``.
    - ``score``: similarity, 0..1.
    - ``containment_a``: share of a that is in b, 0..1. ``containment_b``: the other way round.
    - ``exact``: the canonical texts are equal.
    - ``classes``: sorted classes of the decisive differences.
    - ``doubtful``: a ``variant`` that may be one item, or a ``related`` pair that may be (``judge/certainty.py``).
    - ``shares_only_boilerplate``: what the texts have in common is the site's boilerplate.
    """

    verdict: str
    score: float
    containment_a: float = 0.0
    containment_b: float = 0.0
    exact: bool = False
    differences: tuple[Difference, ...] = ()
    passages: tuple[Passage, ...] = ()
    classes: tuple[str, ...] = ()
    doubtful: bool = False
    shares_only_boilerplate: bool = False

    @property
    def certainty(self) -> str:
        """How sure the verdict is: "sure" or "maybe"."""
        return "maybe" if self.doubtful else "sure"

    @property
    def is_similar(self) -> bool:
        """Whether the pair is shown to people."""
        return self.verdict != "none"

    def swap_sides(self) -> Judgement:
        """Return the same judgement with a and b swapped."""
        return replace(
            self,
            containment_a=self.containment_b,
            containment_b=self.containment_a,
            differences=tuple(
                sorted((difference.swap_sides() for difference in self.differences), key=_difference_order)
            ),
            passages=tuple(
                sorted(
                    (passage.swap_sides() for passage in self.passages),
                    key=lambda item: (item.token_range_a, item.token_range_b),
                )
            ),
        )

    def evidence(self) -> dict[str, Any]:
        """Return the reasons, ready for JSON and of limited size.

        They are the certainty, the classes, at most 40 differences (decisive ones first) and at most 40 passages.
        """
        shown = sorted(self.differences, key=lambda item: not item.is_decisive)[:MAX_EVIDENCE_ITEMS]
        longest = sorted(self.passages, key=lambda passage: -passage.word_count)[:MAX_EVIDENCE_ITEMS]
        return {
            "exact": self.exact,
            "certainty": self.certainty,
            "classes": list(self.classes),
            "differences": [item.as_dict() for item in sorted(shown, key=_difference_order)],
            "passages": [
                item.as_dict()
                for item in sorted(longest, key=lambda item: (item.token_range_a, item.token_range_b))
            ],
            "omitted": len(self.differences) - len(shown) + len(self.passages) - len(longest),
        }


def are_exact_copies(a: CanonicalText, b: CanonicalText) -> bool:
    """Return whether two texts are equal apart from what carries no meaning, and from emoji that one of them has."""
    return a.exact_digest == b.exact_digest or _differ_in_decoration(a, b)


def _differ_in_decoration(a: CanonicalText, b: CanonicalText) -> bool:
    """Return whether two texts are equal apart from emoji that only one of them has."""
    if not (a.may_be_decorated or b.may_be_decorated) or a.hashes != b.hashes:
        return False
    (is_decorated_a, rest_a), (is_decorated_b, rest_b) = a.decoration_and_rest(), b.decoration_and_rest()
    return rest_a == rest_b and is_decorated_a != is_decorated_b


def _difference_order(difference: Difference) -> tuple[tuple[int, int], tuple[int, int]]:
    return difference.token_range_a, difference.token_range_b


class Algorithm(ABC):
    """An algorithm: keys that find candidates, a payload to measure them, and a judgement of two texts.

    Flags:

    - ``min_shared``: number of keys that a candidate must share.
    - ``limit``: number of candidates that are examined, with the most shared keys first. None means all.
    - ``needs_text``: ``judge`` reads the texts, not only the payloads.
    - ``needs_statistics``: keys depend on the statistics of a collection.
    - ``uses_statistics``: keys depend on statistics if they are given.
    - ``is_metric``: 1 - score is a metric.
    - ``supports_containment``: the judgement detects that one text contains the other.
    - ``bench_only``: there is no signature. The algorithm refines the candidates of a whole collection, so
      only the bench can use it.
    - ``site_kind``: the kind of site for which rules and model are calibrated (``judge/certainty.py``).

    Arguments:

    - ``duplicate`` and ``review``: the lowest scores of these verdicts.
    - ``guard``: whether an alignment of the texts gives the differences. Contradicting codes, numbers and
      names then turn a ``duplicate`` into a ``variant``.
    - ``word_guard``: whether other nouns and adjectives do so too.
    - ``ignored_differences``: classes of differences that never decide.
    - ``statistics``: of a collection, for the algorithms that need or use them.

    ``boilerplate``: the snapshot of the site's boilerplate, or None. A site sets it, and ``judge_on_site`` applies it.

    A subclass lists its own arguments in ``options``, and stores each as an attribute of that name.
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
    site_kind: ClassVar[str] = ADVERTS

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Complete the class: needing statistics includes using them."""
        super().__init_subclass__(**kwargs)
        cls.uses_statistics = cls.uses_statistics or cls.needs_statistics
        for vectorized, single_methods in VECTORIZED_METHODS.items():
            # A class that overrides a method for one text must not inherit its parent's method for many.
            if vectorized not in vars(cls) and not vars(cls).keys().isdisjoint(single_methods):
                setattr(cls, vectorized, getattr(Algorithm, vectorized))

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
        self.boilerplate: BoilerplateSnapshot | None = None
        self._payload_cache: WeakKeyDictionary[CanonicalText, bytes] = WeakKeyDictionary()

    @abstractmethod
    def keys(self, text: CanonicalText) -> list[int]:
        """Return distinct unsigned 64-bit keys. Texts that share ``min_shared`` of them are candidates.

        Return [] for an empty text.
        """

    def keys_by_kind(self, text: CanonicalText) -> dict[str, set[int]]:
        """Return the keys by kind, for algorithms with several kinds of keys."""
        return {"keys": set(self.keys(text))}

    def duplicate_threshold(self, shorter_word_count: int) -> float:
        """Return the lowest score of a duplicate.

        ``shorter_word_count``: the number of words of the shorter text.
        """
        return self.duplicate

    @abstractmethod
    def payload(self, text: CanonicalText) -> bytes:
        """Return the data of a text that the measure needs."""

    def cached_payload(self, text: CanonicalText) -> bytes:
        """Return ``payload``, computed once per text."""
        payload = self._payload_cache.get(text)
        if payload is None:
            payload = self._payload_cache[text] = self.payload(text)
        return payload

    def sign_batch(self, batch: Batch) -> Signatures:
        """Return ``keys`` and ``payload`` of every text of a batch.

        This implementation signs one after another.
        """
        from .kernels.signatures import Signatures

        texts = [batch.document(number) for number in range(len(batch))]
        return Signatures.from_texts(map(self.keys, texts), [self.cached_payload(text) for text in texts])

    @abstractmethod
    def measure(self, a: bytes, b: bytes) -> float:
        """Return the similarity, 0..1, of two texts by their payloads."""

    def measure_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        """Return ``measure`` of many pairs. Their sides are in two sequences."""
        import numpy as np

        return np.array([self.measure(a, b) for a, b in zip(payloads_a, payloads_b, strict=True)], np.float64)

    def screen(self, a: bytes, b: bytes) -> float:
        """Return a cheap similarity, 0..1, by which candidates are ordered before they are judged."""
        return self.measure(a, b)

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        """Return whether a candidate is similar enough to be judged."""
        return shared_keys >= self.min_shared and screening_score >= self.review

    def screen_many(self, payload: bytes, payloads: Sequence[bytes]) -> NDArray[np.float64]:
        """Return ``screen`` of one text with each of the others, in their order."""
        return self.screen_pairs([payload] * len(payloads), payloads)

    def screen_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        """Return ``screen`` of many pairs. Their sides are in two sequences.

        It is fastest if pairs with the same left side stand together.
        """
        import numpy as np

        return np.array([self.screen(a, b) for a, b in zip(payloads_a, payloads_b, strict=True)], np.float64)

    def should_judge_many(
        self,
        screening_scores: ArrayLike,
        shared_keys: ArrayLike,
        word_count_a: ArrayLike,
        word_count_b: ArrayLike,
    ) -> NDArray[np.bool_]:
        """Return ``should_judge`` of many candidates.

        A value that is the same for all may be a single number.
        """
        import numpy as np

        columns = np.broadcast_arrays(
            np.atleast_1d(screening_scores), shared_keys, word_count_a, word_count_b
        )
        rows = zip(*(column.tolist() for column in columns))
        return np.array([self.should_judge(*row) for row in rows], np.bool_)

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        """Return the verdict on two texts: the algorithm's own, then the guard's if it is on."""
        if is_second(a, b):
            return self._judge_ordered(b, a).swap_sides()
        return self._judge_ordered(a, b)

    def _judge_ordered(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        if not len(a) or not len(b):
            return Judgement("none", 0.0)
        if are_exact_copies(a, b):
            return Judgement("duplicate", 1.0, 1.0, 1.0, exact=True)
        judgement = self.compare(a, b)
        return self._apply_guard(judgement, a, b) if self.guard and judgement.is_similar else judgement

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        """Return the algorithm's own verdict on two different texts with words. ``a`` is not the longer one.

        This implementation uses the measure only.
        """
        return self.judge_by_score(self.measure(self.cached_payload(a), self.cached_payload(b)))

    def judge_by_score(self, score: float) -> Judgement:
        """Return a judgement by the thresholds."""
        verdict = "duplicate" if score >= self.duplicate else "related" if score >= self.review else "none"
        return Judgement(verdict, score)

    def _apply_guard(self, judgement: Judgement, a: CanonicalText, b: CanonicalText) -> Judgement:
        """Add evidence from the alignment, and the verdict ``variant`` if the texts contradict each other."""
        alignment = align(a, b)
        decisive: tuple[Meaning, ...] = ()
        doubtful, certainty = False, certainty_of(self.site_kind)
        if judgement.verdict == "duplicate":
            context = PairContext.build(a, b, alignment, self.word_guard, self.ignored_differences)
            decisive = decisive_meanings(context, find_meanings(context, certainty))
            sure = certainty.only_sure(decisive, context.shorter_length)
            decisive, doubtful = sure or decisive, bool(decisive) and not sure
        return replace(
            judgement,
            verdict="variant" if decisive else judgement.verdict,
            doubtful=doubtful,
            containment_a=alignment.containment_a,
            containment_b=alignment.containment_b,
            differences=tuple(find_differences(a, b, alignment, decisive)),
            passages=tuple(find_passages(a, b, alignment)),
            classes=tuple(sorted({item.kind for item in decisive})),
        )

    def parameters(self) -> dict[str, Any]:
        """Return everything that changes keys, payloads or verdicts, ready for JSON.

        It is stored with the scheme.
        """
        values = {
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
            values["statistics"] = self.statistics.digest if self.statistics else None
        return values

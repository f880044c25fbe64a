"""Frozen statistics of a collection, for the algorithms that weigh words by how rare they are.

A snapshot is gathered once and never changes. Other statistics make another scheme: equal texts have equal
keys only under the same statistics. Words are the keys of tokens (lemmas, numbers, codes). A word outside
the snapshot counts as occurring once, in a single text.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..text.canonical_text import CanonicalText
from .statistics_builder import StatisticsCollector, count_words

FORMAT_VERSION = 1


class StatisticsMissing(ValueError):
    """An algorithm needs the statistics of a collection and has none."""


@dataclass(frozen=True)
class TermStatistics:
    """Word counts of a collection.

    - ``text_count``: N, the number of texts
    - ``average_length``: the mean number of words in a text
    - ``terms``: for each word in more than one text, the number of these texts and the number of all its
      occurrences
    - ``support_thresholds``: the words that describe texts best (for ``descr-words``), each with its threshold
      on the frequency within a text
    """

    text_count: int
    average_length: float
    terms: Mapping[str, tuple[int, int]]
    support_thresholds: Mapping[str, float] = field(default_factory=dict)

    def document_frequency(self, word: str) -> int:
        """Return df, the number of texts that contain the word: 1..N."""
        return self.terms.get(word, (1, 1))[0]

    def collection_frequency(self, word: str) -> int:
        """Return cf, the number of occurrences of the word: at least df."""
        return self.terms.get(word, (1, 1))[1]

    @cached_property
    def digest(self) -> str:
        """Return 32 hexadecimal digits that identify these statistics in a scheme.

        The order of texts and words does not matter.
        """
        return hashlib.blake2b(self._serialize(), digest_size=16).hexdigest()

    @classmethod
    def gather(cls, canonical_texts: Iterable[CanonicalText]) -> TermStatistics:
        """Gather the statistics of texts in one pass.

        The order of texts does not matter. Texts without words do not count. No text is kept, except a
        sample of 2000 for choosing ``support_thresholds``. The sample holds the texts with the least digests,
        each with at most its 400 most frequent words.
        """
        collector = StatisticsCollector()
        for text in canonical_texts:
            collector.add(text)
        text_count = collector.text_count
        terms = {word: (counts[0], counts[1]) for word, counts in collector.counts.items()}
        return cls(
            text_count,
            collector.word_count / text_count if text_count else 0.0,
            terms,
            collector.support_thresholds(),
        )

    def pack(self) -> bytes:
        """Return the snapshot as compressed bytes. Equal statistics give equal bytes."""
        # A fixed level, because equal statistics must give equal bytes.
        return zlib.compress(self._serialize(), 6)

    @classmethod
    def unpack(cls, data: bytes) -> TermStatistics:
        """Return the statistics that ``pack`` stored. Raise ValueError for any other bytes."""
        try:
            return cls._from_data(json.loads(zlib.decompress(data)))
        # Deeply nested JSON raises RecursionError. A JSON error is a ValueError already.
        except (zlib.error, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"these bytes are no statistics: {error}") from error

    @classmethod
    def _from_data(cls, data: Any) -> TermStatistics:
        if not isinstance(data, dict) or data.get("format") != FORMAT_VERSION:
            raise ValueError(f"these are no statistics of format {FORMAT_VERSION}")
        parts: list[Any] = [data.get(name) for name in ("documents", "average_length", "terms", "support")]
        text_count, average_length, terms, thresholds = parts
        has_valid_shape = (
            _is_count(text_count) and _is_nonnegative(average_length) and isinstance(terms, dict)
        )
        if (
            not has_valid_shape
            or not isinstance(thresholds, dict)
            or not all(map(_is_nonnegative, thresholds.values()))
        ):
            raise ValueError("statistics of a wrong shape")
        if not all(_is_term_counts(counts, text_count) for counts in terms.values()):
            raise ValueError("a word of the statistics has senseless counts")
        counts_by_word = {
            word: (texts_with_word, occurrences) for word, (texts_with_word, occurrences) in terms.items()
        }
        return cls(
            text_count,
            float(average_length),
            counts_by_word,
            {word: float(threshold) for word, threshold in thresholds.items()},
        )

    def _serialize(self) -> bytes:
        snapshot = {
            "format": FORMAT_VERSION,
            "documents": self.text_count,
            "average_length": float(self.average_length),
            "terms": {word: list(counts) for word, counts in self.terms.items()},
            "support": {word: float(threshold) for word, threshold in self.support_thresholds.items()},
        }
        # Sorted, because the digest must not depend on the order in which words were counted.
        return json.dumps(snapshot, sort_keys=True, separators=(",", ":")).encode("ascii")


def require_statistics(statistics: TermStatistics | None, algorithm_name: str) -> TermStatistics:
    """Return the statistics that an algorithm was given. Raise StatisticsMissing for None."""
    if statistics is None:
        raise StatisticsMissing(
            f"{algorithm_name} needs the statistics of a collection: "
            "gather them (TermStatistics.gather), pass statistics=…"
        )
    return statistics


def word_frequencies(text: CanonicalText) -> dict[str, float]:
    """Return the share of a text that each of its words makes up: above 0, at most 1."""
    size = len(text)
    return {word: count / size for word, count in count_words(text).items()}


def _is_count(value: Any) -> bool:
    # `isinstance` would accept True and False as counts.
    return type(value) is int and value >= 0


def _is_nonnegative(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _is_term_counts(counts: Any, text_count: int) -> bool:
    shaped = isinstance(counts, list) and len(counts) == 2 and all(map(_is_count, counts))
    return shaped and 1 <= counts[0] <= min(counts[1], text_count)

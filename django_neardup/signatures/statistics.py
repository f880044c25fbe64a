"""Statistics of a collection, frozen: what the algorithms that weigh words by their rarity depend on.

A snapshot is gathered once and never changed: other statistics are another scheme, or no key would equal its like.
Words are the keys of tokens (lemmas, numbers, codes).  A word that a snapshot does not know counts as one that a
single text holds once.
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

from ..text.document import Document
from .gathering import Gathering, counted

FORMAT = 1


class StatisticsMissing(ValueError):
    """An algorithm that needs a collection's statistics was given none."""


@dataclass(frozen=True)
class TermStatistics:
    """`documents`: number of texts that have words, N; `average_length`: words a text; `terms`: of each word that more
    than one text holds, the number of texts with it and of all its occurrences; `support`: the words that describe
    texts best (`descr-words`), each with its threshold on the frequency within a text."""

    documents: int
    average_length: float
    terms: Mapping[str, tuple[int, int]]
    support: Mapping[str, float] = field(default_factory=dict)

    def texts_with(self, word: str) -> int:
        """df, 1..N."""
        return self.terms.get(word, (1, 1))[0]

    def occurrences(self, word: str) -> int:
        """cf, at least df."""
        return self.terms.get(word, (1, 1))[1]

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits: the name of these statistics in a scheme.  The order of texts and words is nothing
        to it."""
        return hashlib.blake2b(self._body(), digest_size=16).hexdigest()

    @classmethod
    def gather(cls, documents: Iterable[Document]) -> TermStatistics:
        """Statistics of these texts, in one pass and whatever their order; texts without words do not count.

        No text is kept but a sample of 2000 for the choice of `support`: those of the least digests, at most their
        400 most frequent words each.
        """
        gathering = Gathering()
        for document in documents:
            gathering.add(document)
        texts = gathering.documents
        terms = {word: (counts[0], counts[1]) for word, counts in gathering.counts.items()}
        return cls(texts, gathering.words / texts if texts else 0.0, terms, gathering.support())

    def pack(self) -> bytes:
        """The snapshot as bytes, compressed: the same statistics give the same bytes."""
        return zlib.compress(self._body(), 6)

    @classmethod
    def unpack(cls, packed: bytes) -> TermStatistics:
        """What `pack` made.  ValueError for anything else."""
        try:
            return cls._from(json.loads(zlib.decompress(packed)))
        except (zlib.error, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"these bytes are no statistics: {error}") from error

    @classmethod
    def _from(cls, made: Any) -> TermStatistics:
        if not isinstance(made, dict) or made.get("format") != FORMAT:
            raise ValueError(f"these are no statistics of format {FORMAT}")
        parts: list[Any] = [made.get(name) for name in ("documents", "average_length", "terms", "support")]
        documents, average, terms, support = parts
        sound = _is_count(documents) and _is_size(average) and isinstance(terms, dict)
        if not sound or not isinstance(support, dict) or not all(map(_is_size, support.values())):
            raise ValueError("statistics of a wrong shape")
        if not all(_is_term(counts, documents) for counts in terms.values()):
            raise ValueError("a word of the statistics has senseless counts")
        known = {word: (texts, occurrences) for word, (texts, occurrences) in terms.items()}
        return cls(documents, float(average), known, {word: float(least) for word, least in support.items()})

    def _body(self) -> bytes:
        made = {
            "format": FORMAT,
            "documents": self.documents,
            "average_length": float(self.average_length),
            "terms": {word: list(counts) for word, counts in self.terms.items()},
            "support": {word: float(least) for word, least in self.support.items()},
        }
        return json.dumps(made, sort_keys=True, separators=(",", ":")).encode("ascii")


def needed(statistics: TermStatistics | None, algorithm: str) -> TermStatistics:
    """The statistics that an algorithm of this name was given.  StatisticsMissing for None."""
    if statistics is None:
        raise StatisticsMissing(
            f"{algorithm} needs the statistics of a collection: gather them (TermStatistics.gather), pass statistics=…"
        )
    return statistics


def frequencies(document: Document) -> dict[str, float]:
    """Share of a text that each of its words makes up, above 0 and at most 1."""
    size = len(document)
    return {word: count / size for word, count in counted(document).items()}


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_size(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _is_term(counts: Any, documents: int) -> bool:
    shaped = isinstance(counts, list) and len(counts) == 2 and all(map(_is_count, counts))
    return shaped and 1 <= counts[0] <= min(counts[1], documents)

"""Texts in memory. Each is compared with the texts that were added before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from ..algorithms.base import Algorithm
from ..text.canonical_text import CanonicalText as Text
from .compared_texts import JudgeableText, PairSide, ScreeningRow, SignedText, StoredFingerprint
from .posts import ComparedPosts
from .work_limit import WorkLimit

if TYPE_CHECKING:
    from .bucket_matches import Numbers

NO_CONTENT_TYPE = 0


class MemoryPosts(ComparedPosts):
    """Signed texts by number. Look a text up first, then ``add`` it. Numbers ascend.

    - ``algorithm_ignoring``: returns the algorithm that judges, see ``ComparedPosts.algorithm``.
    - ``text_of``: returns the canonical text of a number. The index keeps no text.
    - ``letters_of``: returns the length of the text of a number, for ``work``, without reading it.
    - ``leader_of``: returns the leader of the group of a number. None if it is in no group.
    """

    def __init__(
        self,
        bucket_size: int,
        max_aligned: int,
        algorithm_ignoring: Callable[[tuple[str, ...] | None], Algorithm],
        text_of: Callable[[int], Text],
        leader_of: Callable[[int], int | None] = lambda number: None,
        letters_of: Callable[[int], int] = lambda number: 0,
        work: WorkLimit | None = None,
    ) -> None:
        super().__init__(bucket_size, max_aligned, work=work)
        self._letters_of = letters_of
        self._algorithm_ignoring, self._text_of, self._leader_of = algorithm_ignoring, text_of, leader_of
        self._buckets: defaultdict[int, list[int]] = defaultdict(list)
        self._signed: dict[int, SignedText] = {}

    def add(self, signed: SignedText) -> None:
        """Add a text, so that later ones are compared with it."""
        self._signed[signed.document_id] = signed
        for key in signed.keys.tolist():
            bucket = self._buckets[key]
            bucket.append(signed.document_id)
            if len(bucket) > self.bucket_limit.size:
                del bucket[self.bucket_limit.oldest]

    def algorithm(self, ignored_classes: tuple[str, ...] | None) -> Algorithm:
        return self._algorithm_ignoring(ignored_classes)

    def read_buckets(self, signed: Sequence[SignedText], keys: Numbers) -> tuple[Numbers, Numbers]:
        import numpy as np

        buckets = [self._buckets.get(key, ()) for key in keys.tolist()]
        positions = np.repeat(np.arange(len(buckets)), [len(bucket) for bucket in buckets])
        return positions, np.fromiter(chain.from_iterable(buckets), np.int64, len(positions))

    def screening_rows(self, documents: Collection[int]) -> dict[int, ScreeningRow]:
        return {document: self._screening_row(self._signed[document]) for document in documents}

    def fingerprints(self, rows: Collection[ScreeningRow]) -> dict[int, StoredFingerprint]:
        return self.fingerprints_of([row.document_id for row in rows])

    def fingerprints_of(self, documents: Collection[int]) -> dict[int, StoredFingerprint]:
        return {
            document: StoredFingerprint(
                document,
                signed.source_digest,
                signed.exact_digest,
                signed.word_count,
                signed.payload,
                self._leader_of(document),
                signed.space_id,
                NO_CONTENT_TYPE,
                "",
            )
            for document in documents
            if (signed := self._signed.get(document))
        }

    def letters(self, fingerprints: Sequence[StoredFingerprint]) -> dict[int, int]:
        return {one.document_id: self._letters_of(one.document_id) for one in fingerprints}

    def texts(self, fingerprints: Iterable[StoredFingerprint]) -> dict[int, JudgeableText]:
        return {
            signed.document_id: JudgeableText(
                PairSide.of(signed),
                signed.identity,
                self._text_of(signed.document_id),
                signed.ignored_classes,
                signed.author,
            )
            for signed in (self._signed[fingerprint.document_id] for fingerprint in fingerprints)
        }

    def _screening_row(self, signed: SignedText) -> ScreeningRow:
        return ScreeningRow(
            signed.document_id,
            signed.source_digest,
            signed.exact_digest,
            signed.word_count,
            signed.payload,
            signed.keys.tobytes(),
            self._leader_of(signed.document_id),
        )

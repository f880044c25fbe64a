"""The posts with which texts are compared: where they come from, and which of them may be seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..algorithms.base import Algorithm
from .bucket_matches import BucketLimit, BucketMatches, Nearby
from .compared_texts import (
    JudgeableText,
    PassingRow,
    Relations,
    ScreeningRow,
    SignedText,
    StoredFingerprint,
)
from .work_limit import WorkLimit

if TYPE_CHECKING:
    from .bucket_matches import Numbers

SCREENED_PER_ALIGNED = 4
"""Similar documents that are screened for each alignment.

Documents that share a sure key, and documents with a stored pair, are screened in addition.
"""
MAX_FAMILY_SCREENED = 256
"""Members of a template family that are screened although they stand outside the limit of every bucket."""


class ComparedPosts(ABC):
    """The strategy of the stages ``candidates_many`` and ``verify_many``.

    Documents are given and returned by their ids.

    - ``bucket_limit``: the documents of a bucket that become candidates: its oldest and its newest ones.
    - ``max_aligned``: largest number of candidates of one text that are aligned. Candidates that share a sure
      key come in addition.
    - ``max_screened``: largest number of candidates of one text that are screened.
    - ``remembers_deleted``: whether deleted posts are remembered, and looked for.
    - ``work``: the limit of the work for one text. It records the candidates that exceed it.
    """

    def __init__(
        self,
        bucket_size: int,
        max_aligned: int,
        remembers_deleted: bool = False,
        work: WorkLimit | None = None,
    ) -> None:
        self.work = WorkLimit() if work is None else work
        self.bucket_limit, self.max_aligned = BucketLimit.of(bucket_size), max_aligned
        self.max_screened, self.remembers_deleted = SCREENED_PER_ALIGNED * max_aligned, remembers_deleted

    @abstractmethod
    def algorithm(self, ignored_classes: tuple[str, ...] | None) -> Algorithm:
        """Return the algorithm that judges. ``ignored_classes``: None means those of the scheme."""

    @abstractmethod
    def read_buckets(self, signed: Sequence[SignedText], keys: Numbers) -> tuple[Numbers, Numbers]:
        """Return positions in ``keys``, ascending, and next to each a document with that key.

        ``keys``: int64[n], the keys of the texts one after another.
        """

    def select_nearby(
        self, signed: Sequence[SignedText], matches: Mapping[int, BucketMatches]
    ) -> dict[int, Nearby]:
        """Return the documents to screen by document: visible ones that share the most keys with it."""
        return {
            text.document_id: matches[text.document_id].nearby(text.algorithm, self.max_screened)
            for text in signed
        }

    def relations_of(self, documents: Collection[int]) -> dict[int, Relations]:
        """Return the stored relations of documents. Documents without any are left out."""
        return {}

    @abstractmethod
    def screening_rows(self, documents: Collection[int]) -> dict[int, ScreeningRow]:
        """Return the screening rows of documents that have a fingerprint."""

    def family_members(self, leaders: Collection[int]) -> dict[int, list[int]]:
        """Return the members of template families by leader, at most ``MAX_FAMILY_SCREENED`` of each, oldest first."""
        return {}

    def rank(self, signed: SignedText, passing: Iterable[PassingRow]) -> list[ScreeningRow]:
        """Return the rows that pass the screen, the most promising first. Useless ones may be left out."""
        ranked = sorted(passing, key=lambda passing: (-passing.similarity, passing.row.document_id))
        return [row for row, *_ in ranked]

    def rank_sure(self, signed: SignedText, rows: list[ScreeningRow]) -> list[ScreeningRow]:
        """Return the exact copies and the rows that share a sure key in the order in which to judge them."""
        return rows

    @abstractmethod
    def fingerprints(self, rows: Collection[ScreeningRow]) -> dict[int, StoredFingerprint]:
        """Return the fingerprints of screened documents, with what is needed to read their texts."""

    @abstractmethod
    def fingerprints_of(self, documents: Collection[int]) -> dict[int, StoredFingerprint]:
        """Return the fingerprints of documents. Leave out deleted posts."""

    def letters(self, fingerprints: Sequence[StoredFingerprint]) -> dict[int, int]:
        """Return the lengths of the texts by document id, without canonicalizing them. 0 if there is none to read.

        It is asked before ``texts``. Without a limit of work no length matters.
        """
        return dict.fromkeys((fingerprint.document_id for fingerprint in fingerprints), 0)

    @abstractmethod
    def texts(self, fingerprints: Iterable[StoredFingerprint]) -> dict[int, JudgeableText]:
        """Return the current texts of documents. Leave out texts that cannot be read or are not compared."""

    def is_judged_by_payload(self, signed: SignedText, fingerprints: Iterable[StoredFingerprint]) -> bool:
        """Return whether the stored payloads are enough to judge, so that no text is read.

        They are not if the algorithm, its guard or an identity needs the texts.
        """
        algorithm = signed.algorithm
        return not (algorithm.needs_text or algorithm.guard or any(signed.identity))

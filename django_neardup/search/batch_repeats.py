"""Repeated texts inside one batch.

Each text is compared with earlier texts of the batch that share keys with it. Earlier texts that are repeats
are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from ..pipeline.candidates import SCREENED_PER_ALIGNED
from ..pipeline.stage_types import SignedDocument
from .request import SearchQuery
from .verify import MAX_ALIGNED, judge_text


class _BatchLeader(NamedTuple):
    """A text of the batch that repeats no earlier text. ``number`` is its position in the batch."""

    number: int
    query: SearchQuery
    word_count: int
    payload: bytes


class BatchDuplicates:
    """The texts of a batch that were checked so far.

    If a text repeats an earlier one, later texts are not compared with it. So each of many similar texts
    costs one comparison. No text is aligned with more than ten others.
    """

    def __init__(self) -> None:
        self._leaders: dict[int, _BatchLeader] = {}
        self._buckets: dict[int, list[int]] = {}
        self._results_by_digest: dict[tuple[str, str], list[int]] = {}

    def find(self, number: int, signed_text: SignedDocument, query: SearchQuery) -> list[int]:
        """Return the numbers of the earlier texts that this text duplicates.

        ``number`` is the number of this text.
        """
        text_key = signed_text.space_digest, signed_text.exact_digest
        has_identity = any(signed_text.identity)
        if not has_identity and text_key in self._results_by_digest:
            return list(self._results_by_digest[text_key])
        repeated_numbers = [
            leader.number
            for leader in self._find_candidates(signed_text)
            if self._is_duplicate(signed_text, query, leader)
        ]
        if not repeated_numbers:
            self._add_leader(number, signed_text, query)
        if not has_identity:
            self._results_by_digest[text_key] = list(repeated_numbers) or [number]
        return repeated_numbers

    def _add_leader(self, number: int, signed_text: SignedDocument, query: SearchQuery) -> None:
        self._leaders[number] = _BatchLeader(number, query, signed_text.word_count, signed_text.payload)
        max_bucket_size = signed_text.adapter.settings.bucket
        for key in signed_text.keys.tolist():
            bucket = self._buckets.setdefault(key, [])
            bucket.append(number)
            del bucket[:-max_bucket_size]

    def _find_candidates(self, signed_text: SignedDocument) -> list[_BatchLeader]:
        """Return the leaders to compare a text with: by sure keys, then by the similarity of payloads."""
        counts = Counter(self._numbers_with_keys(signed_text.keys.tolist()))
        sure_numbers = set(self._numbers_with_keys(signed_text.sure_keys.tolist()))
        candidate_numbers = [
            number
            for number in counts
            if number in sure_numbers or counts[number] >= signed_text.algorithm.min_shared
        ]
        candidate_numbers.sort(key=lambda number: (number not in sure_numbers, -counts[number], number))
        leaders = [
            self._leaders[number] for number in candidate_numbers[: SCREENED_PER_ALIGNED * MAX_ALIGNED]
        ]
        if not leaders:
            return []
        scores = signed_text.algorithm.screen_many(
            signed_text.payload, [leader.payload for leader in leaders]
        )
        key_counts, word_counts = (
            [counts[leader.number] for leader in leaders],
            [leader.word_count for leader in leaders],
        )
        passed = signed_text.algorithm.should_judge_many(
            scores, key_counts, signed_text.word_count, word_counts
        )
        ranked = [
            (leader.number not in sure_numbers, -score, leader.number)
            for leader, score, is_passed in zip(leaders, scores.tolist(), passed.tolist())
            if is_passed or leader.number in sure_numbers
        ]
        return [self._leaders[number] for *_, number in sorted(ranked)[:MAX_ALIGNED]]

    def _numbers_with_keys(self, keys: Iterable[int]) -> Iterable[int]:
        return chain.from_iterable(self._buckets.get(key, ()) for key in keys)

    def _is_duplicate(self, signed_text: SignedDocument, query: SearchQuery, leader: _BatchLeader) -> bool:
        judgement = judge_text(signed_text, query.adapter, leader.query.source, leader.payload)
        return judgement.verdict == "duplicate"

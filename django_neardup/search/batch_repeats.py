"""Texts of one batch that repeat one another: each is compared with the first of those that it may repeat."""

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
    """A text that repeats none before it."""

    number: int
    query: SearchQuery
    word_count: int
    payload: bytes


class BatchDuplicates:
    """The texts of a batch so far. A text that repeats an earlier one is not compared with those that follow, so that
    any number of alike texts cost one comparison each; no text is aligned with more than ten."""

    def __init__(self) -> None:
        self._leaders: dict[int, _BatchLeader] = {}
        self._buckets: dict[int, list[int]] = {}
        self._results_by_digest: dict[tuple[str, str], list[int]] = {}

    def find(self, number: int, signed_text: SignedDocument, query: SearchQuery) -> list[int]:
        """Numbers of earlier texts that this one, of that number, is a duplicate of."""
        same = signed_text.space_digest, signed_text.exact_digest
        speaks = any(signed_text.identity)
        if not speaks and same in self._results_by_digest:
            return list(self._results_by_digest[same])
        found = [
            leader.number
            for leader in self._find_candidates(signed_text)
            if self._is_duplicate(signed_text, query, leader)
        ]
        if not found:
            self._add_leader(number, signed_text, query)
        if not speaks:
            self._results_by_digest[same] = list(found) or [number]
        return found

    def _add_leader(self, number: int, signed_text: SignedDocument, query: SearchQuery) -> None:
        self._leaders[number] = _BatchLeader(number, query, signed_text.word_count, signed_text.payload)
        most = signed_text.adapter.settings.bucket
        for key in signed_text.keys.tolist():
            bucket = self._buckets.setdefault(key, [])
            bucket.append(number)
            del bucket[:-most]

    def _find_candidates(self, signed_text: SignedDocument) -> list[_BatchLeader]:
        """Whom to compare with: those of equal identity, then the likest by their payloads."""
        counts = Counter(self._numbers_with_keys(signed_text.keys.tolist()))
        namesakes = set(self._numbers_with_keys(signed_text.sure_keys.tolist()))
        enough = [
            each for each in counts if each in namesakes or counts[each] >= signed_text.algorithm.min_shared
        ]
        enough.sort(key=lambda each: (each not in namesakes, -counts[each], each))
        leaders = [self._leaders[each] for each in enough[: SCREENED_PER_ALIGNED * MAX_ALIGNED]]
        if not leaders:
            return []
        likeness = signed_text.algorithm.screen_many(signed_text.payload, [each.payload for each in leaders])
        keys, words = [counts[each.number] for each in leaders], [each.word_count for each in leaders]
        passed = signed_text.algorithm.should_judge_many(likeness, keys, signed_text.word_count, words)
        ranked = [
            (each.number not in namesakes, -like, each.number)
            for each, like, passes in zip(leaders, likeness.tolist(), passed.tolist())
            if passes or each.number in namesakes
        ]
        return [self._leaders[number] for *_, number in sorted(ranked)[:MAX_ALIGNED]]

    def _numbers_with_keys(self, keys: Iterable[int]) -> Iterable[int]:
        return chain.from_iterable(self._buckets.get(key, ()) for key in keys)

    def _is_duplicate(self, signed_text: SignedDocument, query: SearchQuery, leader: _BatchLeader) -> bool:
        judgement = judge_text(signed_text, query.adapter, leader.query.source, leader.payload)
        return judgement.verdict == "duplicate"

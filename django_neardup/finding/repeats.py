"""Texts of one batch that repeat one another: each is compared with the first of those that it may repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from ..pipeline.candidates import SCREENED
from ..pipeline.records import Signed
from .asking import Asked
from .judging import ALIGNED, judgement_of


class _Leader(NamedTuple):
    """A text that repeats none before it."""

    number: int
    asked: Asked
    words: int
    payload: bytes


class Repeats:
    """The texts of a batch so far. A text that repeats an earlier one is not compared with those that follow, so that
    any number of alike texts cost one comparison each; no text is aligned with more than ten."""

    def __init__(self) -> None:
        self._leaders: dict[int, _Leader] = {}
        self._with_key: dict[int, list[int]] = {}
        self._said: dict[tuple[str, str], list[int]] = {}

    def of(self, number: int, one: Signed, asked: Asked) -> list[int]:
        """Numbers of earlier texts that this one, of that number, is a duplicate of."""
        same = one.space_digest, one.exact_digest
        speaks = any(one.identity)
        if not speaks and same in self._said:
            return list(self._said[same])
        found = [leader.number for leader in self._likely(one) if self._repeats(one, asked, leader)]
        if not found:
            self._lead(number, one, asked)
        if not speaks:
            self._said[same] = list(found) or [number]
        return found

    def _lead(self, number: int, one: Signed, asked: Asked) -> None:
        self._leaders[number] = _Leader(number, asked, one.words, one.payload)
        most = one.adapter.settings.bucket
        for key in one.keys.tolist():
            bucket = self._with_key.setdefault(key, [])
            bucket.append(number)
            del bucket[:-most]

    def _likely(self, one: Signed) -> list[_Leader]:
        """Whom to compare with: those of equal identity, then the likest by their payloads."""
        counts = Counter(self._having(one.keys.tolist()))
        namesakes = set(self._having(one.sure_keys.tolist()))
        enough = [each for each in counts if each in namesakes or counts[each] >= one.algorithm.min_shared]
        enough.sort(key=lambda each: (each not in namesakes, -counts[each], each))
        leaders = [self._leaders[each] for each in enough[: SCREENED * ALIGNED]]
        if not leaders:
            return []
        likeness = one.algorithm.screen_many(one.payload, [each.payload for each in leaders])
        keys, words = [counts[each.number] for each in leaders], [each.words for each in leaders]
        passed = one.algorithm.passes_many(likeness, keys, one.words, words)
        ranked = [
            (each.number not in namesakes, -like, each.number)
            for each, like, passes in zip(leaders, likeness.tolist(), passed.tolist())
            if passes or each.number in namesakes
        ]
        return [self._leaders[number] for *_, number in sorted(ranked)[:ALIGNED]]

    def _having(self, keys: Iterable[int]) -> Iterable[int]:
        return chain.from_iterable(self._with_key.get(key, ()) for key in keys)

    def _repeats(self, one: Signed, asked: Asked, leader: _Leader) -> bool:
        judgement = judgement_of(one, asked.adapter, leader.asked.source, leader.payload)
        return judgement.verdict == "duplicate"

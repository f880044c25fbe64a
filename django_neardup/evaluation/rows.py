"""Rows of the bench: an algorithm or a peer, with cached results for each text and the costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary
from zlib import crc32

from ..algorithms import Algorithm, Judgement
from ..text.canonical_text import CanonicalText
from .peer_base import Peer
from .results import RowJudgements
from .timing import StepClock

Derived = TypeVar("Derived")
MEASURED_ONE_IN = 8
"""One text in so many is signed in pairs mode, to measure the cost."""


class BenchRow:
    """One row. Results derived from a text are computed once and kept while the text is in memory."""

    kind = "algorithm"

    def __init__(self, title: str) -> None:
        self.title, self.clock, self.key_count = title, StepClock(), 0

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        raise NotImplementedError

    def sign(self, text: CanonicalText) -> None:
        """Compute everything that an index would store of a text."""
        raise NotImplementedError

    def new_judgements(self) -> RowJudgements:
        """Return an empty list of judgements that shares the row's clock."""
        return RowJudgements(clock=self.clock)

    def memoize(
        self, step: str, function: Callable[[CanonicalText], Derived]
    ) -> Callable[[CanonicalText], Derived]:
        """Wrap a function to remember its results by text. The cost is charged to ``step``."""
        # Weak keys: a result goes when ``CanonicalTextCache`` drops its text.
        cache: WeakKeyDictionary[CanonicalText, Derived] = WeakKeyDictionary()

        def memoized(text: CanonicalText) -> Derived:
            value = cache.get(text)
            if value is None:
                value = cache[text] = self.clock.measure(step, function, text)
            return value

        return memoized


class AlgorithmRow(BenchRow):
    """An algorithm with cached keys and payloads."""

    def __init__(self, title: str, algorithm: Algorithm) -> None:
        super().__init__(title)
        self.algorithm = algorithm
        # Replaced on the algorithm itself: it calls these methods when it judges, and the comparison calls them.
        for method, function in (
            ("keys", self.memoize("keys", self._with_key_count(algorithm.keys))),
            ("payload", self.memoize("pack", algorithm.payload)),
            ("judge", partial(self.clock.measure, "judge", algorithm.judge)),
        ):
            setattr(algorithm, method, function)

    def _with_key_count(
        self, compute_keys: Callable[[CanonicalText], list[int]]
    ) -> Callable[[CanonicalText], list[int]]:
        def compute_and_count(text: CanonicalText) -> list[int]:
            keys = compute_keys(text)
            self.key_count += len(keys)
            return keys

        return compute_and_count

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        return self.algorithm.judge(a, b)

    def sign(self, text: CanonicalText) -> None:
        self.algorithm.keys(text)
        self.algorithm.payload(text)


class PeerRow(BenchRow):
    """A peer: a feature of every text and a score of two features.

    Its verdicts follow later from the scores.
    """

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer.name)
        self.peer, self.kind = peer, peer.kind
        self.feature: Callable[[CanonicalText], Any] = self.memoize("pack", peer.feature)

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        feature_a, feature_b = self.feature(a), self.feature(b)
        return Judgement("none", self.clock.measure("judge", self.peer.score, feature_a, feature_b))

    def sign(self, text: CanonicalText) -> None:
        self.feature(text)


def is_measured(key: str) -> bool:
    """Return whether pairs mode, which has no index, signs this text to measure the cost.

    It is one text in eight.
    """
    return crc32(key.encode("utf-8", "replace")) % MEASURED_ONE_IN == 0

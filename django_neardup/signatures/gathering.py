"""One pass over a collection: counts of words, and the words that describe its texts best."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Mapping

from ..text.document import Document
from ..text.hashing import digest
from ..text.stopwords import STOP

PARTS = 200
BINS = 16
SAMPLE = 2000
SAMPLE_WORDS = 400
SUPPORT_MOST = 2500
ONES = 10

Vector = tuple[tuple[str, float], ...]


def counted(document: Document) -> Counter[str]:
    """How often a text has each of its words; contacts are nobody's to keep in a snapshot."""
    return Counter([token.key for token in document.tokens if token.kind != "contact"])


class Gathering:
    """Counts of words, and for each a histogram of its frequency within texts, from the second text with it on.

    `counts` of a word: texts, occurrences, then texts by frequency in steps of 1/200, the last step without an end.
    """

    def __init__(self) -> None:
        self.documents = self.words = 0
        self.once: dict[str, tuple[int, int]] = {}
        self.counts: dict[str, array[int]] = {}
        self.sample: list[tuple[int, Vector]] = []

    def add(self, document: Document) -> None:
        size = len(document)
        if not size:
            return
        self.documents += 1
        self.words += size
        words = counted(document)
        for word, count in words.items():
            self._count(word, count, min(PARTS * count // size, BINS - 1))
        self._sample(document, words)

    def _count(self, word: str, count: int, step: int) -> None:
        counts = self.counts.get(word)
        if counts is None:
            before = self.once.pop(word, None)
            if before is None:
                self.once[word] = (count, step)
                return
            counts = self.counts[word] = array("Q", bytes(8 * (BINS + 2)))
            _add(counts, *before)
        _add(counts, count, step)

    def _sample(self, document: Document, words: Counter[str]) -> None:
        name = digest(["\n".join([token.key for token in document.tokens])])
        place = -int.from_bytes(name, "big")
        full = len(self.sample) >= SAMPLE
        if full and place <= self.sample[0][0]:
            return
        size = len(document)
        often = heapq.nsmallest(SAMPLE_WORDS, words.items(), key=lambda item: (-item[1], item[0]))
        entry = place, tuple((word, count / size) for word, count in often)
        (heapq.heappushpop if full else heapq.heappush)(self.sample, entry)

    def support(self) -> dict[str, float]:
        """Words with thresholds, chosen so that most texts have ten that are above theirs: see `_cover`."""
        chosen = {word: _threshold(counts) for word, counts in self.counts.items() if word not in STOP}
        above: dict[str, list[int]] = {}
        for place, (_, vector) in enumerate(self.sample):
            for word, frequency in vector:
                if word in chosen and frequency > chosen[word][0]:
                    above.setdefault(word, []).append(place)
        quality = {word: chosen[word][1] for word in above}
        return {word: chosen[word][0] for word in _cover(above, quality, len(self.sample))}


def _add(counts: array[int], count: int, step: int) -> None:
    counts[0] += 1
    counts[1] += count
    counts[2 + step] += 1


def _threshold(counts: array[int]) -> tuple[float, float]:
    """Of a word, the threshold b that most texts with the word are above of and far from, and its quality.

    Quality: share of the texts with the word whose frequency is not within [b - d, b + d], d = 1/200, 0..1.
    """
    texts, steps = counts[0], counts[2:]
    best = (0, 0, 0)
    for step in range(1, BINS):
        far = texts - steps[step - 1] - steps[step]
        best = max(best, (far * sum(steps[step:]), -step, far))
    return -best[1] / PARTS, best[2] / texts


def _cover(above: Mapping[str, list[int]], quality: Mapping[str, float], texts: int) -> list[str]:
    """Greedy cover: the word that lifts most texts with fewer than ten words so far, times its quality, comes next."""
    lacking = [ONES] * texts
    waiting = [(-quality[word] * len(places), word) for word, places in above.items()]
    heapq.heapify(waiting)
    chosen: list[str] = []
    while waiting and len(chosen) < SUPPORT_MOST:
        _, word = heapq.heappop(waiting)
        gain = quality[word] * sum(lacking[place] > 0 for place in above[word])
        if gain and waiting and (-gain, word) > waiting[0]:
            heapq.heappush(waiting, (-gain, word))
        elif gain:
            chosen.append(word)
            for place in above[word]:
                lacking[place] -= 1
    return chosen

"""Word counts of a collection, gathered in one pass, and the words that describe its texts best."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Mapping

from ..text.canonical_text import CanonicalText
from ..text.hashing import digest
from ..text.tokens.stopwords import STOP_WORDS

FREQUENCY_STEPS = 200
HISTOGRAM_BINS = 16
SAMPLE_SIZE = 2000
MAX_WORDS_PER_SAMPLE = 400
MAX_SUPPORT_WORDS = 2500
SUPPORT_WORDS_PER_TEXT = 10

FrequencyVector = tuple[tuple[str, float], ...]


def count_words(text: CanonicalText) -> Counter[str]:
    """Count the words of a text. Contacts are left out, because a snapshot must not store personal data."""
    return Counter([token.key for token in text.tokens if token.kind != "contact"])


class StatisticsCollector:
    """Word counts. From the second text with a word on, also a histogram of its frequency within texts.

    ``counts`` holds for each word the number of texts, the number of occurrences, and then the number of texts
    by frequency, in steps of 1/200. The last step has no upper end.
    """

    def __init__(self) -> None:
        self.text_count = self.word_count = 0
        # Most words occur in a single text. A tuple for them is much smaller than a histogram.
        self.single_text_words: dict[str, tuple[int, int]] = {}
        self.counts: dict[str, array[int]] = {}
        self.sample: list[tuple[int, FrequencyVector]] = []

    def add(self, text: CanonicalText) -> None:
        size = len(text)
        if not size:
            return
        self.text_count += 1
        self.word_count += size
        words = count_words(text)
        for word, count in words.items():
            self._count_word(word, count, min(FREQUENCY_STEPS * count // size, HISTOGRAM_BINS - 1))
        self._add_to_sample(text, words)

    def _count_word(self, word: str, count: int, step: int) -> None:
        counts = self.counts.get(word)
        if counts is None:
            first_text = self.single_text_words.pop(word, None)
            if first_text is None:
                self.single_text_words[word] = (count, step)
                return
            counts = self.counts[word] = array("Q", bytes(8 * (HISTOGRAM_BINS + 2)))
            _add_count(counts, *first_text)
        _add_count(counts, count, step)

    def _add_to_sample(self, text: CanonicalText, words: Counter[str]) -> None:
        text_digest = digest(["\n".join([token.key for token in text.tokens])])
        # Keeping the least digests makes a random sample that does not depend on the order of texts. They
        # are negated so that the heap has the greatest digest on top.
        priority = -int.from_bytes(text_digest, "big")
        is_full = len(self.sample) >= SAMPLE_SIZE
        if is_full and priority <= self.sample[0][0]:
            return
        size = len(text)
        frequent_words = heapq.nsmallest(
            MAX_WORDS_PER_SAMPLE, words.items(), key=lambda item: (-item[1], item[0])
        )
        entry = priority, tuple((word, count / size) for word, count in frequent_words)
        (heapq.heappushpop if is_full else heapq.heappush)(self.sample, entry)

    def support_thresholds(self) -> dict[str, float]:
        """Return words with thresholds, chosen so that in most texts ten words are above them.

        See ``_greedy_cover``.
        """
        rated_thresholds = {
            word: _best_threshold(counts) for word, counts in self.counts.items() if word not in STOP_WORDS
        }
        positions_by_word: dict[str, list[int]] = {}
        for position, (_, vector) in enumerate(self.sample):
            for word, frequency in vector:
                if word in rated_thresholds and frequency > rated_thresholds[word][0]:
                    positions_by_word.setdefault(word, []).append(position)
        quality = {word: rated_thresholds[word][1] for word in positions_by_word}
        return {
            word: rated_thresholds[word][0]
            for word in _greedy_cover(positions_by_word, quality, len(self.sample))
        }


def _add_count(counts: array[int], count: int, step: int) -> None:
    counts[0] += 1
    counts[1] += count
    counts[2 + step] += 1


def _best_threshold(counts: array[int]) -> tuple[float, float]:
    """Return the best threshold b on the frequency of a word, and its quality.

    Most texts with the word have a frequency above b and far from it. The quality is the share, 0..1, of the
    texts with the word in which its frequency is not within [b - d, b + d], d = 1/200.
    """
    text_count, texts_by_step = counts[0], counts[2:]
    best = (0, 0, 0)
    for step in range(1, HISTOGRAM_BINS):
        far_count = text_count - texts_by_step[step - 1] - texts_by_step[step]
        best = max(best, (far_count * sum(texts_by_step[step:]), -step, far_count))
    return -best[1] / FREQUENCY_STEPS, best[2] / text_count


def _greedy_cover(
    positions_by_word: Mapping[str, list[int]], quality: Mapping[str, float], text_count: int
) -> list[str]:
    """Choose words greedily until each text has ten, at most 2500 words.

    The next word is the one with the greatest gain: its quality times the number of its texts that have
    fewer than ten chosen words so far.
    """
    missing_words = [SUPPORT_WORDS_PER_TEXT] * text_count
    heap = [(-quality[word] * len(positions), word) for word, positions in positions_by_word.items()]
    heapq.heapify(heap)
    chosen: list[str] = []
    while heap and len(chosen) < MAX_SUPPORT_WORDS:
        _, word = heapq.heappop(heap)
        gain = quality[word] * sum(missing_words[position] > 0 for position in positions_by_word[word])
        # The stored gain may be outdated. Gains only decrease, so the word is compared again later.
        if gain and heap and (-gain, word) > heap[0]:
            heapq.heappush(heap, (-gain, word))
        elif gain:
            chosen.append(word)
            for position in positions_by_word[word]:
                missing_words[position] -= 1
    return chosen

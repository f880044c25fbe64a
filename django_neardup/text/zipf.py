"""Zipf's law in one text: a check of the text, never a likeness of two."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .canonical_text import CanonicalText

MIN_WORDS = 300
MAX_DEVIATIONS = 3
KOLMOGOROV_FACTOR = 1.36


@dataclass(frozen=True, slots=True)
class ZipfReference:
    """What is usual on a site: mean and standard deviation of the slopes and of the distances of its texts.

    The values by default are those of ordinary Russian and English pages of 300 to 3,000 words.
    """

    slope: float = 0.69
    slope_deviation: float = 0.1
    distance: float = 0.06
    distance_deviation: float = 0.03

    @classmethod
    def from_texts(cls, texts: Iterable[CanonicalText]) -> ZipfReference:
        """From texts of the site; those under 300 words do not count.  ValueError if fewer than two are left."""
        reports = [report for report in map(zipf_report, texts) if report]
        if len(reports) < 2:
            raise ValueError(f"a reference needs two texts of {MIN_WORDS} words or more")
        slopes, distances = [r.slope for r in reports], [r.distance for r in reports]
        return cls(
            statistics.fmean(slopes),
            statistics.pstdev(slopes),
            statistics.fmean(distances),
            statistics.pstdev(distances),
        )


@dataclass(frozen=True, slots=True)
class ZipfReport:
    """How the frequencies of a text's words fall with their ranks.

    ``slope``: s of f = C / r^s, 0 for words that are all equally frequent; ``distance``, 0..1: the largest
    difference of the cumulative frequencies from those of the fitted law (Kolmogorov and Smirnov's); ``words``:
    the length of the text; ``why``: which of "slope" and "distance" is unusual.
    """

    slope: float
    distance: float
    word_count: int
    unusual_measures: tuple[str, ...] = ()

    @property
    def is_anomalous(self) -> bool:
        """Whether anything is unusual."""
        return bool(self.unusual_measures)


def zipf_report(text: CanonicalText, reference: ZipfReference | None = None) -> ZipfReport | None:
    """Whether a text's words are as frequent as a person's words are; None for a text under 300 words.

    A check of one text, not a similarity: words heaped up for search engines, generated texts and tables fall out
    of the law.  The line log f = C - s log r is fitted by least squares to the frequencies f of all lemmas at their
    ranks r = 1, 2, …  The text is anomalous where s is over 3 standard deviations from the reference's, or where the
    distance is over Kolmogorov's bound 1.36 / sqrt(words) and over 3 deviations above the reference's.

    The article on shingles names the "Zipf anomaly" and does not define it: all of this is a reconstruction.
    Kolmogorov's bound alone would flag half of all ordinary texts, because the law is only roughly true and its
    slope is fitted to the same text.  The slope grows with the length of a text (about .6 at 300 words, .8 at
    2,000): a reference is best made of texts of the site's usual length.
    """
    if len(text) < MIN_WORDS:
        return None
    frequencies = sorted(Counter(token.key for token in text.tokens).values(), reverse=True)
    slope = fit_slope(frequencies)
    distance = distance_to_law(frequencies, slope)
    usual = reference or ZipfReference()
    return ZipfReport(slope, distance, len(text), _find_unusual_measures(slope, distance, len(text), usual))


def _find_unusual_measures(
    slope: float, distance: float, word_count: int, reference: ZipfReference
) -> tuple[str, ...]:
    bound = max(
        KOLMOGOROV_FACTOR / math.sqrt(word_count),
        reference.distance + MAX_DEVIATIONS * reference.distance_deviation,
    )
    found = {
        "slope": abs(slope - reference.slope) > MAX_DEVIATIONS * reference.slope_deviation,
        "distance": distance > bound,
    }
    return tuple(name for name, unusual in found.items() if unusual)


def fit_slope(frequencies: Sequence[int]) -> float:
    """s of the least-squares line log f = C - s log r; frequencies in falling order, ranks from 1.  0 for one word."""
    ranks = [math.log(rank) for rank in range(1, len(frequencies) + 1)]
    logs = [math.log(frequency) for frequency in frequencies]
    middle = math.fsum(ranks) / len(ranks)
    spread = math.fsum((rank - middle) ** 2 for rank in ranks)
    slope = math.fsum((rank - middle) * value for rank, value in zip(ranks, logs, strict=True))
    return -slope / spread if spread else 0.0


def distance_to_law(frequencies: Sequence[int], slope: float) -> float:
    """The largest difference, 0..1, of cumulative shares from those of the law 1 / r^slope on the same ranks."""
    law = [math.pow(rank, -slope) for rank in range(1, len(frequencies) + 1)]
    words, whole = sum(frequencies), math.fsum(law)
    pairs = zip(accumulate(frequencies), accumulate(law), strict=True)
    return max(abs(seen / words - expected / whole) for seen, expected in pairs)

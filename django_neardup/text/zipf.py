"""Zipf's law in one text: a check of a single text, not a similarity of two."""

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
    """Usual values of a site: mean and standard deviation of its texts' slopes and distances.

    The defaults are those of ordinary Russian and English pages of 300 to 3,000 words.
    """

    slope: float = 0.69
    slope_deviation: float = 0.1
    distance: float = 0.06
    distance_deviation: float = 0.03

    @classmethod
    def from_texts(cls, texts: Iterable[CanonicalText]) -> ZipfReference:
        """Create from texts of the site. Texts under 300 words are skipped.

        Raise ValueError if fewer than two are left.
        """
        reports = [report for report in map(zipf_report, texts) if report]
        if len(reports) < 2:
            raise ValueError(f"a reference needs two texts of {MIN_WORDS} words or more")
        slopes, distances = [report.slope for report in reports], [report.distance for report in reports]
        return cls(
            statistics.fmean(slopes),
            statistics.pstdev(slopes),
            statistics.fmean(distances),
            statistics.pstdev(distances),
        )


@dataclass(frozen=True, slots=True)
class ZipfReport:
    """How the frequencies of a text's words fall with their ranks.

    - ``slope``: s of f = C / r^s, 0 if all words are equally frequent.
    - ``distance``, 0..1: the largest difference of the cumulative frequencies from those of the fitted
      law (Kolmogorov and Smirnov).
    - ``word_count``: the length of the text.
    - ``unusual_measures``: which of "slope" and "distance" are unusual.
    """

    slope: float
    distance: float
    word_count: int
    unusual_measures: tuple[str, ...] = ()

    @property
    def is_anomalous(self) -> bool:
        """Whether any measure is unusual."""
        return bool(self.unusual_measures)


def zipf_report(text: CanonicalText, reference: ZipfReference | None = None) -> ZipfReport | None:
    """Return how well a text's word frequencies fit Zipf's law. Return None for a text under 300 words.

    It is a check of one text, not a similarity. Words piled up for search engines, generated texts and
    tables deviate from the law. The line log f = C - s log r is fitted by least squares to the
    frequencies f of all lemmas at their ranks r = 1, 2, … The text is anomalous in two cases:

    - s is over 3 standard deviations from the reference's.
    - The distance is over Kolmogorov's bound 1.36 / sqrt(words), and over 3 deviations above the
      reference's.

    The article on shingles names the "Zipf anomaly" without a definition: all of this is a
    reconstruction. Kolmogorov's bound without the reference would flag half of all ordinary texts. The
    law is only roughly true, and its slope is fitted to the same text. The slope grows with the length
    of a text (about .6 at 300 words, .8 at 2,000): make the reference of texts of the site's usual
    length.
    """
    if len(text) < MIN_WORDS:
        return None
    frequencies = sorted(Counter(token.key for token in text.tokens).values(), reverse=True)
    slope = fit_slope(frequencies)
    distance = distance_to_law(frequencies, slope)
    used_reference = reference or ZipfReference()
    return ZipfReport(
        slope, distance, len(text), _find_unusual_measures(slope, distance, len(text), used_reference)
    )


def _find_unusual_measures(
    slope: float, distance: float, word_count: int, reference: ZipfReference
) -> tuple[str, ...]:
    bound = max(
        KOLMOGOROV_FACTOR / math.sqrt(word_count),
        reference.distance + MAX_DEVIATIONS * reference.distance_deviation,
    )
    is_unusual = {
        "slope": abs(slope - reference.slope) > MAX_DEVIATIONS * reference.slope_deviation,
        "distance": distance > bound,
    }
    return tuple(name for name, flag in is_unusual.items() if flag)


def fit_slope(frequencies: Sequence[int]) -> float:
    """Return s of the least-squares line log f = C - s log r. Return 0 for a single word.

    The frequencies are descending, the ranks start at 1.
    """
    ranks = [math.log(rank) for rank in range(1, len(frequencies) + 1)]
    logs = [math.log(frequency) for frequency in frequencies]
    mean_rank = math.fsum(ranks) / len(ranks)
    spread = math.fsum((rank - mean_rank) ** 2 for rank in ranks)
    slope = math.fsum((rank - mean_rank) * value for rank, value in zip(ranks, logs, strict=True))
    return -slope / spread if spread else 0.0


def distance_to_law(frequencies: Sequence[int], slope: float) -> float:
    """Return the largest difference, 0..1, of the cumulative shares from those of 1 / r^slope at the ranks."""
    expected_frequencies = [math.pow(rank, -slope) for rank in range(1, len(frequencies) + 1)]
    word_count, expected_total = sum(frequencies), math.fsum(expected_frequencies)
    pairs = zip(accumulate(frequencies), accumulate(expected_frequencies), strict=True)
    return max(abs(observed / word_count - expected / expected_total) for observed, expected in pairs)

"""Published results: Yu. Zelenkov, I. Segalovich, "Comparative analysis of methods of finding fuzzy
duplicates of web documents", RCDL 2007.

They are recall, precision and F on some 500 000 pages of the ROMIP collection. True pairs are the 17 471 200
pairs that any method found (except the two experimental ones), if their texts are similar.

The article does not state the measure of similarity that we use. The ratio of 0.85 is quoted from memory. For
``decomposition`` it says "practically 100 %" and gives no figures.
"""

from __future__ import annotations

ARTICLE_FIGURES: dict[str, tuple[float, float, float]] = {
    "three-plus-five": (0.96, 0.95, 0.95),
    "long-sent": (0.84, 0.80, 0.82),
    "tf": (0.60, 0.94, 0.73),
    "opt-freq": (0.59, 0.94, 0.73),
    "tf-ridf": (0.59, 0.95, 0.73),
    "heavy-sent": (0.62, 0.86, 0.72),
    "tf-idf": (0.54, 0.96, 0.69),
    "lex-rand": (0.50, 0.97, 0.66),
    "descr-words": (0.44, 0.77, 0.56),
    "log-shingles": (0.39, 0.97, 0.56),
    "megashingles": (0.36, 0.91, 0.51),
    "md5": (0.23, 1.00, 0.38),
}
"""Recall, precision and F by algorithm."""
ARTICLE_SIMILARITY = 0.85
"""The similarity from which a pair is true."""

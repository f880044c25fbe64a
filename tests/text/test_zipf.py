"""Zipf's law in a text."""

from __future__ import annotations

import math

import pytest

from django_neardup.text import CanonicalText, ZipfReference
from django_neardup.text.word_lists import word_set
from django_neardup.text.zipf import distance_to_law, fit_slope, zipf_report

NOUNS = sorted(
    word_set(
        "дом лес река гора стол стул окно дверь вода хлеб соль масло сыр рыба мясо птица снег дождь ветер лето"
    )
)


def text(*counts: int) -> str:
    """So many times each noun."""
    return " ".join(f"{noun} " * count for noun, count in zip(NOUNS, counts))


def harmonic(largest: int) -> list[int]:
    return [largest // rank for rank in range(1, len(NOUNS) + 1)]


def test_the_slope_of_a_line() -> None:
    """Two points make the line themselves; equal frequencies lie on a level one."""
    assert fit_slope([8, 4]) == pytest.approx(1)
    assert fit_slope([9, 1]) == pytest.approx(math.log(9) / math.log(2))
    assert fit_slope([5, 5, 5]) == pytest.approx(0)
    assert fit_slope([7]) == 0


def test_the_slope_by_hand() -> None:
    """Frequencies 4, 2, 1: x = 0, .6931, 1.0986 (mean .5973), y = 1.3863, .6931, 0 (mean .6931).

    Sum of products of the deviations: -.5973 * .6931 + 0 - .5014 * .6931 = -.7615; of the squares of x: .6173.
    """
    assert fit_slope([4, 2, 1]) == pytest.approx(0.7615 / 0.6173, abs=1e-3)


def test_the_distance_by_hand() -> None:
    """6, 3, 2 is the law 1/r itself; 8, 1, 1 is .8 after the first rank where the law with s = 1 has 6/11."""
    assert distance_to_law([6, 3, 2], 1) == pytest.approx(0)
    assert distance_to_law([8, 1, 1], 1) == pytest.approx(0.8 - 6 / 11)
    assert distance_to_law([5, 5], 0) == 0


def test_short_texts_have_no_report() -> None:
    assert zipf_report(CanonicalText("")) is None
    assert zipf_report(CanonicalText("слово " * 299)) is None
    assert zipf_report(CanonicalText("слово " * 300)) is not None


def test_a_text_of_the_law() -> None:
    document = CanonicalText(text(*harmonic(200)))
    report = zipf_report(document, ZipfReference(slope=1, slope_deviation=0.02))
    assert report is not None
    assert report.word_count == len(document) > 300
    assert report.slope == pytest.approx(1, abs=0.03)
    assert report.distance < 0.02
    assert not report.is_anomalous
    assert report.unusual_measures == ()


def test_equal_frequencies_are_unusual() -> None:
    report = zipf_report(CanonicalText(text(*[20] * 20)))
    assert report is not None
    assert report.slope == pytest.approx(0)
    assert report.unusual_measures == ("slope",)
    assert report.is_anomalous


def test_one_word_heaped_up_is_unusual() -> None:
    heaped = text(400, *[10] * 19)
    report = zipf_report(CanonicalText(heaped), ZipfReference(slope_deviation=1))
    assert report is not None
    assert report.unusual_measures == ("distance",)
    assert 0.3 < report.distance < 0.9
    lumpy = zipf_report(
        CanonicalText(heaped), ZipfReference(slope_deviation=1, distance=0.3, distance_deviation=0.2)
    )
    assert lumpy is not None and not lumpy.is_anomalous


def test_the_reference_decides() -> None:
    document = CanonicalText(text(*harmonic(200)))
    usual = zipf_report(document, ZipfReference(slope=1.2, slope_deviation=0.1))
    unusual = zipf_report(document, ZipfReference(slope=1.2, slope_deviation=0.05))
    assert usual is not None and usual.unusual_measures == ()
    assert unusual is not None and unusual.unusual_measures == ("slope",)


def test_a_reference_of_texts() -> None:
    texts = [CanonicalText(text(*harmonic(largest))) for largest in (200, 300)]
    reports = [zipf_report(document) for document in texts]
    reference = ZipfReference.from_texts([*texts, CanonicalText("мало слов")])
    slopes = [report.slope for report in reports if report]
    assert reference.slope == pytest.approx(sum(slopes) / 2)
    assert reference.slope_deviation == pytest.approx(abs(slopes[0] - slopes[1]) / 2)
    with pytest.raises(ValueError, match="two texts"):
        ZipfReference.from_texts(texts[:1])

"""MinHash with banding."""

from __future__ import annotations

import math
import random

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.minhash.minhash_lsh import MinHashLSH
from django_neardup.algorithms.minhash.minwise import band_hashes
from django_neardup.text import CanonicalText

NOUNS = "дом лес река гора стол стул окно дверь вода хлеб"
UNION = 20
# P that texts of resemblance .2, .3, … .9 share a key, by bands and rows, as the literature tabulates it.
RESEMBLANCES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
BANDING = {
    (20, 4): (0.032, 0.150, 0.405, 0.725, 0.938, 0.996, 1.000, 1.000),
    (20, 6): (0.001, 0.015, 0.079, 0.270, 0.615, 0.918, 0.998, 1.000),
    (16, 5): (0.005, 0.038, 0.152, 0.398, 0.726, 0.947, 0.998, 1.000),
    (9, 13): (0.000, 0.000, 0.000, 0.001, 0.012, 0.084, 0.399, 0.929),
}


def shared(algorithm: MinHashLSH, a: CanonicalText, b: CanonicalText) -> int:
    return len(set(algorithm.keys(a)) & set(algorithm.keys(b)))


def pair(source: random.Random, resemblance: float) -> tuple[CanonicalText, CanonicalText]:
    """Two texts with 20 different words together, that share of them in both."""
    words = [f"w{number}" for number in source.sample(range(10**6), UNION)]
    common = round(UNION * resemblance)
    border = common + (UNION - common) // 2
    return CanonicalText(" ".join(words[:border])), CanonicalText(" ".join(words[:common] + words[border:]))


@pytest.mark.parametrize(("bands", "rows"), BANDING)
def test_pairs_are_found_as_often_as_the_formula_says(bands: int, rows: int) -> None:
    algorithm = MinHashLSH(bands=bands, rows=rows, size=1)
    source, trials = random.Random(11), 100
    for resemblance, wanted in zip(RESEMBLANCES, BANDING[bands, rows], strict=True):
        assert wanted == pytest.approx(1 - (1 - resemblance**rows) ** bands, abs=0.001)
        found = sum(shared(algorithm, *pair(source, resemblance)) > 0 for _ in range(trials))
        error = math.sqrt(wanted * (1 - wanted) / trials)
        assert found / trials == pytest.approx(wanted, abs=4 * error + 0.01), resemblance


def test_the_score_estimates_the_resemblance() -> None:
    """128 slots: a standard error of at most .035 at .8, of .025 for sets of 18; of the mean of 60 pairs .0033."""
    algorithm, source = MinHashLSH(size=1), random.Random(12)
    found = []
    for _ in range(60):
        a, b = pair(source, 0.8)
        found.append(algorithm.measure(algorithm.payload(a), algorithm.payload(b)))
    mean = sum(found) / len(found)
    spread = math.sqrt(sum((value - mean) ** 2 for value in found) / len(found))
    assert mean == pytest.approx(0.8, abs=4 * 0.025 / math.sqrt(60))
    assert spread == pytest.approx(0.025, abs=0.01)


def test_pairs_of_words_see_order() -> None:
    algorithm = MinHashLSH()
    a, b = CanonicalText(NOUNS), CanonicalText(" ".join(reversed(NOUNS.split())))
    assert algorithm.measure(algorithm.payload(a), algorithm.payload(b)) == 0
    assert MinHashLSH(size=1).judge(a, b).verdict == "duplicate"


def test_a_swap_by_hand() -> None:
    """Ten words are nine pairs; with the last two swapped seven are left: J = 7 / 11."""
    a, b = CanonicalText(NOUNS), CanonicalText(NOUNS.replace("вода хлеб", "хлеб вода"))
    algorithm = MinHashLSH(slots=1024)
    score = algorithm.measure(algorithm.payload(a), algorithm.payload(b))
    assert score == pytest.approx(7 / 11, abs=4 * math.sqrt(7 / 11 * 4 / 11 / 1024))


def test_very_short_texts_are_sets_of_words() -> None:
    algorithm = MinHashLSH()
    a, b = CanonicalText("река лес дом"), CanonicalText("дом река лес")
    assert algorithm.keys(a) == algorithm.keys(b)
    assert algorithm.judge(a, b).verdict == "duplicate"
    assert len(algorithm.keys(CanonicalText("дом"))) == 20
    assert not shared(algorithm, CanonicalText("дом"), CanonicalText("лес"))


def test_texts_without_words_have_neither_keys_nor_slots() -> None:
    algorithm = MinHashLSH()
    assert algorithm.keys(CanonicalText("...")) == []
    assert algorithm.payload(CanonicalText("")) == b""
    assert algorithm.measure(b"", algorithm.payload(CanonicalText("дом"))) == 0
    assert MinHashLSH(size=9).keys(CanonicalText("дом лес река гора стол стул окно дверь")) == []


def test_sizes() -> None:
    document = CanonicalText(NOUNS)
    assert len(MinHashLSH(bands=5, rows=3).keys(document)) == 5
    assert len(MinHashLSH(bands=5, rows=3, slots=15).payload(document)) == 4 * 15
    assert len(MinHashLSH().keys(document)) == 20
    assert len(MinHashLSH().payload(document)) == 4 * 128


def test_a_key_is_of_its_band() -> None:
    """Equal slots in two bands are two keys, and the order of the slots counts."""
    assert len({*band_hashes([7] * 6, 3), *band_hashes([7, 8, 9], 3), *band_hashes([9, 8, 7], 3)}) == 4


def test_the_secret_keys_the_slots() -> None:
    algorithm = MinHashLSH()
    a, b = CanonicalText(NOUNS, secret=b"a"), CanonicalText(NOUNS, secret=b"b")
    assert not shared(algorithm, a, b)
    assert algorithm.keys(a) == algorithm.keys(CanonicalText(NOUNS, secret=b"a"))


def words(count: int, first: int = 0) -> list[str]:
    return [f"слово{number}" for number in range(first, first + count)]


def quoting(number: int) -> tuple[CanonicalText, CanonicalText]:
    """200 words of which 50 stand amidst 200 others."""
    source, other = words(200, 1000 * number), words(150, 1000 * number + 500)
    return CanonicalText(" ".join(source)), CanonicalText(
        " ".join([*other[:70], *source[90:140], *other[70:]])
    )


def test_with_containment_a_quoted_quarter_is_found_and_told() -> None:
    """49 shingles, of which one in 16 is a key: 1 - (15 / 16)^49 = .96."""
    plain, quotes = MinHashLSH(), MinHashLSH(containment=16)
    pairs = [quoting(number) for number in range(100)]
    assert sum(shared(plain, a, b) > 0 for a, b in pairs) < 15
    found = [(a, b) for a, b in pairs if shared(quotes, a, b)]
    assert len(found) >= 90
    for a, b in found:
        screened = quotes.screen(quotes.payload(a), quotes.payload(b))
        assert quotes.should_judge(screened, 1, 200, 200)
        judgement = quotes.judge(a, b)
        assert (judgement.verdict, judgement.containment_a) == ("related", pytest.approx(49 / 199))


def test_with_containment_a_held_text_is_contained() -> None:
    held, holder = CanonicalText(" ".join(words(60))), CanonicalText(" ".join(words(300)))
    judgement = MinHashLSH(containment=16).judge(held, holder)
    assert (judgement.verdict, judgement.containment_a) == ("contained", 1.0)
    assert judgement.score == pytest.approx(59 / 299) == judgement.containment_b
    assert MinHashLSH().judge(held, holder).verdict == "none"


def test_the_keys_of_quotations_are_bounded() -> None:
    """Of 9,999 shingles a sixteenth, 625: the divisor is 64 at last.  A quotation has keys of its own sample."""
    algorithm, long = MinHashLSH(containment=16), CanonicalText(" ".join(words(10_000)))
    quotation = CanonicalText(" ".join(words(2_000, 3_000)))
    assert 100 < len(algorithm.keys(long)) <= 276
    assert shared(algorithm, long, quotation)
    assert set(MinHashLSH().keys(long)) < set(algorithm.keys(long))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bands": 0}, "bands is 0"),
        ({"rows": -1}, "rows -1"),
        ({"size": 0}, "size is 0"),
        ({"bands": 33}, "33 bands of 4 rows are more than 128 slots"),
        ({"slots": 0}, "slots is 0"),
        ({"slots": 1025}, "1 to 1024"),
        ({"containment": 12}, "containment is 12"),
        ({"containment": -1}, "containment is -1"),
    ],
)
def test_senseless_options(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get_algorithm("minhash-lsh", **options)

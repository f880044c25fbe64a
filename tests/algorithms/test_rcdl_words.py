"""MD5 and the algorithms of six words: formulas by hand, equal and unlike signatures, ties, short texts."""

from __future__ import annotations

import hashlib
import math
import zlib
from collections import Counter
from itertools import permutations

import pytest

from django_neardup.algorithms import Algorithm, get_algorithm
from django_neardup.algorithms.rcdl2007.heavy_words import (
    SixWordsAlgorithm,
    normalized_frequencies,
    okapi_idf,
    okapi_weights,
    optimal_idf,
    residual_idf,
)
from django_neardup.algorithms.statistics import TermStatistics
from django_neardup.text.canonical_text import CanonicalText

SIX = ["tf", "tf-idf", "tf-ridf", "opt-freq"]
COMMON = ["кот", "дом", "сад", "мост", "стол", "нож", "лес"]
RARE = ["якорь", "парус", "берег", "остров", "город", "забор"]
COLLECTION = TermStatistics(
    1000,
    20.0,
    dict.fromkeys(COMMON, (400, 500)) | {word: (20 + place, 90) for place, word in enumerate(RARE)},
)


def made(name: str, **options: object) -> SixWordsAlgorithm:
    given = {} if name == "tf" else {"statistics": COLLECTION}
    algorithm = get_algorithm(name, **given, **options)
    assert isinstance(algorithm, SixWordsAlgorithm)
    return algorithm


def same(algorithm: Algorithm, a: str, b: str) -> bool:
    """By the keys and by the measure, which must agree."""
    first, second = CanonicalText(a), CanonicalText(b)
    keys = set(algorithm.keys(first)) & set(algorithm.keys(second))
    assert bool(keys) == bool(algorithm.measure(algorithm.payload(first), algorithm.payload(second)))
    return bool(keys)


def test_normalised_frequency() -> None:
    assert normalized_frequencies({"кот": 4, "дом": 2, "сад": 1}) == {"кот": 1.0, "дом": 0.75, "сад": 0.625}
    assert normalized_frequencies({}) == {}


@pytest.mark.parametrize(
    ("tf", "words", "df", "weight"),
    [
        (1, 20, 1, 0.61528),
        (2, 40, 1, 0.67121),
        (1, 20, 8, -0.40793),
        (1, 20, 5, 0.0),
        (3, 20, 3, 0.6 * 0.76214),
    ],
)
def test_okapi(tf: int, words: int, df: int, weight: float) -> None:
    """N = 10, dl_avg = 20: TF of 1 in 20 words is 1/3, of 2 in 40 words 2/5.5; IDF of 1 text is ln(9.5/1.5) = 1.84583,
    of 8 texts ln(2.5/8.5) = -1.22378, of 3 ln(7.5/3.5) = 0.76214."""
    known = TermStatistics(10, 20.0, {"кот": (df, df)})
    assert okapi_weights({"кот": tf}, words, known)["кот"] == pytest.approx(weight, abs=5e-5)


def test_okapi_of_an_empty_collection_is_finite() -> None:
    weights = okapi_weights({"кот": 1}, 3, TermStatistics(0, 0.0, {}))
    assert weights["кот"] == pytest.approx(math.log(0.5 / 1.5) / 3)
    assert okapi_idf(1, 10) == pytest.approx(1.84583, abs=5e-5)


@pytest.mark.parametrize(
    ("df", "cf", "documents", "ridf"),
    [
        (5, 20, 100, 1.28796),
        (5, 5, 100, -0.02490),
        (1, 1, 100_000, 0.0),
        (100, 100, 100, -0.45868),
        (1, 1, 0, -0.45868),
    ],
)
def test_residual_idf(df: int, cf: int, documents: int, ridf: float) -> None:
    """df 5, cf 20, N 100: 2.99573 + ln(1 - e^-0.2) = 2.99573 - 1.70777."""
    assert residual_idf(df, cf, documents) == pytest.approx(ridf, abs=5e-5)


@pytest.mark.parametrize(
    ("idf", "value"), [(0.0, 0.0), (11.5 / 4, 0.5), (11.5 / 100, 0.1), (11.5, 1.0), (23.0, 0.5), (115.0, 0.1)]
)
def test_both_branches_of_the_optimal_frequency(idf: float, value: float) -> None:
    assert optimal_idf(idf, 11.5) == pytest.approx(value)


def test_the_optimum_and_the_base_are_options() -> None:
    known = TermStatistics(1024, 20.0, {"кот": (2, 2), "дом": (32, 32), "сад": (512, 512)})
    binary = get_algorithm("opt-freq", idf_opt=5.0, log_base=2, statistics=known)
    assert [binary.rarity(word) for word in ("дом", "сад", "кот")] == pytest.approx(
        [1.0, math.sqrt(0.2), 5 / 9]
    )
    natural = get_algorithm("opt-freq", statistics=known)
    assert natural.rarity("кот") == pytest.approx(math.sqrt(math.log(512) / 11.5))


@pytest.mark.parametrize(
    "options", [{"idf_opt": 0}, {"idf_opt": math.nan}, {"log_base": 1}, {"log_base": math.inf}]
)
def test_senseless_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        get_algorithm("opt-freq", **options)


def test_the_parameters_make_the_same_algorithm() -> None:
    parameters = made("opt-freq", idf_opt=5.0, log_base=2).parameters()
    name, _, _ = (parameters.pop(key) for key in ("algorithm", "version", "statistics"))
    assert get_algorithm(name, **parameters, statistics=COLLECTION).parameters() == {
        **parameters,
        "algorithm": "opt-freq",
        "version": 2,
        "statistics": COLLECTION.digest,
    }


def test_the_signature_is_the_crc32_of_six_words_in_alphabetical_order() -> None:
    text = "стол стол сад сад мост мост лес лес кот кот дом дом якорь"
    assert zlib.crc32("дом кот лес мост сад стол".encode()) == 2208183390
    assert made("tf").keys(CanonicalText(text)) == [2208183390]


@pytest.mark.parametrize("name", SIX)
def test_order_markup_case_and_stop_words_are_nothing(name: str) -> None:
    words = [*COMMON[:4], *RARE]
    dressed = "<b>" + ", ".join(reversed(words)).upper() + "</b> — и в на!"
    assert same(made(name), " ".join(words), dressed)


def test_the_length_counts_stop_words_and_the_weights_do_not() -> None:
    seen = []

    class Recording(SixWordsAlgorithm):
        name = "recording"

        def weights(self, counts: Counter[str], words: int) -> dict[str, float]:
            seen.append((dict(counts), words))
            return dict.fromkeys(counts, 1.0)

    assert Recording().heaviest_words(CanonicalText("и кот, и дом, и кот")) == ["дом", "кот"]
    assert seen == [({"кот": 2, "дом": 1}, 6)]


def test_of_equal_weights_the_alphabet_chooses() -> None:
    assert made("tf").heaviest_words(CanonicalText("якорь стол сад мост лес кот дом")) == [
        "дом",
        "кот",
        "лес",
        "мост",
        "сад",
        "стол",
    ]
    assert made("tf").heaviest_words(CanonicalText("якорь якорь стол сад мост лес кот дом"))[-1] == "якорь"


def test_rare_words_are_heavier_in_tf_idf() -> None:
    assert made("tf-idf").heaviest_words(CanonicalText(" ".join(COMMON + RARE))) == sorted(RARE)
    assert made("opt-freq").heaviest_words(CanonicalText(" ".join(COMMON + RARE))) == sorted(RARE)
    assert made("tf-ridf").heaviest_words(CanonicalText(" ".join(COMMON + RARE))) == sorted(RARE)
    assert made("tf").heaviest_words(CanonicalText(" ".join(COMMON + RARE))) == sorted(COMMON + RARE)[:6]


def test_beyond_the_optimum_rarer_words_are_lighter() -> None:
    """The optimum is at 25 texts of 1000: one of a single text weighs less than one of 21."""
    algorithm = made("opt-freq", idf_opt=math.log(40))
    assert algorithm.rarity("невиданное") == pytest.approx(math.log(40) / math.log(1000))
    assert algorithm.rarity("парус") > algorithm.rarity("невиданное") > algorithm.rarity("кот")


def test_a_misspelling_is_chosen_by_tf_idf_and_not_by_tf_ridf() -> None:
    right = " ".join(COMMON + RARE)
    wrong = right + " кракозябра"
    assert not same(made("tf-idf"), right, wrong)
    assert "кракозябра" in made("tf-idf").heaviest_words(CanonicalText(wrong))
    assert same(made("tf-ridf"), right, wrong)


def test_one_word_more_flips_a_short_text() -> None:
    assert not same(made("tf"), "кот мост нож сад стол якорь", "кот мост нож сад стол якорь дом")
    assert same(made("tf"), "кот мост нож сад стол лес", "кот мост нож сад стол лес якорь")


@pytest.mark.parametrize("name", SIX)
def test_fewer_than_six_words_are_all_taken(name: str) -> None:
    algorithm = made(name)
    assert algorithm.heaviest_words(CanonicalText("сад кот")) == ["кот", "сад"]
    assert same(algorithm, "сад кот", "кот сад!")
    assert not same(algorithm, "сад кот", "кот")


@pytest.mark.parametrize("name", [*SIX, "md5"])
@pytest.mark.parametrize("text", ["", " \x00 ", "!!!"])
def test_no_words_no_keys(name: str, text: str) -> None:
    algorithm = get_algorithm("md5") if name == "md5" else made(name)
    assert algorithm.keys(CanonicalText(text)) == []
    assert (
        algorithm.measure(algorithm.payload(CanonicalText(text)), algorithm.payload(CanonicalText(text))) == 0
    )


@pytest.mark.parametrize("name", SIX)
def test_contacts_have_no_signature(name: str) -> None:
    assert made(name).keys(CanonicalText("+7 916 123-45-67, ivan@example.ru")) == []


def test_the_phone_of_all_adverts_is_not_rare() -> None:
    """The statistics do not keep contacts, so that one would count as a word of a single text."""
    phone = " Звоните: +7 916 123-45-67, ivan@example.ru"
    adverts = [CanonicalText(" ".join(words) + phone) for words in permutations(COMMON, 3)][:20]
    known = TermStatistics.gather(adverts)
    for name in SIX:
        given = {} if name == "tf" else {"statistics": known}
        heaviest = get_algorithm(name, **given).heaviest_words(adverts[0])
        assert heaviest and not [word for word in heaviest if ":" in word]


@pytest.mark.parametrize("name", SIX)
def test_stop_words_alone_have_no_signature(name: str) -> None:
    assert made(name).keys(CanonicalText("и в на")) == []


@pytest.mark.parametrize("name", ["tf-idf", "tf-ridf", "opt-freq"])
def test_other_statistics_other_words(name: str) -> None:
    terms = dict.fromkeys(RARE, (400, 500)) | dict.fromkeys(COMMON, (20, 90))
    other = get_algorithm(name, statistics=TermStatistics(1000, 20.0, terms))
    text = CanonicalText(" ".join(COMMON + RARE))
    assert made(name).keys(text) != other.keys(text)


def test_the_length_of_a_text_tells_in_tf_idf() -> None:
    """In a collection of longer texts a rare word is heavier, in one of shorter texts a repeated one."""
    terms = {"кот": (60, 60), "якорь": (10, 10)}
    for average, heavier in ((200.0, "якорь"), (2.0, "кот")):
        weights = okapi_weights({"кот": 3, "якорь": 1}, 20, TermStatistics(1000, average, terms))
        assert max(weights, key=lambda word: weights[word]) == heavier


def test_md5_of_the_canonical_text() -> None:
    expected = int.from_bytes(hashlib.md5("дом и кот".encode()).digest()[:8], "big")
    assert get_algorithm("md5").keys(CanonicalText("Дома и <i>коты</i>!")) == [expected]


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("Продам гараж.", "<p>ПРОДАМ — гараж!!!</p>", True),
        ("Продам гараж", "Продам гаражи", True),
        ("Продам гараж", "Гараж продам", False),
        ("Продам гараж", "Продам большой гараж", False),
        ("С140.35", "С90.30", False),
    ],
)
def test_md5_finds_copies_and_nothing_else(a: str, b: str, equal: bool) -> None:
    assert same(get_algorithm("md5"), a, b) is equal


def test_verdicts_are_all_or_nothing() -> None:
    algorithm = made("tf-ridf")
    right = " ".join(COMMON + RARE)
    judged = [
        algorithm.judge(CanonicalText(right), CanonicalText(text))
        for text in (right + " кракозябра", "кот", right)
    ]
    assert [(judgement.verdict, judgement.score) for judgement in judged] == [
        ("duplicate", 1.0),
        ("none", 0.0),
        ("duplicate", 1.0),
    ]

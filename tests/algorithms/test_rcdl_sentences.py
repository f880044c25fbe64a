"""Two longest sentences, two heaviest sentences, and "3 + 5"."""

from __future__ import annotations

import random
import zlib
from collections import Counter

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.rcdl2007.heavy_words import okapi_weights
from django_neardup.algorithms.rcdl2007.sentences import longest_sentences
from django_neardup.algorithms.rcdl2007.three_plus_five import key_of_five_longest_words
from django_neardup.algorithms.statistics import TermStatistics
from django_neardup.text.canonical_text import CanonicalText

LONG = "кот дом сад мост стол нож лес гриб суп"
SECOND = "хлеб сыр чай конь волк гусь дуб плот"
THIRD = "парус якорь туман ветер гром снег огонь"
SHORT = ["камень песок", "берег остров город", "забор колодец"]
OTHERS = ["топор молоток кот", "молоток стол", "город туман снег"]
FIVE = "молоток колодец остров камень берег"
NOUNS = " ".join([LONG, SECOND, THIRD, *SHORT, "топор молоток"]).split()


def text(*sentences: str) -> str:
    """Sentences with a capital and a full stop each."""
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


def same(name: str, a: str, b: str, **options: object) -> bool:
    algorithm = get_algorithm(name, **options)
    packed = [algorithm.payload(CanonicalText(item)) for item in (a, b)]
    assert algorithm.measure(*packed) == algorithm.measure(*reversed(packed))
    return bool(algorithm.measure(*packed))


def candidates(name: str, a: str, b: str, **options: object) -> bool:
    algorithm = get_algorithm(name, **options)
    return not set(algorithm.keys(CanonicalText(a))).isdisjoint(algorithm.keys(CanonicalText(b)))


def test_the_words_of_these_tests_are_their_own_lemmas() -> None:
    assert [token.key for token in CanonicalText(" ".join(NOUNS)).tokens] == NOUNS
    assert len(CanonicalText(text(LONG, SECOND, THIRD, *SHORT)).sentences) == 6


def test_sentences_by_length_then_by_the_alphabet() -> None:
    found = longest_sentences(CanonicalText(text("сад мост", LONG, "дом мост", LONG, "лес")))
    assert [" ".join(words) for words in found] == [LONG, "дом мост", "сад мост", "лес"]


def test_the_signature_of_long_sent_by_hand() -> None:
    expected = zlib.crc32(f"{LONG} {SECOND}".encode())
    assert get_algorithm("long-sent").keys(CanonicalText(text(SECOND, SHORT[0], LONG, THIRD))) == [expected]


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (text(LONG, SECOND, *SHORT), text(SECOND, *OTHERS, LONG), True),
        (text(LONG, SECOND, THIRD), text(LONG, SECOND), True),
        (text(LONG, SECOND, *SHORT), text(LONG + " якорь", SECOND, *SHORT), False),
        (text(LONG, SECOND, *SHORT), text(LONG, SECOND.replace("сыр", "чай"), *SHORT), False),
        (text(LONG, LONG, SECOND), text(LONG, SECOND), True),
        (text(LONG), text(LONG), True),
        (text(LONG), text(LONG, "кот"), False),
        (text("кот"), text("дом"), False),
    ],
)
def test_long_sent(a: str, b: str, equal: bool) -> None:
    assert same("long-sent", a, b) is candidates("long-sent", a, b) is equal


def test_equal_lengths_are_chosen_by_the_alphabet_whatever_the_order() -> None:
    sentences = ["сад мост", "дом мост", "лес мост", "кот мост"]
    signatures = set()
    for _ in range(5):
        random.Random(1).shuffle(sentences)
        signatures.update(get_algorithm("long-sent").keys(CanonicalText(text(*sentences))))
    assert signatures == {zlib.crc32("дом мост кот мост".encode())}


KNOWN = TermStatistics(
    1000,
    20.0,
    dict.fromkeys(NOUNS, (400, 900))
    | {"якорь": (3, 3), "парус": (5, 5), "гусь": (4, 4), "молоток": (900, 2000)},
)


def heavy() -> object:
    return get_algorithm("heavy-sent", statistics=KNOWN)


def test_heavy_sentences_are_those_of_rare_words() -> None:
    document = CanonicalText(text(LONG, SECOND, "парус якорь", "гусь", "кот дом"))
    assert [" ".join(words) for words in heavy().heaviest_sentences(document)] == [SECOND, "парус якорь"]


def test_the_weight_of_a_sentence_is_the_sum_of_the_weights_of_tf_idf() -> None:
    """A word that stands twice in a sentence counts twice."""
    document = CanonicalText(text("кот дом огонь", "якорь", "сад сад мост", "молоток"))
    weights = okapi_weights(
        Counter(["кот", "дом", "огонь", "якорь", "сад", "сад", "мост", "молоток"]), 8, KNOWN
    )
    sums = {
        "кот дом огонь": weights["кот"] + weights["дом"] + weights["огонь"],
        "якорь": weights["якорь"],
        "сад сад мост": 2 * weights["сад"] + weights["мост"],
        "молоток": weights["молоток"],
    }
    best = sorted(sums, key=lambda sentence: -sums[sentence])[:2]
    assert best == ["якорь", "сад сад мост"]
    assert [" ".join(words) for words in heavy().heaviest_sentences(document)] == best
    assert heavy().keys(document) == [zlib.crc32("сад сад мост якорь".encode())]


def test_a_common_word_makes_a_sentence_lighter_and_a_stop_word_does_not() -> None:
    assert okapi_weights({"молоток": 1}, 7, KNOWN)["молоток"] < 0
    heaviest = heavy().heaviest_sentences(
        CanonicalText(text("кот дом молоток молоток", "и в на кот дом", "кот дом"))
    )
    assert [" ".join(words) for words in heaviest] == ["и в на кот дом", "кот дом"]


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (text("парус якорь", SECOND, LONG), text(LONG + " лес", SECOND, "парус якорь"), True),
        (text("парус якорь", SECOND, LONG), text("парус якорь дом", SECOND, LONG), False),
        (text("кот"), text("кот"), True),
        (text("кот"), text("дом"), False),
    ],
)
def test_heavy_sent(a: str, b: str, equal: bool) -> None:
    assert same("heavy-sent", a, b, statistics=KNOWN) is equal


@pytest.mark.parametrize("name", ["long-sent", "heavy-sent", "three-plus-five"])
@pytest.mark.parametrize("empty", ["", "!!! ...", "\x00"])
def test_no_words_no_keys(name: str, empty: str) -> None:
    algorithm = get_algorithm(name, statistics=KNOWN)
    assert algorithm.keys(CanonicalText(empty)) == []
    assert (
        algorithm.measure(algorithm.payload(CanonicalText(empty)), algorithm.payload(CanonicalText(empty)))
        == 0
    )


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        pytest.param(
            [LONG, SECOND, THIRD, *SHORT],
            [LONG, SECOND.replace("сыр", "кот"), THIRD.replace("гром", "кот"), *OTHERS],
            True,
            id="longest-equal",
        ),
        pytest.param(
            [LONG, SECOND, THIRD, *SHORT],
            [THIRD, SECOND, LONG.replace("мост", "чай"), *OTHERS],
            True,
            id="two-of-three",
        ),
        pytest.param(
            [LONG, SECOND, THIRD, *SHORT],
            [THIRD + " кот дом сад", SECOND, LONG, *OTHERS],
            True,
            id="two-of-three-in-another-order",
        ),
        pytest.param(
            [LONG, SECOND, THIRD, *SHORT],
            [LONG.replace("мост", "чай"), SECOND, THIRD.replace("гром", "кот"), *SHORT],
            False,
            id="one-of-three-that-is-not-the-longest",
        ),
        pytest.param(
            [LONG, SECOND, THIRD, *SHORT],
            [LONG.replace("мост", "чай"), SECOND.replace("сыр", "чай"), THIRD.replace("гром", "кот"), *SHORT],
            False,
            id="none-of-three",
        ),
        pytest.param(
            [LONG, SECOND.replace("сыр", "чай"), THIRD, *SHORT],
            [LONG + " якорь", LONG, SECOND, *OTHERS],
            False,
            id="the-longest-is-the-second-of-the-other",
        ),
    ],
)
def test_three_longest_sentences(a: list[str], b: list[str], equal: bool) -> None:
    assert len(a) >= 5 and len(b) >= 5
    assert same("three-plus-five", text(*a), text(*b)) is equal


def test_the_order_of_sentences_is_nothing() -> None:
    source, sentences = random.Random(2), [LONG, SECOND, THIRD, *SHORT]
    packs = set()
    for _ in range(5):
        source.shuffle(sentences)
        packs.add(get_algorithm("three-plus-five").payload(CanonicalText(text(*sentences))))
    assert len(packs) == 1


def test_one_key_for_the_longest_and_three_for_the_pairs() -> None:
    algorithm = get_algorithm("three-plus-five")
    assert len(algorithm.keys(CanonicalText(text(LONG, SECOND, THIRD, *SHORT)))) == 4
    assert len(algorithm.keys(CanonicalText(text(LONG, SECOND, THIRD)))) == 5
    assert len(algorithm.keys(CanonicalText(text(LONG)))) == 2
    assert algorithm.min_shared == 1


def filled(words: int) -> str:
    """The longest sentence of nine words, and so many others in sentences of three, unlike those of other sizes."""
    fill = [f"слово{words}x{number}" for number in range(words)]
    return text(LONG, *(" ".join(fill[start : start + 3]) for start in range(0, words, 3)))


@pytest.mark.parametrize(
    ("words", "ratio", "equal"),
    [(8, 0.85, True), (7, 0.85, False), (7, 0.8, True), (0, 0.0, True), (0, 0.85, False)],
)
def test_lengths_must_be_alike(words: int, ratio: float, equal: bool) -> None:
    """Texts of 20 words and of 17, 16, 9: the key is shared all the same."""
    a, b = filled(11), filled(words)
    assert len(CanonicalText(a)) == 20 and len(CanonicalText(b)) == 9 + words
    assert candidates("three-plus-five", a, b)
    assert same("three-plus-five", a, b, length_ratio=ratio) is equal


def test_a_short_longest_sentence_does_not_decide_alone() -> None:
    seven = "кот дом сад мост стол нож лес"
    a, b = (
        [seven, *SHORT, *OTHERS[:2]],
        [seven, "суп хлеб сыр", "сыр чай", "волк гусь", "дуб плот", "конь волк"],
    )
    assert not candidates("three-plus-five", text(*a), text(*b))
    assert candidates("three-plus-five", text(*a), text(*b), least_words=7)
    assert candidates("three-plus-five", text(seven + " гриб", *a[1:]), text(seven + " гриб", *b[1:]))


def test_a_short_longest_sentence_counts_among_two_of_three() -> None:
    common = ["кот дом сад мост", "стол нож лес"]
    assert same("three-plus-five", text(*common, "гусь", "волк", "плот"), text(*common, "чай", "суп", "сыр"))


def test_five_longest_words_by_hand() -> None:
    first = key_of_five_longest_words(CanonicalText("кот молоток колодец остров берег парус камень песок"))
    assert first == key_of_five_longest_words(CanonicalText("молоток колодец остров камень берег и в на дом"))
    assert first != key_of_five_longest_words(CanonicalText("молоток колодец остров камень парус"))
    assert first == key_of_five_longest_words(
        CanonicalText(FIVE + " и в на, +7 916 123-45-67, ivan@example.ru")
    )


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (
            ["молоток колодец кот", "остров камень берег"],
            ["колодец молоток дом", "остров камень берег сад"],
            True,
        ),
        (
            ["молоток колодец кот", "остров камень берег"],
            ["колодец молоток дом", "остров камень город"],
            False,
        ),
        (["молоток колодец кот", "остров камень"], ["молоток колодец дом", "остров сад камень"], False),
        (
            ["кот", "дом", "сад", "молоток колодец остров камень берег"],
            ["молоток остров колодец камень берег чай лес"],
            True,
        ),
        (
            ["кот", "дом", "сад", "нож", "молоток колодец остров камень берег"],
            ["молоток остров колодец камень берег"],
            False,
        ),
    ],
    ids=["five-equal", "one-of-five-not", "fewer-than-five-long", "four-sentences", "five-sentences"],
)
def test_under_five_sentences_by_five_longest_words(a: list[str], b: list[str], equal: bool) -> None:
    assert same("three-plus-five", text(*a), text(*b), length_ratio=0.5) is equal


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("Кот.", "кот!", True),
        ("Кот дом.", "Дом кот.", False),
        ("Кот.", "Кот. Дом.", False),
        ("Кот. Дом.", "Дом! Кот!", True),
    ],
)
def test_texts_of_few_words_meet_only_whole(a: str, b: str, equal: bool) -> None:
    assert candidates("three-plus-five", a, b) is equal


@pytest.mark.parametrize("options", [{"length_ratio": 1.5}, {"length_ratio": -1}, {"least_words": 0}])
def test_senseless_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="length_ratio is within"):
        get_algorithm("three-plus-five", **options)


def test_keys_are_keyed() -> None:
    algorithm = get_algorithm("three-plus-five")
    keys = [
        set(algorithm.keys(CanonicalText(text(LONG, SECOND), secret=secret))) for secret in (b"", b"secret")
    ]
    assert keys[0].isdisjoint(keys[1])


def test_the_parameters_make_the_same_algorithm() -> None:
    parameters = get_algorithm("three-plus-five", length_ratio=0.5, least_words=3).parameters()
    again = dict(parameters)
    name, _ = again.pop("algorithm"), again.pop("version")
    assert get_algorithm(name, **again).parameters() == parameters
    assert (parameters["length_ratio"], parameters["least_words"]) == (0.5, 3)

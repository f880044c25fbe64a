from __future__ import annotations

import gc
import json
import random
import weakref
import zlib
from array import array
from collections.abc import Iterator

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.statistics import (
    StatisticsMissing,
    TermStatistics,
    require_statistics,
    word_frequencies,
)
from django_neardup.algorithms.statistics_builder import (
    HISTOGRAM_BINS,
    MAX_WORDS_PER_SAMPLE,
    SUPPORT_WORDS_PER_TEXT,
    StatisticsCollector,
    _best_threshold,
    _greedy_cover,
)
from django_neardup.text.canonical_text import CanonicalText

TEXTS = ["кот дом кот", "кот сад", "дом мост стол", "!!!", ""]
NEEDY = ["tf-idf", "tf-ridf", "heavy-sent", "lex-rand", "descr-words", "opt-freq"]


def documents(texts: list[str]) -> list[CanonicalText]:
    return [CanonicalText(text) for text in texts]


def test_counts_of_three_texts_by_hand() -> None:
    gathered = TermStatistics.gather(documents(TEXTS))
    assert gathered.text_count == 3
    assert gathered.average_length == pytest.approx(8 / 3)
    assert gathered.terms == {"кот": (2, 3), "дом": (2, 2)}
    assert (gathered.document_frequency("кот"), gathered.collection_frequency("кот")) == (2, 3)


def test_a_word_of_one_text_counts_as_unknown() -> None:
    gathered = TermStatistics.gather(documents(["кот кот кот", "дом"]))
    assert gathered.terms == {}
    assert (gathered.document_frequency("кот"), gathered.collection_frequency("кот")) == (1, 1)


def test_an_empty_collection_has_statistics() -> None:
    gathered = TermStatistics.gather([])
    assert (gathered.text_count, gathered.average_length, gathered.terms, gathered.support_thresholds) == (
        0,
        0.0,
        {},
        {},
    )
    assert TermStatistics.unpack(gathered.pack()) == gathered


def many(count: int) -> list[str]:
    source = random.Random(5)
    words = ["кот", "дом", "сад", "мост", "стол", "нож", "лес", "гриб", "суп", "хлеб", "сыр", "чай", "и", "в"]
    return [" ".join(source.choices(words, k=source.randint(1, 40))) for _ in range(count)]


def test_the_order_of_texts_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.algorithms.statistics_builder.SAMPLE_SIZE", 50)
    texts = many(200)
    first = TermStatistics.gather(documents(texts))
    random.Random(6).shuffle(texts)
    second = TermStatistics.gather(documents(texts))
    assert (first.digest, first.pack()) == (second.digest, second.pack())
    assert first.support_thresholds
    assert TermStatistics.gather(documents(texts[1:])).digest != first.digest


def test_the_digest_is_of_the_content() -> None:
    terms = {"кот": (2, 3), "дом": (2, 2)}
    one = TermStatistics(3, 2.5, terms, {"кот": 0.1})
    assert one.digest == TermStatistics(3, 2.5, dict(reversed(terms.items())), {"кот": 0.1}).digest
    assert len(one.digest) == 32
    others = [
        TermStatistics(4, 2.5, terms, {"кот": 0.1}),
        TermStatistics(3, 2.0, terms, {"кот": 0.1}),
        TermStatistics(3, 2.5, {"кот": (2, 3)}, {"кот": 0.1}),
        TermStatistics(3, 2.5, terms, {"кот": 0.2}),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 5


def test_packed_and_back() -> None:
    gathered = TermStatistics.gather(documents(many(60)))
    back = TermStatistics.unpack(gathered.pack())
    assert back == gathered
    assert back.digest == gathered.digest
    assert back.pack() == gathered.pack()
    assert back.support_thresholds == gathered.support_thresholds != {}


def body(**changes: object) -> bytes:
    made = {
        "format": 1,
        "documents": 3,
        "average_length": 2.5,
        "terms": {"кот": [2, 3]},
        "support": {"кот": 0.1},
    }
    return zlib.compress(json.dumps(made | changes).encode())


def test_the_body_that_is_spoilt_below_is_sound() -> None:
    assert TermStatistics.unpack(body()) == TermStatistics(3, 2.5, {"кот": (2, 3)}, {"кот": 0.1})


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no zlib",
        zlib.compress(b"no json"),
        zlib.compress(b"\xff\xfe"),
        zlib.compress(b"[]"),
        zlib.compress(b"[" * 100_000),
        body()[:-6],
        body(format=2),
        body(documents=-1),
        body(documents=-1, terms={}),
        body(documents=True),
        body(documents="3"),
        body(average_length=-1),
        body(average_length=float("nan")),
        body(average_length=None),
        body(terms=[]),
        body(terms={"кот": [0, 0]}),
        body(terms={"кот": [3, 2]}),
        body(terms={"кот": [4, 4]}),
        body(terms={"кот": [2]}),
        body(terms={"кот": [2, 2.5]}),
        body(terms={"кот": 2}),
        body(support=[]),
        body(support={"кот": "0.1"}),
        body(support={"кот": -0.1}),
    ],
)
def test_other_bytes_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError):
        TermStatistics.unpack(packed)


def test_texts_are_not_kept() -> None:
    alive: list[weakref.ref[CanonicalText]] = []
    most = 0

    def stream() -> Iterator[CanonicalText]:
        nonlocal most
        for text in many(300):
            document = CanonicalText(text)
            alive.append(weakref.ref(document))
            yield document
            del document
            most = max(most, sum(reference() is not None for reference in alive))

    assert TermStatistics.gather(stream()).text_count == 300
    gc.collect()
    assert most <= 2
    assert not any(reference() for reference in alive)


def test_frequencies_are_shares_of_all_words() -> None:
    assert word_frequencies(CanonicalText("кот и кот, сад")) == {"кот": 0.5, "и": 0.25, "сад": 0.25}
    assert word_frequencies(CanonicalText("")) == {}


def histogram(*steps: int) -> array[int]:
    return array("Q", [sum(steps), sum(steps), *steps, *[0] * (HISTOGRAM_BINS - len(steps))])


@pytest.mark.parametrize(
    ("steps", "threshold", "quality"),
    [
        ((0, 0, 0, 10), 1 / 200, 1.0),
        ((4, 0, 0, 6), 2 / 200, 1.0),
        ((1, 1, 0, 8), 1 / 200, 0.8),
        ((5, 5, 5, 5), 1 / 200, 0.5),
        ((10,), 0.0, 0.0),
    ],
)
def test_thresholds_by_hand(steps: tuple[int, ...], threshold: float, quality: float) -> None:
    """At 1/200 of (1, 1, 0, 8) 8 texts are outside and 9 above, at 2/200 it is 9 and 8: the lower one wins."""
    assert _best_threshold(histogram(*steps)) == pytest.approx((threshold, quality))


def test_the_cover_takes_what_lifts_most_texts_first() -> None:
    above = {"кот": [0, 1, 2], "дом": [3, 4], "сад": [0, 1, 2, 3], "мост": [5]}
    quality = {"кот": 1.0, "дом": 1.0, "сад": 0.5, "мост": 0.0}
    assert _greedy_cover(above, quality, 6) == ["кот", "дом", "сад"]


def test_the_cover_ends_when_every_text_has_its_words() -> None:
    above = {f"слово{number:02}": [0, 1] for number in range(30)}
    assert _greedy_cover(above, dict.fromkeys(above, 1.0), 2) == sorted(above)[:SUPPORT_WORDS_PER_TEXT]


def test_the_cover_counts_only_texts_that_still_lack_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.algorithms.statistics_builder.SUPPORT_WORDS_PER_TEXT", 1)
    above = {"кот": [0, 1, 2], "дом": [1, 2, 3], "сад": [3, 4]}
    assert _greedy_cover(above, {"кот": 1.0, "дом": 0.9, "сад": 1.0}, 5) == ["кот", "сад"]


def test_frequencies_are_counted_in_steps() -> None:
    """1 word of 4 is in the last step, which has no end; 1 of 100 is step 2 of 1/200."""
    gathering = StatisticsCollector()
    for text in ("кот дом сад мост", "кот " + " ".join(f"а{number}б" for number in range(99))):
        gathering.add(CanonicalText(text))
    assert gathering.counts["кот"].tolist() == [2, 2, 0, 0, 1, *[0] * 12, 1]


def test_the_sample_is_of_the_texts_whatever_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.algorithms.statistics_builder.SAMPLE_SIZE", 20)
    samples = []
    for texts in (many(100), many(100)[::-1]):
        gathering = StatisticsCollector()
        for text in texts:
            gathering.add(CanonicalText(text))
        samples.append(sorted(gathering.sample))
    assert samples[0] == samples[1]
    assert len(samples[0]) == 20


def test_the_support_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.algorithms.statistics_builder.MAX_SUPPORT_WORDS", 3)
    assert len(TermStatistics.gather(documents(many(60))).support_thresholds) == 3


def test_stop_words_support_nothing() -> None:
    support = TermStatistics.gather(documents(many(60))).support_thresholds
    assert support
    assert not {"и", "в"} & set(support)
    assert all(0 < least < 0.1 for least in support.values())


def test_of_a_long_text_only_the_most_frequent_words_are_sampled() -> None:
    rare = [f"слово{number}x" for number in range(MAX_WORDS_PER_SAMPLE + 50)]
    gathering = StatisticsCollector()
    gathering.add(CanonicalText(" ".join(["кот"] * 3 + rare)))
    ((_, vector),) = gathering.sample
    assert len(vector) == MAX_WORDS_PER_SAMPLE
    assert vector[0][0] == "кот"


@pytest.mark.parametrize("name", NEEDY)
def test_without_statistics_there_are_no_keys(name: str) -> None:
    algorithm = get_algorithm(name)
    assert algorithm.needs_statistics
    assert algorithm.parameters()["statistics"] is None
    for function in (algorithm.keys, algorithm.payload):
        with pytest.raises(StatisticsMissing, match=f"{name} needs the statistics of a collection"):
            function(CanonicalText("кот дом сад"))


@pytest.mark.parametrize("name", NEEDY)
def test_the_statistics_are_in_the_parameters(name: str) -> None:
    gathered = TermStatistics.gather(documents(TEXTS))
    algorithm = get_algorithm(name, statistics=gathered)
    assert algorithm.parameters()["statistics"] == gathered.digest
    assert require_statistics(gathered, name) is gathered


def test_contacts_are_not_kept() -> None:
    texts = [f"Продам диван {n}, звоните +7 916 123-45-67, ivan@example.ru" for n in range(3)]
    terms = TermStatistics.gather(CanonicalText(text) for text in texts).terms
    assert "диван" in terms and not [term for term in terms if "916" in term or "@" in term]

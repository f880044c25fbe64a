"""Signing and screening of many texts at once gives what is given of each."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from django_neardup.algorithms import Algorithm, get_algorithm
from django_neardup.algorithms.bag_of_words import MAX_MEMBERS, common_share, pack_bag
from django_neardup.algorithms.default.neardup import NearDup
from django_neardup.algorithms.default.neardup_keys import exact_key
from django_neardup.algorithms.kernels import signatures
from django_neardup.algorithms.kernels.bags import (
    PAIRS_PER_STEP,
    common_shares,
    intersection_sizes_many,
    pack_bags,
)
from django_neardup.algorithms.kernels.neardup_signatures import exact_keys
from django_neardup.algorithms.kernels.ragged import offsets_of
from django_neardup.algorithms.key_sampling import intersection_sizes
from django_neardup.text.batch import read_batch
from django_neardup.text.canonical_text import CanonicalText
from tests.algorithms.batches import PlainBatch
from tests.algorithms.test_properties import NAMES, TEXT, TEXTS, edited, made
from tests.fuzzing import examples

SIGNED = [
    ("neardup", {}),
    ("neardup", {"window": 4}),
    ("neardup", {"window": 90}),
    ("neardup-articles", {}),
    ("minhash-lsh", {}),
    ("minhash-lsh", {"size": 3}),
    ("minhash-lsh", {"size": 1, "bands": 5, "rows": 7, "slots": 50}),
    ("minhash-lsh", {"containment": 16}),
    ("minhash-lsh", {"containment": 1}),
    ("simhash", {}),
]
signed = pytest.mark.parametrize(("name", "options"), SIGNED)
ODD = [
    "",
    "и в на не",
    "слово",
    "...",
    "+7 903 123-45-67",
    "100 руб",
    "раз два три четыре пять шесть семь",
    "раз два три четыре пять шесть семь восемь",
    "дом " * 100,
    "дом и лес " * 40,
    "и в на с у " * 30 + "дом лес река гора стол",
    " ".join(f"w{number % 40} w{number % 23}" for number in range(300)),
]


@cache
def lexicon() -> list[str]:
    source = random.Random(8)
    return ["".join(source.choices("бвгдклмнпрстаоуие", k=source.randint(1, 9))) for _ in range(3000)]


def of_words(count: int) -> str:
    """Words of all ranks, a stop word in four."""
    source = random.Random(count)
    return " ".join(
        source.choice(["и", "в", "на", "это"])
        if source.random() < 0.25
        else lexicon()[int(3000 * source.random() ** 3)]
        for _ in range(count)
    )


@cache
def documents() -> tuple[CanonicalText, ...]:
    lengths = [*range(0, 70, 3), *range(60, 80), 200, 831, 834, 835, 1700, 5000, 9000]
    texts = [
        *ODD,
        *TEXTS,
        *map(of_words, lengths),
        *(edited(text, seed) for text in TEXTS for seed in range(8)),
    ]
    random.Random(1).shuffle(texts)
    return tuple(CanonicalText(text, secret=b"s") for text in texts)


def check(algorithm: Algorithm, texts: tuple[CanonicalText, ...]) -> list[bytes]:
    found = algorithm.sign_batch(PlainBatch(texts))
    assert len(found) == len(texts) == len(found.offsets) - 1
    assert found.keys.dtype == np.uint64 and found.offsets.dtype == np.int64
    for number, text in enumerate(texts):
        assert found.keys_of(number).tolist() == sorted(algorithm.keys(text)), text
        assert found.payloads[number] == algorithm.payload(text), text
    return found.payloads


# --- signing ---


@signed
def test_keys_and_payloads_are_those_of_each_text(name: str, options: dict[str, Any]) -> None:
    algorithm = get_algorithm(name, **options)
    check(algorithm, documents())
    check(algorithm, ())


@signed
def test_batches_of_one_text(name: str, options: dict[str, Any]) -> None:
    algorithm = get_algorithm(name, **options)
    for text in [*map(CanonicalText, ODD), *documents()[::4]]:
        check(algorithm, (text,))


@signed
@pytest.mark.parametrize("tokens", [1, 100, 700])
def test_batches_in_parts(
    name: str, options: dict[str, Any], tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signatures, "TOKENS_PER_PART", tokens)
    texts = tuple(map(CanonicalText, [*ODD, "", *map(of_words, (0, 90, 300, 9, 700, 3, 0)), ""]))
    check(get_algorithm(name, **options), texts)
    check(get_algorithm(name, **options), texts[-2:])


@pytest.mark.parametrize("tokens", [1, 3, 10, 50])
def test_parts_are_all_of_a_batch(tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signatures, "TOKENS_PER_PART", tokens)
    batch = PlainBatch(
        tuple(map(CanonicalText, ["", "дом и лес", "река", "", "и", "гора стол окно дверь", ""]))
    )
    parts = signatures.split_batch(batch)
    assert [value for part in parts for value in part.lengths.tolist()] == batch.lengths.tolist()
    assert [exact for part in parts for exact in part.exacts] == batch.exacts
    for field in ("hashes", "stop", "content"):
        together = np.concatenate([getattr(part, field) for part in parts])
        assert together.tolist() == getattr(batch, field).tolist()
    assert all(part.offsets.tolist() == offsets_of(part.lengths).tolist() for part in parts)


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_signs_batches(name: str) -> None:
    check(made(name), tuple(map(CanonicalText, (*TEXTS, ""))))


@signed
@examples(20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXT, max_size=6))
def test_any_texts(name: str, options: dict[str, Any], texts: list[str]) -> None:
    check(get_algorithm(name, **options), tuple(map(CanonicalText, texts)))


@signed
def test_batches_that_are_read_side_by_side(name: str, options: dict[str, Any]) -> None:
    algorithm, texts = get_algorithm(name, **options), documents()
    found = algorithm.sign_batch(read_batch([each.raw for each in texts], secret=b"s"))
    assert [found.keys_of(number).tolist() for number in range(len(texts))] == [
        sorted(algorithm.keys(each)) for each in texts
    ]
    assert found.payloads == [algorithm.payload(each) for each in texts]


def test_exact_keys() -> None:
    assert exact_keys(PlainBatch(documents())).tolist() == [exact_key(each) for each in documents()]


def test_a_class_with_keys_of_its_own_signs_with_them() -> None:
    class Other(NearDup):
        name = "other"

        def keys(self, text: CanonicalText) -> list[int]:
            return [1000 + len(text), 7]

        def measure(self, a: bytes, b: bytes) -> float:
            return 0.25

        def should_judge(
            self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
        ) -> bool:
            return word_count_a > word_count_b

    packs = check(Other(), documents()[:9])
    assert Other().screen_many(packs[0], packs[:2]).tolist() == [0.25, 0.25]
    assert Other().should_judge_many([0.9, 0.9], 5, [1, 2], [2, 1]).tolist() == [False, True]


# --- screening ---


def drawn(packs: list[bytes], seed: int) -> list[bytes]:
    return random.Random(seed).choices(packs, k=PAIRS_PER_STEP + 90)


@signed
def test_screens_are_those_of_each_pair(name: str, options: dict[str, Any]) -> None:
    algorithm = get_algorithm(name, **options)
    packs = list(algorithm.sign_batch(PlainBatch(documents())).payloads)
    ours, theirs = drawn(packs, 1), drawn(packs, 2)
    for many, of_one in (
        (algorithm.screen_pairs, algorithm.screen),
        (algorithm.measure_pairs, algorithm.measure),
    ):
        found = many(ours, theirs)
        assert found.dtype == np.float64
        assert found.tolist() == [of_one(a, b) for a, b in zip(ours, theirs, strict=True)]
    for pack in packs[:4]:
        assert algorithm.screen_many(pack, packs).tolist() == [
            algorithm.screen(pack, other) for other in packs
        ]
    assert algorithm.screen_many(packs[0], []).tolist() == []


@pytest.mark.parametrize("name", [*dict(SIGNED), "winnowing", "containment"])
def test_who_passes_is_as_for_each_candidate(name: str) -> None:
    algorithm = get_algorithm(name)
    rows = list(
        product((0.0, 0.03, 0.29, 0.3, 0.36, 0.5, 0.7, 1.0), (0, 1, 3), (0, 1, 30, 900), (0, 30, 1000))
    )
    found = algorithm.should_judge_many(*zip(*rows))
    assert found.dtype == np.bool_
    assert found.tolist() == [algorithm.should_judge(*row) for row in rows]
    assert algorithm.should_judge_many([0.1, 0.9], 1, 50, [40, 60]).tolist() == [
        algorithm.should_judge(0.1, 1, 50, 40), algorithm.should_judge(0.9, 1, 50, 60)
    ]  # fmt: skip


# --- bags ---

FEW = st.lists(st.integers(0, 5).map(lambda value: value << 32), max_size=12)
BAGS = st.lists(st.one_of(FEW, st.lists(st.integers(0, 2**64 - 1), max_size=12)), max_size=8)


def packed(bags: list[list[int]]) -> list[bytes]:
    flat = np.array([value for bag in bags for value in bag], np.uint64)
    return pack_bags(flat, offsets_of(np.array([len(bag) for bag in bags], np.int64)))


def compared(packs: list[bytes]) -> None:
    ours, theirs = zip(*product(packs, packs)) if packs else ((), ())
    pairs = list(zip(ours, theirs))
    assert common_shares(ours, theirs).tolist() == [common_share(a, b) for a, b in pairs]
    assert intersection_sizes_many(ours, theirs).T.tolist() == [
        list(intersection_sizes(a, b)) for a, b in pairs
    ]
    for one in packs:
        found = intersection_sizes_many([one] * len(packs), packs)
        assert found.T.tolist() == [list(intersection_sizes(one, other)) for other in packs]


@given(BAGS)
@examples(100)
def test_bags_of_many_texts(bags: list[list[int]]) -> None:
    packs = packed(bags)
    assert packs == [pack_bag(bag) for bag in bags]
    compared(packs)


def test_samples_of_long_texts() -> None:
    source = random.Random(6)
    common = [source.getrandbits(64) for _ in range(MAX_MEMBERS)]
    bags = [
        common[:size] + [source.getrandbits(64) for _ in range(own)]
        for size, own in (
            (MAX_MEMBERS, 0),
            (MAX_MEMBERS, 1),
            (MAX_MEMBERS, 9000),
            (1000, 20_000),
            (50, 0),
            (0, 0),
        )
    ]
    packs = packed(bags)
    assert packs == [pack_bag(bag) for bag in bags]
    compared(packs)


def test_unlike_words_of_equal_high_halves() -> None:
    """They are one member of a bag that has it twice."""
    bags = [[5 << 32, 5 << 32 | 1, 7 << 32], [5 << 32], [5 << 32, 5 << 32 | 9], [7 << 32, 9 << 32], [0, 1, 2]]
    packs = packed(bags)
    assert packs == [pack_bag(bag) for bag in bags]
    compared(packs)

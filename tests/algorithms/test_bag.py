from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.bag_of_words import MAX_MEMBERS, common_share, pack_bag
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import hash_word

hashes = st.lists(st.text(max_size=3).map(hash_word), max_size=60)
few = st.lists(st.sampled_from("абв").map(hash_word), max_size=20)


def exact_share(a: list[int], b: list[int]) -> float:
    common = (Counter(a) & Counter(b)).total()
    return common / max(len(a), len(b)) if a or b else 0.0


@given(st.one_of(hashes, few), st.one_of(hashes, few))
def test_the_share_is_that_of_the_multisets(a: list[int], b: list[int]) -> None:
    assert common_share(pack_bag(a), pack_bag(b)) == pytest.approx(exact_share(a, b))


@given(hashes)
def test_four_bytes_a_word_and_the_order_does_not_matter(a: list[int]) -> None:
    assert len(pack_bag(a)) == 4 * (len(a) + 1)
    assert pack_bag(a) == pack_bag(list(reversed(a)))


def test_long_texts_are_sampled_alike() -> None:
    source = random.Random(3)
    a = [source.getrandbits(64) for _ in range(30_000)]
    b = a[:15_000] + [source.getrandbits(64) for _ in range(10_000)]
    packed_a, packed_b = pack_bag(a), pack_bag(b)
    assert len(packed_a) <= 4 * (MAX_MEMBERS + 1)
    assert common_share(packed_a, packed_b) == pytest.approx(exact_share(a, b), abs=0.05)
    assert common_share(packed_a, packed_a) == 1


def test_a_quote_in_a_long_text_is_seen_below_the_common_limit() -> None:
    source = random.Random(4)
    quote = [source.getrandbits(64) for _ in range(2000)]
    long = quote + [source.getrandbits(64) for _ in range(6000)]
    assert common_share(pack_bag(quote), pack_bag(long)) == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize(
    ("screened", "shared", "words", "passes"),
    [
        (0.29, 1, (50, 50), False),
        (0.30, 1, (50, 50), True),
        (0.03, 1, (30, 1000), True),
        (0.03, 1, (900, 1000), False),
        (0.03, 3, (900, 1000), True),
        (0.0, 1, (0, 0), False),
    ],
)
def test_candidates_pass_by_likeness_by_what_is_held_or_by_a_passage(
    screened: float, shared: int, words: tuple[int, int], passes: bool
) -> None:
    algorithm = get_algorithm("neardup")
    assert algorithm.should_judge(screened, shared, *words) is passes
    assert algorithm.should_judge(screened, shared, *reversed(words)) is passes


def test_the_screen_of_the_default_scheme_is_the_share_of_words() -> None:
    algorithm = get_algorithm("neardup")
    a, b = (
        algorithm.payload(CanonicalText(text))
        for text in ("продам белый шкаф дёшево", "куплю белый шкаф дорого")
    )
    assert algorithm.screen(a, b) == algorithm.measure(a, b) == 0.5

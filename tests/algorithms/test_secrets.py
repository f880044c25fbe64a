"""Verdict, score and evidence of algorithms that align texts do not depend on the secret of the scheme.

Algorithms that compare hashes do depend on it: simhash, minhash-*, winnowing, megashingles, supershingles,
log-shingles, spamooborona.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.evaluation.corpora import find_set_names, load_corpus
from django_neardup.text.alignment.align import is_second
from django_neardup.text.canonical_text import CanonicalText
from tests.fuzzing import examples

DATA = Path(__file__).parents[1] / "data"
SECRETS = (b"", b"a", b"second", bytes(range(32)), b"x" * 100)
ALIGNED = ("neardup", "neardup-articles", "long-passages", "containment")
PAIRS = 60

VOCABULARY = "дом лес река гора стол и в не 5 7 кг c140 красный зелёный москва"
WORDS = st.sampled_from(VOCABULARY.split(" "))
TEXT = st.lists(WORDS, max_size=30).map(" ".join)
# Equally long texts: the score depends on which of them is first.
TIED = ("5 не 7 стол стол c140 красный красный гора", "c140 стол 7 красный стол кг и лес и")


def judgements(name: str, a: str, b: str) -> set[object]:
    """What the algorithm says of two texts, under each secret."""
    algorithm = get_algorithm(name, guard=True)
    return {
        algorithm.judge(CanonicalText(a, secret=secret), CanonicalText(b, secret=secret))
        for secret in SECRETS
    }


@cache
def labelled() -> tuple[tuple[str, str], ...]:
    """Pairs of every labelled set."""
    pairs = []
    for name in find_set_names(DATA):
        corpus = load_corpus(DATA, name)
        pairs += [(corpus.texts[pair.a], corpus.texts[pair.b]) for pair in islice(corpus.pairs, PAIRS)]
    return tuple(pairs)


@pytest.mark.parametrize("name", ALIGNED)
def test_labelled_pairs(name: str) -> None:
    assert len(labelled()) > PAIRS
    differing = [pair for pair in labelled() if len(judgements(name, *pair)) > 1]
    assert differing == []


@pytest.mark.parametrize("name", ALIGNED)
@examples(60, suppress_health_check=[HealthCheck.too_slow])
@given(TEXT, TEXT)
@example(*TIED)
def test_any_pair(name: str, a: str, b: str) -> None:
    assert len(judgements(name, a, b)) == 1


@examples(100)
@given(TEXT, TEXT)
@example(*TIED)
def test_one_of_two_unlike_texts_is_first(a: str, b: str) -> None:
    for secret in SECRETS:
        one, other = CanonicalText(a, secret=secret), CanonicalText(b, secret=secret)
        assert is_second(one, other) + is_second(other, one) == (one.exact_digest != other.exact_digest)

"""Floors on labelled texts that are not part of the project: NEARDUP_DATA names their folder (see `corpora`)."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.evaluation.corpora import Corpus, LabelledPair, find_set_names, load_corpus
from django_neardup.evaluation.text_cache import CanonicalTextCache

SAMPLE = 40
NEARDUP = get_algorithm("neardup")


@pytest.fixture(scope="module")
def corpora() -> list[Corpus]:
    folder = os.environ.get("NEARDUP_DATA")
    if not folder:
        pytest.skip("NEARDUP_DATA is not set: no folder of labelled texts")
    return [load_corpus(Path(folder), name) for name in find_set_names(Path(folder))]


def drawn(corpus: Corpus, wanted: Callable[[LabelledPair], bool]) -> list[LabelledPair]:
    pairs = [pair for pair in corpus.pairs if wanted(pair)]
    return random.Random(corpus.name).sample(pairs, min(SAMPLE, len(pairs)))


def little_changed(pair: LabelledPair) -> bool:
    return pair.is_duplicate is True and pair.changed_share is not None and pair.changed_share <= 0.1


def verdicts(corpora: list[Corpus], wanted: Callable[[LabelledPair], bool]) -> list[str]:
    found = []
    for corpus in corpora:
        documents = CanonicalTextCache(corpus.texts)
        for pair in drawn(corpus, wanted):
            found.append(NEARDUP.judge(documents[pair.a], documents[pair.b]).verdict)
    return found


def test_false_pairs_are_hardly_ever_grouped(corpora: list[Corpus]) -> None:
    found = verdicts(corpora, lambda pair: pair.is_duplicate is False)
    assert found and found.count("duplicate") <= 0.02 * len(found)


def test_little_changed_texts_are_grouped(corpora: list[Corpus]) -> None:
    found = verdicts(corpora, little_changed)
    assert found and found.count("duplicate") + found.count("contained") >= 0.93 * len(found)
    assert found.count("none") <= 0.005 * len(found)


def test_true_pairs_share_a_key_and_pass_the_screen(corpora: list[Corpus]) -> None:
    lost = total = 0
    for corpus in corpora:
        documents = CanonicalTextCache(corpus.texts)
        for pair in drawn(corpus, little_changed):
            a, b = documents[pair.a], documents[pair.b]
            shared = len(set(NEARDUP.keys(a)) & set(NEARDUP.keys(b)))
            screened = NEARDUP.screen(NEARDUP.payload(a), NEARDUP.payload(b))
            total += 1
            lost += shared < NEARDUP.min_shared or not NEARDUP.should_judge(screened, shared, len(a), len(b))
    assert total and lost <= 0.005 * total

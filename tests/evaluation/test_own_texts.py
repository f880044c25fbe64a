"""The project's own labelled texts: adverts made from templates, and texts of the example project."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.example_texts import made, packed, touched
from django_neardup.evaluation.corpora import Corpus, find_set_names, load_corpus
from django_neardup.evaluation.ground_truth import GroundTruth

FOLDER = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture(scope="module")
def example() -> Corpus:
    return load_corpus(FOLDER, "example")


def test_the_committed_files_are_what_the_generator_makes() -> None:
    for name, lines in made().items():
        with gzip.open(FOLDER / name, "rt", encoding="utf-8") as file:
            assert [json.loads(line) for line in file] == lines, (
                f"python -m benchmarks.example_texts {FOLDER}"
            )


def test_packing_depends_on_nothing_but_the_lines() -> None:
    assert packed([{"a": 1}]) == packed([{"a": 1}]) != packed([{"a": 2}])
    assert gzip.decompress(packed([{"a": "я"}])).decode() == '{"a": "я"}\n'


def test_both_sets_have_both_classes() -> None:
    assert find_set_names(FOLDER) == ["ads_a", "example"]
    for name in find_set_names(FOLDER):
        kinds = [pair.is_duplicate for pair in load_corpus(FOLDER, name).pairs]
        assert kinds.count(True) > 300 and kinds.count(False) > 300


def test_example_texts_are_labelled_once_and_exist(example: Corpus) -> None:
    pairs = [frozenset((pair.a, pair.b)) for pair in example.pairs]
    assert len(pairs) == len(set(pairs))
    assert all(pair.a in example.texts and pair.b in example.texts for pair in example.pairs)
    assert len(GroundTruth(example).candidate_pairs) == sum(
        pair.is_duplicate is True for pair in example.pairs
    )


def test_texts_that_are_called_different_differ(example: Corpus) -> None:
    for pair in example.pairs:
        if pair.is_duplicate is False:
            assert example.texts[pair.a] != example.texts[pair.b] and (pair.changed_share or 0) > 0


def test_touched_by_hand() -> None:
    assert touched("кот и дом", "кот и дом") == 0
    assert touched("кот и дом", "Кот и лес") == 0.3333
    assert touched("кот", "дом") == 1
    assert touched("", "") == 1

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from django_neardup.evaluation.corpora import (
    CorpusError,
    data_digest,
    drop_short_texts,
    find_set_names,
    load_corpus,
    sample_pairs,
)
from tests.evaluation.conftest import write_lines


def test_names_are_sorted_and_filtered_by_pattern(folder: Path) -> None:
    assert find_set_names(folder) == ["made", "small"]
    assert find_set_names(folder, ["s*"]) == ["small"]


@pytest.mark.parametrize("pattern", ["nothing", "x*"])
def test_no_set_is_an_error_that_names_the_pattern(folder: Path, pattern: str) -> None:
    with pytest.raises(CorpusError, match=pattern.replace("*", r"\*")):
        find_set_names(folder, [pattern])


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not a folder"):
        find_set_names(tmp_path / "absent")


def test_documents_and_pairs(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    assert sorted(corpus.texts) == ["dog", "dog2", "sofa"]
    assert corpus.groups["dog"] == corpus.groups["dog2"] == "dogs"
    first = corpus.pairs[0]
    assert (first.a, first.b, first.kind, first.is_duplicate, first.changed_share) == (
        "dog",
        "dog2",
        "hand:same",
        True,
        0.05,
    )


def test_variants_bring_their_own_texts(folder: Path) -> None:
    corpus = load_corpus(folder, "made")
    assert set(corpus.texts) == {"dog", "sofa", "dog~upper", "x", "y"}
    assert corpus.groups["dog~upper"] == "dog"
    assert [pair.kind for pair in corpus.pairs] == ["case", "hn_topic"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "bad.docs.jsonl.gz", "wt") as out:
        out.write('{"id": "a", "text": "b"}\n{"id":\n')
    with pytest.raises(CorpusError, match=r"bad\.docs\.jsonl\.gz:2: not JSON"):
        load_corpus(tmp_path, "bad")


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "bad.docs.jsonl.gz", [{"id": "a"}])
    with pytest.raises(CorpusError, match=r":1: missing or wrong field 'text'"):
        load_corpus(tmp_path, "bad")


def test_a_sample_depends_on_the_seed_alone(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    assert sample_pairs(corpus, 2, 5).pairs == sample_pairs(corpus, 2, 5).pairs
    assert len(sample_pairs(corpus, 2, 5).pairs) == 2
    assert sample_pairs(corpus, 0, 5) is corpus
    assert {tuple(pair.b for pair in sample_pairs(corpus, 1, seed).pairs) for seed in range(20)} == {
        ("dog2",),
        ("sofa",),
    }


def test_made_pairs_that_differ_in_prices_alone_have_a_kind_of_their_own(tmp_path: Path) -> None:
    sides = {"a": {"id": "a", "text": "кот"}, "b": {"id": "b", "text": "дом"}}
    record = {"rec": "pair", **sides, "edit": "hn_model", "dup": False, "touched": 0.1}
    slots = [{"price": "1"}, {"price": "1", "model": "2"}, {}, None]
    write_lines(tmp_path / "x.variants.jsonl.gz", [{**record, "params": {"slots": each}} for each in slots])
    kinds = [pair.kind for pair in load_corpus(tmp_path, "x").pairs]
    assert kinds == ["hn_price_only", "hn_model", "hn_model", "hn_model"]


def test_sets_can_be_left_out(folder: Path) -> None:
    assert find_set_names(folder, ["*"], ["m*"]) == ["small"]


def test_short_texts_can_be_left_out_with_their_pairs(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    words = len(corpus.texts["dog"].split())
    long = drop_short_texts(corpus, words + 1)
    assert sorted(long.texts) == ["sofa"] and long.pairs == []
    assert drop_short_texts(corpus, 0) is corpus


def test_the_digest_is_of_the_files(folder: Path) -> None:
    before = data_digest(folder, ["small", "made"])
    assert data_digest(folder, ["made", "small"]) == before != data_digest(folder, ["small"])
    write_lines(folder / "small.pairs.jsonl.gz", [])
    assert data_digest(folder, ["small", "made"]) != before


def test_a_pair_of_a_text_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "x.docs.jsonl.gz", [{"id": "a", "text": "кот"}])
    write_lines(tmp_path / "x.pairs.jsonl.gz", [{"a": "a", "b": "absent", "dup": True}])
    with pytest.raises(CorpusError, match="a pair of a and absent"):
        load_corpus(tmp_path, "x")


def test_an_id_of_a_pair_is_a_string_as_well(tmp_path: Path) -> None:
    write_lines(tmp_path / "x.docs.jsonl.gz", [{"id": "1", "text": "кот"}, {"id": "2", "text": "кот"}])
    write_lines(tmp_path / "x.pairs.jsonl.gz", [{"a": 1, "b": 2, "dup": True}])
    with pytest.raises(CorpusError, match=r"a pair of 1 and 2, .* \(an id is a string\)"):
        load_corpus(tmp_path, "x")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"id": 17, "text": "дом"}, "the id 17 is no string: write it in quotes"),
        ({"id": "b", "text": None}, "the text of b is no string"),
        ({"id": "a", "text": "дом"}, "another text of the set has the id a, too"),
        (["b", "дом"], "missing or wrong field"),
    ],
)
def test_a_text_that_cannot_be_is_named_with_its_line(tmp_path: Path, second: Any, said: str) -> None:
    write_lines(tmp_path / "x.docs.jsonl.gz", [{"id": "a", "text": "кот"}, second])
    with pytest.raises(CorpusError, match=rf"x\.docs\.jsonl\.gz:2: {said}"):
        load_corpus(tmp_path, "x")


def test_a_made_text_does_not_take_the_place_of_another(folder: Path) -> None:
    sides = {"a": {"id": "dog", "text": "кот"}, "b": {"id": "y", "text": "дом"}}
    write_lines(folder / "made.variants.jsonl.gz", [{"rec": "pair", **sides, "edit": "x", "dup": True}])
    with pytest.raises(CorpusError, match="has the id dog, too"):
        load_corpus(folder, "made")


def test_a_name_may_have_dots(tmp_path: Path) -> None:
    write_lines(tmp_path / "my.v2.docs.jsonl.gz", [{"id": "a", "text": "кот"}])
    assert find_set_names(tmp_path) == ["my.v2"]
    assert load_corpus(tmp_path, "my.v2").texts == {"a": "кот"}


def test_a_broken_archive_is_named(folder: Path) -> None:
    path = folder / "small.docs.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CorpusError, match=r"small.docs.jsonl.gz cannot be read"):
        load_corpus(folder, "small")


@pytest.mark.parametrize(
    "wrong", [{"dup": "yes"}, {"dup": 1}, {"changed": "0.5"}, {"changed": 30}, {"changed": float("nan")}]
)
def test_a_wrong_label_is_refused(folder: Path, wrong: dict[str, object]) -> None:
    pair = {"a": "dog", "b": "sofa", "label": "x", "kind": "hand", "dup": True, "changed": 0.5, **wrong}
    write_lines(folder / "small.pairs.jsonl.gz", [pair])
    with pytest.raises(CorpusError, match="dog and sofa has a wrong"):
        load_corpus(folder, "small")

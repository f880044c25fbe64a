from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from django_neardup.evaluation.corpora import CorpusError, corpus_names, load_corpus, sample

from .conftest import write_lines


def test_names_are_sorted_and_filtered_by_pattern(folder: Path) -> None:
    assert corpus_names(folder) == ["made", "small"]
    assert corpus_names(folder, ["s*"]) == ["small"]


@pytest.mark.parametrize("pattern", ["nothing", "x*"])
def test_no_set_is_an_error_that_names_the_pattern(folder: Path, pattern: str) -> None:
    with pytest.raises(CorpusError, match=pattern.replace("*", r"\*")):
        corpus_names(folder, [pattern])


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not a folder"):
        corpus_names(tmp_path / "absent")


def test_documents_and_pairs(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    assert sorted(corpus.texts) == ["dog", "dog2", "sofa"]
    assert corpus.groups["dog"] == corpus.groups["dog2"] == "dogs"
    first = corpus.pairs[0]
    assert (first.a, first.b, first.kind, first.duplicate, first.changed) == (
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
    assert sample(corpus, 2, 5).pairs == sample(corpus, 2, 5).pairs
    assert len(sample(corpus, 2, 5).pairs) == 2
    assert sample(corpus, 0, 5) is corpus
    assert {tuple(pair.b for pair in sample(corpus, 1, seed).pairs) for seed in range(20)} == {
        ("dog2",),
        ("sofa",),
    }

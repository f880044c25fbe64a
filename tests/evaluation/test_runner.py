from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.documents import Documents
from django_neardup.evaluation.runner import Collection, Record, baseline, find_pairs, judge_pairs
from django_neardup.signatures import Algorithm, Judgement, get_algorithm
from django_neardup.text.document import Document


class Words(Algorithm):
    """Keys are the words' hashes; all candidates are duplicates."""

    name = "words"

    def keys(self, document: Document) -> list[int]:
        return sorted(set(document.hashes))

    def pack(self, document: Document) -> bytes:
        return len(document).to_bytes(4, "big")

    def measure(self, a: bytes, b: bytes) -> float:
        return 1.0

    def judge(self, a: Document, b: Document) -> Judgement:
        return Judgement("duplicate", 1.0)


def found(
    corpus: Corpus, algorithm: Algorithm, aligned: int = 32
) -> tuple[set[tuple[str, str]], list[Record]]:
    records: list[Record] = []
    find_pairs(corpus, "x", algorithm, Documents(corpus.texts), records.append, aligned=aligned)
    return {(r["a"], r["b"]) for r in records if r["verdict"] != "none"}, records


def texts(values: Iterable[str]) -> Corpus:
    return Corpus("set", {f"t{i}": value for i, value in enumerate(values)})


def test_every_labelled_pair_is_judged_once(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    records: list[Record] = []
    algorithm = get_algorithm("neardup")
    result = judge_pairs(corpus, "neardup", algorithm.judge, Documents(corpus.texts), records.append)
    assert [(r["a"], r["b"], r["verdict"]) for r in records] == [
        ("dog", "dog2", "duplicate"),
        ("dog", "sofa", "none"),
        ("dog2", "sofa", "none"),
    ]
    assert (result.score.recall, result.score.precision) == (1, 1)


def test_baselines_frame_every_result(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    assert baseline(corpus, "(nothing)").score.recall == 0
    everything = baseline(corpus, "(everything)").score
    assert (everything.recall, everything.precision) == (1, 0.5)


def test_a_collection_finds_the_pair_and_counts_the_true_ones(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    records: list[Record] = []
    algorithm = get_algorithm("neardup")
    result = find_pairs(corpus, "neardup", algorithm, Documents(corpus.texts), records.append)
    assert {"dog", "dog2"} in [{r["a"], r["b"]} for r in records if r["verdict"] == "duplicate"]
    assert (result.texts, result.true_pairs, result.true_candidates, result.true_offered) == (3, 1, 1, 1)
    assert result.keys > 20


def test_a_bucket_gives_its_newest_texts_alone() -> None:
    corpus = texts(["кот"] * 5)
    collection = Collection(Words(), Documents(corpus.texts), bucket=2)
    for key in list(corpus.texts)[:4]:
        collection.add(key)
    _, candidates = collection.add("t4")
    assert sorted(entry.id for entry, _ in candidates) == ["t2", "t3"]


def test_shared_keys_are_counted_and_min_shared_holds() -> None:
    algorithm = Words()
    algorithm.min_shared = 2
    corpus = texts(["кот дом лес", "кот пруд", "кот дом пруд"])
    assert found(corpus, algorithm)[0] == {("t0", "t2"), ("t1", "t2")}


def test_candidates_over_the_limit_are_written_as_refused() -> None:
    pairs, records = found(texts(["кот"] * 4), Words(), aligned=1)
    assert len(pairs) == 3
    assert len(records) == 6


def test_documents_are_made_again_when_they_were_let_go() -> None:
    documents = Documents({"a": "кот", "b": "дом"}, kept=1)
    first = documents["a"]
    assert documents["a"] is first
    assert documents["b"].raw == "дом"
    assert documents["a"] is not first


def test_true_pairs_over_half_changed_are_not_expected() -> None:
    corpus = Corpus("set", {"a": "кот", "b": "дом"}, [LabelledPair("a", "b", "k", True, 0.6)])
    assert find_pairs(corpus, "x", Words(), Documents(corpus.texts), lambda record: None).true_pairs == 0

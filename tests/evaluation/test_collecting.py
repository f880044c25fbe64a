"""Collection mode: candidates, what is judged, and what is known of the pairs found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from django_neardup.algorithms import Algorithm, get_algorithm
from django_neardup.evaluation.algorithm_specs import parse_specs
from django_neardup.evaluation.collection_mode import run_finders
from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.ground_truth import GroundTruth
from django_neardup.evaluation.jobs import collection_results, union_rows
from django_neardup.evaluation.peers import TEXT_PEERS, get_peer, peer_version
from django_neardup.evaluation.report.tables import union_table
from django_neardup.evaluation.results import CollectionResult, VerdictRecord
from django_neardup.evaluation.rows import AlgorithmRow, PeerRow
from django_neardup.evaluation.text_cache import CanonicalTextCache
from tests.evaluation.algorithms import SameLength, Words
from tests.evaluation.conftest import DOG, DOG_AGAIN, SOFA


def find(
    corpus: Corpus, algorithm: Algorithm, aligned: int = 32
) -> tuple[CollectionResult, set[tuple[str, str]], list[VerdictRecord]]:
    records: list[VerdictRecord] = []
    row = AlgorithmRow("x", algorithm)
    result = run_finders(
        corpus, [row], CanonicalTextCache(corpus.texts), {"x": records.append}, max_aligned=aligned
    )[0]
    return result, {(r["a"], r["b"]) for r in records if r["verdict"] != "none"}, records


def texts(values: Iterable[str]) -> Corpus:
    return Corpus("set", {f"t{i}": value for i, value in enumerate(values)})


def test_a_collection_finds_the_pair_and_counts_the_true_ones(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    result, _, records = find(corpus, get_algorithm("neardup"))
    assert {"dog", "dog2"} in [{r["a"], r["b"]} for r in records if r["verdict"] == "duplicate"]
    assert (result.text_count, result.true_count, result.true_candidate_count, result.true_offered_count) == (
        3,
        1,
        1,
        1,
    )
    assert (result.right_count, result.wrong_count, result.precision, result.recall, result.f1) == (
        1,
        0,
        1,
        1,
        1,
    )
    assert result.key_count > 20


def test_shared_keys_are_counted_and_min_shared_holds() -> None:
    algorithm = Words()
    algorithm.min_shared = 2
    assert find(texts(["кот дом лес", "кот пруд", "кот дом пруд"]), algorithm)[1] == {
        ("t0", "t2"),
        ("t1", "t2"),
    }


def test_a_limit_keeps_those_that_share_most_keys_older_ones_first() -> None:
    algorithm = Words()
    algorithm.limit = 2
    corpus = texts(["кот дом лес", "кот", "кот пруд", "кот дом лес бор"])
    assert {pair for pair in find(corpus, algorithm)[1] if pair[1] == "t3"} == {("t0", "t3"), ("t1", "t3")}


def test_candidates_over_the_limit_are_written_as_refused() -> None:
    result, pairs, records = find(
        texts(f"кот {word}" for word in ("дом", "лес", "пруд", "сад")), Words(), aligned=1
    )
    assert (len(pairs), len(records), result.judged_count, result.candidate_count) == (3, 6, 3, 6)
    assert result.verdicts == {"duplicate": 3, "none": 3}


def test_an_algorithm_of_the_whole_collection_names_its_pairs_itself() -> None:
    result, pairs, _ = find(texts(["кот дом", "лес", "сад бор", "пруд"]), SameLength())
    assert pairs == {("t0", "t2"), ("t1", "t3")}
    assert (result.judged_count, result.key_count, result.clock["batch"].count) == (2, 0, 1)


def test_true_pairs_over_half_changed_are_not_expected() -> None:
    corpus = Corpus("set", {"a": "кот", "b": "дом"}, [LabelledPair("a", "b", "k", True, 0.6)])
    result = find(corpus, Words())[0]
    assert (result.true_count, result.labelled_count, result.recall) == (0, 1, 0)


def test_what_is_known_of_two_texts() -> None:
    groups = {"s": "s", "s1": "s", "s2": "s", "s9": "s", "x": "x"}
    pairs = [
        LabelledPair("s", "s1", "k", True, 0.1),
        LabelledPair("s", "s2", "k", True, 0.2),
        LabelledPair("s", "s9", "hn", False),
        LabelledPair("s", "y", "k", None),
    ]
    truth = GroundTruth(Corpus("set", {}, pairs, groups))
    assert truth.relation("s1", "s") == "same"
    assert truth.relation("s1", "s2") == "same"
    assert truth.relation("s", "s9") == "different"
    assert truth.relation("s1", "s9") == "unknown"
    assert truth.relation("s1", "x") == "different"
    assert truth.relation("s", "y") == truth.relation("s1", "z") == "unknown"


def test_precision_and_recall_by_hand() -> None:
    pairs = [
        LabelledPair("a", "b", "k", True, 0.1),
        LabelledPair("a", "e", "k", True, 0.1),
        LabelledPair("c", "d", "k", False),
    ]
    corpus = Corpus("set", {"a": "кот", "b": "кот", "c": "дом", "d": "дом", "e": "лес"}, pairs)
    result = find(corpus, Words())[0]
    assert (result.right_count, result.wrong_count, result.labelled_found_count, result.labelled_count) == (
        1,
        1,
        1,
        2,
    )
    assert (result.precision, result.recall, result.f1) == (0.5, 0.5, 0.5)


def test_clusters_against_the_known_groups() -> None:
    """The chain a-b-c is cut at c; x, without a group, leads a cluster and is in no figure."""
    texts = {"a": "кот дом", "b": "кот дом лес", "c": "лес", "x": "сад", "d": "сад"}
    result = find(Corpus("set", texts, groups={"a": "1", "b": "1", "c": "1", "d": "2"}), Words())[0]
    clusters = result.clusters
    assert clusters is not None and result.verdicts["duplicate"] == 3
    # Clusters ab, c, d of groups abc, d: S = A = 1, B = 3, E = 1/2.
    assert (clusters.text_count, clusters.adjusted_rand) == (4, pytest.approx(0.5 / 1.5))
    assert (clusters.precision, clusters.recall) == (1.0, pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1) / 4))
    assert find(Corpus("set", texts), Words())[0].clusters is None


def test_texts_that_are_more_than_an_edit_are_in_no_group() -> None:
    groups = {"s": "s", "s1": "s", "s9": "s", "part": "s"}
    pairs = [
        LabelledPair("s", "s1", "k", True, 0.1),
        LabelledPair("s", "s9", "hn", False),
        LabelledPair("s", "part", "quote", True, 0.6, is_containment=True),
    ]
    assert GroundTruth(Corpus("set", {}, pairs, groups)).known_groups == {"s": "s", "s1": "s"}
    versions = dict.fromkeys(groups, "text of a cluster")
    assert GroundTruth(Corpus("set", {}, pairs, versions)).known_groups == versions


def test_jobs_write_one_file_a_row_in_the_order_of_the_sets(folder: Path, tmp_path: Path) -> None:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    specs = parse_specs("neardup,md5")
    paths = {spec.title: tmp_path / f"{spec.title}.jsonl" for spec in specs}
    results, cost = collection_results(corpora, specs, (), {}, "ru", 2, paths, {})
    assert [(r.corpus, r.algorithm) for r in results] == [
        ("made", "neardup"),
        ("made", "md5"),
        ("small", "neardup"),
        ("small", "md5"),
    ]
    assert cost.count == 8
    lines = paths["neardup"].read_text(encoding="utf-8").splitlines()
    assert [line.split('"')[3] for line in lines] == sorted(line.split('"')[3] for line in lines)
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == sorted(
        [*(f"{spec.title}.jsonl" for spec in specs), *(path.name for path in tmp_path.glob("*.jsonl.gz"))]
    )


def test_the_union_is_what_any_row_found_of_texts_alike_enough() -> None:
    corpus = Corpus("set", {"a": DOG, "b": DOG_AGAIN, "c": SOFA, "d": SOFA.upper()})
    number = len(corpus.texts)
    one, two = (CollectionResult(name, "set", text_count=number) for name in ("md5", "own"))
    one.duplicate_codes.extend([0 * number + 1, 0 * number + 2])
    two.duplicate_codes.extend([2 * number + 3])
    rows = union_rows([corpus], [one, two], 0.85, "ru", 1)
    assert [(row.true_count, row.found_count, row.right_count) for row in rows] == [(2, 2, 1), (2, 1, 1)]
    assert (rows[0].recall, rows[0].precision, rows[0].f1) == (0.5, 0.5, 0.5)
    table = union_table(rows)
    assert [(row["set"], row["algorithm"], row["article f1"]) for row in table] == [
        ("set", "md5", None),
        ("set", "own", None),
        ("(all)", "md5", 0.38),
        ("(all)", "own", None),
    ]


@pytest.mark.parametrize(
    "name", [name for name, peer in TEXT_PEERS.items() if peer.has_index and peer_version(name)]
)
def test_a_peer_finds_a_copy_by_its_index(folder: Path, name: str) -> None:
    corpus = Corpus("set", {"a": DOG, "b": SOFA, "c": DOG + "!"})
    row = PeerRow(get_peer(name))
    records: list[VerdictRecord] = []
    result = run_finders(
        corpus, [row], CanonicalTextCache(corpus.texts), {name: records.append}, {name: 0.7}
    )[0]
    assert [(r["a"], r["b"], r["verdict"]) for r in records] == [("a", "c", "duplicate")]
    assert (result.kind, result.verdicts["duplicate"]) == ("peer", 1)

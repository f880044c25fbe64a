"""Pool mode: candidates by keys alone, in one collection of all sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from django_neardup.evaluation.algorithm_specs import parse_specs
from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.pool_mode import (
    TextKeys,
    TextPool,
    find_candidate_flags,
    mean_bucket_neighbours,
    mean_recall,
    measure_recall_by_size,
    pool_results,
)
from django_neardup.evaluation.report.tables import pool_row, pool_set_rows
from tests.evaluation.algorithms import Words


def keys_of(*lists: Sequence[int]) -> TextKeys:
    made = TextKeys()
    for values in lists:
        made.append(values)
    return made


def test_keys_of_a_text_are_its_own() -> None:
    keys = keys_of([1, 2], [], [3])
    keys.extend(keys_of([4]))
    assert [list(keys[number]) for number in range(len(keys))] == [[1, 2], [], [3], [4]]


def test_a_pair_is_found_among_the_newest_of_a_bucket() -> None:
    keys = keys_of([1], [1], [1], [2], [1])
    pairs = [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert find_candidate_flags(keys, range(5), pairs, Words(), bucket_size=2) == [False, True, True, False]
    assert find_candidate_flags(keys, [0, 2, 4], [(0, 4)], Words(), bucket_size=2) == [True]


def test_a_pair_shares_enough_keys() -> None:
    algorithm = Words()
    algorithm.min_shared = 2
    assert find_candidate_flags(keys_of([1, 2], [1], [2, 1]), range(3), [(0, 2), (1, 2)], algorithm) == [
        True,
        False,
    ]


def test_a_limit_keeps_those_that_share_most() -> None:
    algorithm = Words()
    algorithm.limit = 1
    keys = keys_of([1, 2], [1], [1], [1, 2])
    assert find_candidate_flags(keys, range(4), [(0, 3), (1, 3), (2, 3), (1, 2)], algorithm) == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(("texts", "bucket", "expected"), [(1, 64, 0), (3, 64, 1), (4, 2, 5 / 4)])
def test_texts_met_a_text(texts: int, bucket: int, expected: float) -> None:
    assert mean_bucket_neighbours(keys_of(*[[7]] * texts), bucket) == expected


def test_a_pool_of_two_sets_by_hand(folder: Path) -> None:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    results, cost = pool_results(corpora, parse_specs("md5,neardup"), None, "ru", 1, 1, windows=(6,))
    md5, neardup, narrow = results
    assert cost.count == md5.text_count == 8
    assert (md5.keys_per_text, md5.keys_150_250) == (1.0, None)
    assert md5.recall_counts["made"]["0-0.1"] == (1, 1) and md5.set_recall("small") == 0
    assert neardup.set_recall("small") == 1 and mean_recall(md5) == 0.5
    assert [(row.family, row.window) for row in results] == [("", None), ("neardup", 12), ("neardup", 6)]
    assert narrow.algorithm == "neardup:window=6" and narrow.keys_per_text >= neardup.keys_per_text
    assert pool_row(md5)["least recall"] == 0
    assert [(row["set"], row["pairs"], row["lost"]) for row in pool_set_rows(md5)] == [
        ("made", 1, 0),
        ("small", 1, 1),
    ]


def test_processes_give_what_one_gives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.evaluation.pool_mode.TEXTS_PER_JOB", 3)
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    one, two = (pool_results(corpora, parse_specs("neardup"), None, "ru", jobs, 1, ())[0] for jobs in (1, 2))
    assert [(r.keys_per_text, r.recall_counts, r.recall_by_size) for r in one] == [
        (r.keys_per_text, r.recall_counts, r.recall_by_size) for r in two
    ]


def test_the_order_of_the_pool_depends_on_the_seed_alone() -> None:
    corpus = Corpus("set", {f"t{i}": f"кот {i}" for i in range(30)})
    assert TextPool([corpus], 1).ordered_texts == TextPool([corpus], 1).ordered_texts
    assert TextPool([corpus], 1).ordered_texts != TextPool([corpus], 2).ordered_texts


def test_the_drawn_pairs_are_in_every_collection_and_the_background_grows() -> None:
    texts = {f"t{i}": "" for i in range(400)}
    pairs = [LabelledPair(f"t{2 * i}", f"t{2 * i + 1}", "k", True, 0.1) for i in range(10)]
    pool = TextPool([Corpus("set", texts, pairs)], 1)
    common = keys_of(*[[1]] * 400)
    recall = measure_recall_by_size(pool, common, Words(), sizes=(8, 40))
    assert list(recall) == [8, 40, 400]
    assert recall[8] == recall[40] == 1.0 > recall[400]
    own = [0] * 400
    for number, pair in enumerate(pairs):
        for place in pool.text_numbers("set", pair):
            own[place] = number + 1
    assert set(
        measure_recall_by_size(pool, keys_of(*[[value] for value in own]), Words(), sizes=(8, 40)).values()
    ) == {1.0}

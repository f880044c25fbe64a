"""Pool mode: candidates by keys alone, in one collection of all sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.pooling import (
    Keys,
    Pool,
    found_pairs,
    met,
    pool_results,
    reached,
    sizes_recall,
)
from django_neardup.evaluation.report.tables import pool_row, pool_set_rows
from django_neardup.evaluation.specs import parse_specs

from .algorithms import Words


def keys_of(*lists: Sequence[int]) -> Keys:
    made = Keys()
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
    assert found_pairs(keys, range(5), pairs, Words(), bucket=2) == [False, True, True, False]
    assert found_pairs(keys, [0, 2, 4], [(0, 4)], Words(), bucket=2) == [True]


def test_a_pair_shares_enough_keys() -> None:
    algorithm = Words()
    algorithm.min_shared = 2
    assert found_pairs(keys_of([1, 2], [1], [2, 1]), range(3), [(0, 2), (1, 2)], algorithm) == [True, False]


def test_a_limit_keeps_those_that_share_most() -> None:
    algorithm = Words()
    algorithm.limit = 1
    keys = keys_of([1, 2], [1], [1], [1, 2])
    assert found_pairs(keys, range(4), [(0, 3), (1, 3), (2, 3), (1, 2)], algorithm) == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(("texts", "bucket", "expected"), [(1, 64, 0), (3, 64, 1), (4, 2, 5 / 4)])
def test_texts_met_a_text(texts: int, bucket: int, expected: float) -> None:
    assert met(keys_of(*[[7]] * texts), bucket) == expected


def test_a_pool_of_two_sets_by_hand(folder: Path) -> None:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    results, cost = pool_results(corpora, parse_specs("md5,neardup"), None, "ru", 1, 1, windows=(6,))
    md5, neardup, narrow = results
    assert cost.count == md5.texts == 8
    assert (md5.keys, md5.keys_150_250) == (1.0, None)
    assert md5.recall["made"]["0-0.1"] == (1, 1) and md5.share("small") == 0
    assert neardup.share("small") == 1 and reached(md5) == 0.5
    assert [(row.family, row.parameter) for row in results] == [("", None), ("neardup", 12), ("neardup", 6)]
    assert narrow.algorithm == "neardup:window=6" and narrow.keys >= neardup.keys
    assert pool_row(md5)["least recall"] == 0
    assert [(row["set"], row["pairs"], row["lost"]) for row in pool_set_rows(md5)] == [
        ("made", 1, 0),
        ("small", 1, 1),
    ]


def test_processes_give_what_one_gives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.evaluation.pooling.CHUNK", 3)
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    one, two = (pool_results(corpora, parse_specs("neardup"), None, "ru", jobs, 1, ())[0] for jobs in (1, 2))
    assert [(r.keys, r.recall, r.sizes) for r in one] == [(r.keys, r.recall, r.sizes) for r in two]


def test_the_order_of_the_pool_depends_on_the_seed_alone() -> None:
    corpus = Corpus("set", {f"t{i}": f"кот {i}" for i in range(30)})
    assert Pool([corpus], 1).ordered == Pool([corpus], 1).ordered
    assert Pool([corpus], 1).ordered != Pool([corpus], 2).ordered


def test_the_drawn_pairs_are_in_every_collection_and_the_background_grows() -> None:
    texts = {f"t{i}": "" for i in range(400)}
    pairs = [LabelledPair(f"t{2 * i}", f"t{2 * i + 1}", "k", True, 0.1) for i in range(10)]
    pool = Pool([Corpus("set", texts, pairs)], 1)
    common = keys_of(*[[1]] * 400)
    recall = sizes_recall(pool, common, Words(), sizes=(8, 40))
    assert list(recall) == [8, 40, 400]
    assert recall[8] == recall[40] == 1.0 > recall[400]
    own = [0] * 400
    for number, pair in enumerate(pairs):
        for place in pool.places("set", pair):
            own[place] = number + 1
    assert set(sizes_recall(pool, keys_of(*[[value] for value in own]), Words(), sizes=(8, 40)).values()) == {
        1.0
    }

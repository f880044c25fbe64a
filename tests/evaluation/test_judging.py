"""Pairs mode: rows in a loop over the pairs, and in jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from django_neardup.evaluation.algorithm_specs import parse_specs
from django_neardup.evaluation.bench import BenchRequest, evaluate
from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.jobs import gather_statistics_by_set
from django_neardup.evaluation.pairs_mode import baseline_result, build_rows, judge_pairs, pairs_results
from django_neardup.evaluation.peers import JaccardPeer
from django_neardup.evaluation.results import PairsResult, RowJudgements
from django_neardup.evaluation.summary import add_fixed_rows, apply_best_thresholds, summarize_rows
from django_neardup.evaluation.text_cache import CanonicalTextCache

SPECS = parse_specs("neardup,neardup-articles")


def results_of(folder: Path, processes: int = 1) -> list[PairsResult]:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    return pairs_results(corpora, SPECS, [JaccardPeer.name], {}, "ru", processes)[0]


def test_every_labelled_pair_is_judged_once_by_every_row(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    rows = build_rows(SPECS, [JaccardPeer.name], None)
    documents = CanonicalTextCache(corpus.texts)
    neardup, articles, jaccard = judge_pairs(corpus.pairs, rows, documents)
    assert neardup.verdicts == articles.verdicts == ["duplicate", "none", "none"]
    assert jaccard.scores[0] == 1 and jaccard.scores[1] < 0.1
    assert documents.cost.count == 3
    assert [each.clock["judge"].count for each in (neardup, articles, jaccard)] == [3, 3, 3]


def test_records_are_what_a_scorer_reads(folder: Path) -> None:
    result = next(
        each for each in results_of(folder) if (each.algorithm, each.corpus) == ("neardup", "small")
    )
    assert [(r["set"], r["a"], r["b"], r["verdict"]) for r in result.verdict_records()] == [
        ("small", "dog", "dog2", "duplicate"),
        ("small", "dog", "sofa", "none"),
        ("small", "dog2", "sofa", "none"),
    ]


def test_processes_give_what_one_gives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.evaluation.pairs_mode.PAIRS_PER_JOB", 1)
    one, two = results_of(folder), results_of(folder, processes=2)
    assert [(r.algorithm, r.corpus, r.verdict_records()) for r in one] == [
        (r.algorithm, r.corpus, r.verdict_records()) for r in two
    ]
    assert {r.corpus for r in one} == {"small", "made"} and len(one) == 2 * 5


def test_baselines_frame_every_result(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    assert baseline_result(corpus, "(nothing)").counts.recall == 0
    everything = baseline_result(corpus, "(everything)").counts
    assert (everything.recall, everything.precision) == (1, 0.5)


def test_brute_force_has_the_verdicts_of_its_best_threshold(folder: Path) -> None:
    results = results_of(folder)
    thresholds = apply_best_thresholds(results)
    assert 0 < thresholds["(jaccard)"] < 1
    row = next(row for row in summarize_rows(results) if row.algorithm == "(jaccard)")
    assert (row.mean_f1, row.kind, row.best_threshold_and_f1) == (
        1.0,
        "ceiling",
        (thresholds["(jaccard)"], 1.0),
    )
    assert {result.threshold for result in row.results} == {thresholds["(jaccard)"]}


def test_the_fixed_row_of_a_peer_judges_its_scores() -> None:
    pairs = [LabelledPair("a", "b", "k", label, 0.1) for label in (True, True, False, False)]
    judgements = RowJudgements(["none"] * 4, classes=[()] * 4, rules=[()] * 4)
    judgements.scores.extend([0.95, 0.85, 0.9, 0.2])
    swept = PairsResult("rapidfuzz ratio", "set", pairs, judgements, "peer")
    swept.apply_threshold(0.85)
    other = PairsResult("neardup", "set", pairs, RowJudgements(["none"] * 4))
    rows = add_fixed_rows([other, swept])
    assert [row.algorithm for row in rows] == ["neardup", "rapidfuzz ratio", "rapidfuzz ratio at 0.9"]
    assert [(row.counts.positive.found_count, row.counts.wrong_count) for row in rows] == [
        (0, 0),
        (2, 1),
        (1, 1),
    ]
    assert [(row.kind, row.threshold) for row in rows[1:]] == [("peer", 0.85), ("fixed", 0.9)]


def test_sets_kept_apart_are_not_in_the_mean(folder: Path) -> None:
    results = results_of(folder)
    for result in results:
        if result.corpus == "made":
            result.apply_threshold(2.0)
    apart = next(row for row in summarize_rows(results, ["made"]) if row.algorithm == "neardup")
    assert (apart.mean_f1, apart.mean_f1_separate_sets, apart.mean_f1_all_sets) == (1.0, 0.0, 0.5)


def test_statistics_are_of_the_set(folder: Path) -> None:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    made = gather_statistics_by_set(corpora, "ru", 1)
    assert {name: statistics.text_count for name, statistics in made.items()} == {"made": 5, "small": 3}
    specs = parse_specs("tf-idf")
    results, _ = pairs_results(corpora, specs, (), made, "ru", 1)
    assert next(r for r in results if r.algorithm == "tf-idf").judgements.verdicts


@pytest.mark.parametrize(("language", "verdict"), [("", "duplicate"), ("en", "none")])
def test_a_set_is_read_in_its_own_language(language: str, verdict: str) -> None:
    texts = {"a": "продаю угловые диваны и большие столы", "b": "продаю угловой диван и большой стол"}
    pairs = [LabelledPair("a", "b", "k", True, 0.1), LabelledPair("a", "b", "k", True, 0.1)]
    asked = BenchRequest(specs=parse_specs("minhash-lsh"), collection_mode=True, sample_size=1)
    report = evaluate([Corpus("set", texts, pairs, language=language)], asked)
    judged = next(each for each in report.pairs if each.algorithm == "minhash-lsh")
    assert judged.judgements.verdicts == [verdict]
    assert report.collections[0].verdicts["duplicate"] == (verdict == "duplicate")


def test_statistics_are_in_the_language_of_the_set() -> None:
    sets = [Corpus(name, {"a": "диваны", "b": "диван"}, language=name) for name in ("", "en")]
    assert len({each.digest for each in gather_statistics_by_set(sets, "ru", 1).values()}) == 2


def test_a_set_without_pairs_has_no_rows() -> None:
    assert pairs_results([Corpus("set", {"a": "кот"})], SPECS, (), {}, "ru", 1)[0] == []


def test_costs_are_of_all_chunks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.evaluation.pairs_mode.PAIRS_PER_JOB", 1)
    monkeypatch.setattr("django_neardup.evaluation.pairs_mode.is_measured", lambda key: True)
    row = next(row for row in summarize_rows(results_of(folder)) if row.algorithm == "neardup")
    answers = row.cost_totals
    assert answers.clock["judge"].count == 5
    assert answers.clock["keys"].count == answers.clock["pack"].count == 10
    assert answers.key_count > 100


def test_a_pair_listed_twice_counts_by_its_last_label() -> None:
    texts = {"a": "кот", "b": "кот", "c": "дом"}
    pairs = [LabelledPair("a", "b", "k", False), LabelledPair("a", "b", "k", True, 0.0)]
    pairs.append(LabelledPair("a", "c", "k", False))
    results = pairs_results([Corpus("set", texts, pairs)], SPECS[:1], (), {}, "ru", 1)[0]
    core = next(r for r in results if r.algorithm == "neardup").core_by_verdict
    assert core is not None and (core.true_scores, core.false_scores) == ((1.0,), (0.0,))

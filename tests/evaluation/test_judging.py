"""Pairs mode: rows in a loop over the pairs, and in jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from django_neardup.evaluation.bench import Request, evaluate
from django_neardup.evaluation.corpora import Corpus, LabelledPair, load_corpus
from django_neardup.evaluation.documents import Documents
from django_neardup.evaluation.jobs import statistics_of
from django_neardup.evaluation.judging import baseline, build_rows, judge_pairs, pairs_results
from django_neardup.evaluation.peers import Jaccard
from django_neardup.evaluation.results import PairsResult
from django_neardup.evaluation.specs import parse_specs
from django_neardup.evaluation.summary import cut_at_best, summaries

SPECS = parse_specs("neardup,neardup-articles")


def results_of(folder: Path, processes: int = 1) -> list[PairsResult]:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    return pairs_results(corpora, SPECS, [Jaccard.name], {}, "ru", processes)[0]


def test_every_labelled_pair_is_judged_once_by_every_row(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    rows = build_rows(SPECS, [Jaccard.name], None)
    documents = Documents(corpus.texts)
    neardup, articles, jaccard = judge_pairs(corpus.pairs, rows, documents)
    assert neardup.verdicts == articles.verdicts == ["duplicate", "none", "none"]
    assert jaccard.scores[0] == 1 and jaccard.scores[1] < 0.1
    assert documents.cost.count == 3
    assert [each.clock["judge"].count for each in (neardup, articles, jaccard)] == [3, 3, 3]


def test_records_are_what_a_scorer_reads(folder: Path) -> None:
    result = next(
        each for each in results_of(folder) if (each.algorithm, each.corpus) == ("neardup", "small")
    )
    assert [(r["set"], r["a"], r["b"], r["verdict"]) for r in result.records()] == [
        ("small", "dog", "dog2", "duplicate"),
        ("small", "dog", "sofa", "none"),
        ("small", "dog2", "sofa", "none"),
    ]


def test_processes_give_what_one_gives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.evaluation.judging.CHUNK", 1)
    one, two = results_of(folder), results_of(folder, processes=2)
    assert [(r.algorithm, r.corpus, r.records()) for r in one] == [
        (r.algorithm, r.corpus, r.records()) for r in two
    ]
    assert {r.corpus for r in one} == {"small", "made"} and len(one) == 2 * 5


def test_baselines_frame_every_result(folder: Path) -> None:
    corpus = load_corpus(folder, "small")
    assert baseline(corpus, "(nothing)").score.recall == 0
    everything = baseline(corpus, "(everything)").score
    assert (everything.recall, everything.precision) == (1, 0.5)


def test_brute_force_has_the_verdicts_of_its_best_threshold(folder: Path) -> None:
    results = results_of(folder)
    thresholds = cut_at_best(results)
    assert 0 < thresholds["(jaccard)"] < 1
    row = next(row for row in summaries(results) if row.algorithm == "(jaccard)")
    assert (row.macro, row.kind, row.best) == (1.0, "ceiling", (thresholds["(jaccard)"], 1.0))
    assert {result.threshold for result in row.results} == {thresholds["(jaccard)"]}


def test_sets_kept_apart_are_not_in_the_mean(folder: Path) -> None:
    results = results_of(folder)
    for result in results:
        if result.corpus == "made":
            result.cut(2.0)
    apart = next(row for row in summaries(results, ["made"]) if row.algorithm == "neardup")
    assert (apart.macro, apart.headlines, apart.macro_all) == (1.0, 0.0, 0.5)


def test_statistics_are_of_the_set(folder: Path) -> None:
    corpora = [load_corpus(folder, name) for name in ("made", "small")]
    made = statistics_of(corpora, "ru", 1)
    assert {name: statistics.documents for name, statistics in made.items()} == {"made": 5, "small": 3}
    specs = parse_specs("tf-idf")
    results, _ = pairs_results(corpora, specs, (), made, "ru", 1)
    assert next(r for r in results if r.algorithm == "tf-idf").answers.verdicts


@pytest.mark.parametrize(("language", "verdict"), [("", "duplicate"), ("en", "none")])
def test_a_set_is_read_in_its_own_language(language: str, verdict: str) -> None:
    texts = {"a": "продаю угловые диваны и большие столы", "b": "продаю угловой диван и большой стол"}
    pairs = [LabelledPair("a", "b", "k", True, 0.1), LabelledPair("a", "b", "k", True, 0.1)]
    asked = Request(specs=parse_specs("minhash-lsh"), collection=True, sample=1)
    report = evaluate([Corpus("set", texts, pairs, language=language)], asked)
    judged = next(each for each in report.pairs if each.algorithm == "minhash-lsh")
    assert judged.answers.verdicts == [verdict]
    assert report.collections[0].verdicts["duplicate"] == (verdict == "duplicate")


def test_statistics_are_in_the_language_of_the_set() -> None:
    sets = [Corpus(name, {"a": "диваны", "b": "диван"}, language=name) for name in ("", "en")]
    assert len({each.digest for each in statistics_of(sets, "ru", 1).values()}) == 2


def test_a_set_without_pairs_has_no_rows() -> None:
    assert pairs_results([Corpus("set", {"a": "кот"})], SPECS, (), {}, "ru", 1)[0] == []


def test_costs_are_of_all_chunks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.evaluation.judging.CHUNK", 1)
    monkeypatch.setattr("django_neardup.evaluation.judging.costed", lambda key: True)
    row = next(row for row in summaries(results_of(folder)) if row.algorithm == "neardup")
    answers = row.answers
    assert answers.clock["judge"].count == 5
    assert answers.clock["keys"].count == answers.clock["pack"].count == 10
    assert answers.keys > 100


def test_a_pair_listed_twice_counts_by_its_last_label() -> None:
    texts = {"a": "кот", "b": "кот", "c": "дом"}
    pairs = [LabelledPair("a", "b", "k", False), LabelledPair("a", "b", "k", True, 0.0)]
    pairs.append(LabelledPair("a", "c", "k", False))
    results = pairs_results([Corpus("set", texts, pairs)], SPECS[:1], (), {}, "ru", 1)[0]
    core = next(r for r in results if r.algorithm == "neardup").grouped
    assert core is not None and (core.true, core.false) == ((1.0,), (0.0,))

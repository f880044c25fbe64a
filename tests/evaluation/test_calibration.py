"""Calibration: the fit of tiers and weights, and the report of how often the judge is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.calibration_mode import (
    LEFT_OUT,
    ScoredPair,
    bar_rows,
    claim_rows,
    measure_calibration,
    reliability_rows,
    site_kind_of,
)
from django_neardup.evaluation.certainty_fit import Observation, fit_model, fit_rules, wilson_bounds
from django_neardup.evaluation.corpora import load_corpus, matches_any
from django_neardup.judge.certainty import (
    ADVERTS,
    ARTICLES,
    DOUBTFUL,
    OFF,
    SITE_KINDS,
    SURE,
    Features,
    read_tiers,
)
from django_neardup.judge.rules import RULE_NAMES
from tests.evaluation.conftest import DOG, SOFA, write_lines


def observed(
    is_same: bool,
    rules: tuple[str, ...] = (),
    corpus: str = "one",
    length: int = 30,
    features: Features | None = None,
    verdict: str = "variant",
) -> Observation:
    return Observation(corpus, ARTICLES, is_same, True, length, verdict, False, rules, features)


def scored(
    is_same: bool, verdict: str, doubtful: bool = False, probability: float | None = None, count: int = 1
) -> list[ScoredPair]:
    return [ScoredPair(observed(is_same), verdict, doubtful, probability)] * count


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Three sets, each of two edited copies and a pair of other texts. One has a name of generated sets."""
    first, second = DOG.split(", звоните")[0], SOFA.split(", самовывоз")[0]
    for name, words in (("jokes", "утром"), ("letters", "вечером"), ("edits_made", "днём")):
        texts = {
            "a": f"{first}, звоните {words} до обеда", "a2": f"{first}, пишите {words} до обеда",
            "b": f"{second}, забирать {words} сегодня", "b2": f"{second}, приезжать {words} сегодня",
        }  # fmt: skip
        write_lines(
            tmp_path / f"{name}.docs.jsonl.gz", [{"id": key, "text": text} for key, text in texts.items()]
        )
        pairs = [("a", "a2", True), ("b", "b2", True), ("a", "b", False)]
        write_lines(
            tmp_path / f"{name}.pairs.jsonl.gz",
            [
                {"a": a, "b": b, "label": "x", "kind": "x", "dup": same, "changed": 0.1}
                for a, b, same in pairs
            ],
        )
    return tmp_path


@pytest.mark.parametrize(
    ("right", "total", "lower", "upper"),
    # Values of the R package binom, method "wilson".
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (152, 152, 0.9753, 1.0), (5, 10, 0.2366, 0.7634), (0, 0, 0.0, 1.0)],
)  # fmt: skip
def test_wilson(right: int, total: int, lower: float, upper: float) -> None:
    assert wilson_bounds(right, total) == pytest.approx((lower, upper), abs=5e-5)


@pytest.mark.parametrize(
    ("right", "wrong", "sets", "tier"),
    [(150, 0, 2, SURE), (150, 0, 1, DOUBTFUL), (99, 0, 3, DOUBTFUL), (150, 5, 2, DOUBTFUL), (30, 30, 2, DOUBTFUL),
     (2, 40, 2, OFF), (0, 2, 1, DOUBTFUL), (0, 0, 0, DOUBTFUL)],
)  # fmt: skip
def test_the_tier_of_a_rule(right: int, wrong: int, sets: int, tier: str) -> None:
    labels = [False] * right + [True] * wrong
    seen = [
        observed(label, ("figure",), f"set{number % max(sets, 1)}") for number, label in enumerate(labels)
    ]
    rule = fit_rules(seen)["figure"]
    assert rule["longer"] == tier
    assert (rule["right"], rule["wrong"], rule["sets"]) == ([0, right], [0, wrong], sets)


def test_short_texts_have_a_tier_of_their_own() -> None:
    seen = [observed(False, ("figure",), length=12)] * 20 + [observed(True, ("figure",), length=13)] * 20
    rule = fit_rules(seen)["figure"]
    assert (rule["short"], rule["longer"]) == (DOUBTFUL, OFF)


def test_signs_and_heads_are_sure_by_definition() -> None:
    rules = fit_rules([])
    assert {name for name, rule in rules.items() if rule["short"] == SURE} == {"sign", "head"}


def test_the_model_orders_pairs_and_has_no_weight_of_the_wrong_sign() -> None:
    near, far = Features(-2.0, 0.05, 0.01, 3.0), Features(1.0, 0.6, 0.5, 3.0)
    seen = [observed(True, features=near)] * 30 + [observed(False, features=far)] * 30
    # In a set of few pairs, longer texts are other ones: the opposite of what the model may say.
    seen += [observed(False, corpus="two", features=near._replace(length=4.5))] * 5
    weights, _ = fit_model(seen)
    assert weights.changed < 0 and weights.replaced <= 0 and weights.differing <= 0 and weights.length >= 0


def test_the_kind_of_a_set() -> None:
    names = ["ads_a", "en_products_a", "ru_vacancies_long_a", "ru_jokes_a", "en_news_reprints_a"]
    assert [site_kind_of(name) for name in names] == [ADVERTS] * 3 + [ARTICLES] * 2
    assert [matches_any(name, LEFT_OUT) for name in names] == [True, False, False, False, False]


def test_the_report_measures_and_the_status_says_whether_bars_are_kept(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(labelled), "--calibration", "--format", "json", "--jobs", "1"]) == 1
    report = json.loads(capsys.readouterr().out)
    rows = {row["claim"]: row for row in report["calibration"]}
    duplicates = rows["sure duplicates that are right"]
    # All four true pairs are right, and four pairs are too few for a bar.
    assert (duplicates["pairs"], duplicates["share"], duplicates["kept"]) == (4, 1.0, "no")
    assert report["reliability"][-1]["share same"] == 1.0
    assert report["pairs"] == []


def test_calibrate_writes_a_file_that_the_judge_can_read(labelled: Path, tmp_path: Path) -> None:
    path = tmp_path / "certainty.json"
    assert main(["--data", str(labelled), "--calibrate", str(path), "--jobs", "1"]) == 0
    content = json.loads(path.read_text("utf-8"))
    assert set(content) == {*SITE_KINDS, "model"}
    assert set(read_tiers(content[ADVERTS])) == set(RULE_NAMES)
    assert set(content["model"]["weights"]) == set(Features._fields)


def test_generated_sets_never_enter(labelled: Path) -> None:
    names = ["jokes", "letters", "edits_made"]
    corpora = [load_corpus(labelled, name) for name in names]
    assert {pair.seen.corpus for pair in measure_calibration(corpora, "ru", 1)} == {"jokes", "letters"}


def test_one_set_is_too_few(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--calibration", "--sets", "small", "--jobs", "1"]) == 2
    assert "in two sets at least" in capsys.readouterr().err


def test_sets_that_do_not_count_are_none(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(labelled), "--calibration", "--sets", "edits*", "--jobs", "1"]) == 2
    assert "no set with labelled pairs is left" in capsys.readouterr().err


def test_bars_count_claims() -> None:
    pairs = [
        *scored(True, "duplicate", probability=0.99, count=299),
        *scored(False, "duplicate", probability=0.99),
        *scored(False, "variant", count=98),
        *scored(True, "variant", count=2),
        *scored(False, "variant", doubtful=True, count=3),
        *scored(True, "related", doubtful=True, probability=0.6, count=6),
        *scored(False, "related", probability=0.2, count=5),
    ]
    rows = {row["claim"]: (row["pairs"], round(row["share"], 3), row["kept"]) for row in bar_rows(pairs)}
    assert rows["sure duplicates that are right"] == (300, 0.997, "yes")
    assert rows["sure other items that are right"] == (100, 0.98, "yes")
    assert rows["doubts that are right"] == (9, 1.0, "no")
    assert rows["doubts among true pairs with up to 30 % of the words changed"] == (307, 0.02, "yes")
    assert {row["claim"]: (row["right"], row["wrong"]) for row in claim_rows(pairs) if row["certainty"] == "maybe"} == {
        "another item": (3, 0), "one item": (6, 0),
    }  # fmt: skip
    assert [(row["P(same) from"], row["pairs"], row["share same"]) for row in reliability_rows(pairs)] == [
        (0.2, 5, 0.0), (0.6, 6, 1.0), (0.9, 300, pytest.approx(299 / 300)),
    ]  # fmt: skip


def test_the_page_has_a_reliability_plot(labelled: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plots need the extra `report`")
    path = tmp_path / "page.html"
    main(["--data", str(labelled), "--calibration", "--format", "html", "--output", str(path), "--jobs", "1"])
    page = path.read_text("utf-8")
    assert ">Reliability</h2>" in page and page.count("<svg") == 1

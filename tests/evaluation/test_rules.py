"""The table of rules: counts by set and label, by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from django_neardup.algorithms import Judgement
from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.corpora import LabelledPair
from django_neardup.evaluation.decisive_differences import deciding_rules, difference_record, is_sure
from django_neardup.evaluation.report.tables import rule_rows
from django_neardup.evaluation.results import PairsResult, RowJudgements
from django_neardup.judge.differences import Difference
from tests.evaluation.conftest import write_lines

PAIRS = [LabelledPair("a", "b", "kind", label) for label in (True, False, False, None)]


def result(corpus: str, *rules: tuple[str, ...]) -> PairsResult:
    count = len(rules)
    judgements = RowJudgements(["variant"] * count, classes=[()] * count, rules=list(rules))
    return PairsResult("neardup", corpus, PAIRS[:count], judgements)


def test_counts_by_set_and_their_sums() -> None:
    rows = rule_rows([result("x", ("code",), ("code", "sign"), (), ("sign",)), result("y", ("code",))])
    names = ("set", "rule", "decided", "true", "false", "policy", "share true")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("x", "code", 2, 1, 1, 0, 0.5),
        ("x", "sign", 2, 0, 1, 1, 0.0),
        ("y", "code", 1, 1, 0, 0, 1.0),
        ("(all)", "code", 3, 2, 1, 0, 2 / 3),
        ("(all)", "sign", 2, 0, 1, 1, 0.0),
    ]


def difference(kind: str, is_decisive: bool) -> Difference:
    return Difference(kind, (0, 1), (0, 1), is_decisive, (0, 2), (0, 2), "5а", "5б")


def test_the_kind_stands_for_a_rule_without_a_name() -> None:
    judgement = Judgement("variant", 0.9, differences=(difference("code", True), difference("date", False)))
    assert deciding_rules(judgement) == ("code",)
    assert difference_record(difference("code", True))["rule"] == ""
    assert is_sure(judgement)


def test_the_name_of_a_rule_comes_before_the_kind() -> None:
    named = Difference("code", (0, 1), (0, 1), True, (0, 2), (0, 2), "5а", "5б", "HouseLetter")
    assert deciding_rules(Judgement("variant", 0.9, differences=(named, named))) == ("HouseLetter",)
    assert difference_record(named)["rule"] == "HouseLetter"


@pytest.fixture
def phones(tmp_path: Path) -> Path:
    phone = "Продам телефон Samsung {}, память 128 ГБ, состояние отличное, в комплекте коробка, кабель и чек"
    sides = {"a": {"id": "a", "text": phone.format("S21")}, "b": {"id": "b", "text": phone.format("S22")}}
    record = {
        "rec": "pair",
        **sides,
        "edit": "hn_model",
        "relation": "different",
        "dup": False,
        "touched": 0.1,
    }
    write_lines(tmp_path / "phones.variants.jsonl.gz", [record])
    return tmp_path


def test_reports_have_the_table_on_request(phones: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--data", str(phones), "--peers", "none", "--jobs", "1"]
    assert main([*arguments, "--rules", "--format", "json"]) == 0
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [(row["set"], row["false"], row["true"]) for row in content["rules"]] == [
        ("phones", 1, 0),
        ("(all)", 1, 0),
    ]
    assert main([*arguments, "--rules", "--format", "csv"]) == 0
    body = capsys.readouterr().out.partition("# table: rules\n")[2].partition("# table")[0]
    assert [row["decided"] for row in csv.DictReader(io.StringIO(body))] == ["1", "1"]
    assert main([*arguments, "--format", "json"]) == 0
    assert "rules" not in json.loads(capsys.readouterr().out)


def test_rules_need_labelled_pairs(phones: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(phones), "--rules", "--collection", "--only-found"]) == 2
    assert "--rules counts labelled pairs" in capsys.readouterr().err

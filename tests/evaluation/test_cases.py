"""Cases mode: files of cases, verdicts against the expected ones, and the report."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.case_files import CaseError, load_cases
from tests.evaluation.conftest import DOG, DOG_AGAIN, SOFA

PHONE = "Продам телефон Samsung {}, память 128 ГБ, состояние отличное, в комплекте коробка, кабель и чек"
CASES: list[dict[str, Any]] = [
    {"id": "same", "kind": "order", "a": DOG, "b": DOG_AGAIN, "expected": "duplicate", "why": "ignored"},
    {"id": "other", "kind": "topic", "a": DOG, "b": SOFA, "expected": ["none", "related"]},
    {
        "id": "model",
        "kind": "code",
        "a": PHONE.format("S21"),
        "b": PHONE.format("S22"),
        "expected": ["duplicate"],
    },
    {
        "id": "quote",
        "kind": "quotes",
        "a": f"<blockquote>{SOFA}</blockquote>{DOG}",
        "b": DOG,
        "expected": "duplicate",
        "options": {"quotes": "drop"},
    },
]


def write_cases(path: Path, cases: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases), encoding="utf-8")
    return path


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    return write_cases(tmp_path / "cases.jsonl", CASES)


def records_of(*arguments: str | Path) -> list[dict[str, Any]]:
    output = Path(arguments[0]).with_name("results.jsonl")
    command = ["--cases", *map(str, arguments), "--format", "json", "--output", str(output)]
    assert main(command) == 0
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]


def test_json_has_one_object_a_case(case_file: Path) -> None:
    records = records_of(case_file)
    assert [(record["id"], record["got"], record["right"]) for record in records] == [
        ("same", "duplicate", True),
        ("other", "none", True),
        ("model", "variant", False),
        ("quote", "duplicate", True),
    ]
    assert [record["exact"] for record in records] == [False, False, False, True]
    assert all(record["sure"] is True for record in records)
    (difference,) = records[2]["decisive"]
    assert (difference["kind"], difference["a"], difference["b"]) == ("code", "S21", "S22")
    start, end = difference["span_a"]
    assert CASES[2]["a"][start:end] == "S21"
    assert difference["in_diff"] is True


def test_table_lists_kinds_wrong_cases_and_totals(
    case_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--cases", str(case_file)]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["code", "duplicate", "variant", "1", "0", "1"] in rows
    assert ["topic", "none|related", "none", "1", "1", "1"] in rows
    assert "model (code): expected duplicate, got variant" in out
    assert "    code, figure: S21 → S22" in out
    assert "neardup: 3 of 4 (75.0 %) right" in out
    assert "decisive differences inside the word diff: 1 of 1 (100.0 %)" in out
    assert "decisive differences that name an ignored word: 0 of 1 (0.0 %)" in out


def test_several_files_and_algorithms(case_file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "more.jsonl.gz"
    with gzip.open(packed, "wt", encoding="utf-8") as out:
        out.write("\n" + json.dumps({**CASES[1], "id": "packed"}) + "\n")
    records = records_of(case_file, packed, "--algorithm", "neardup,neardup:guard=false")
    assert [record["id"] for record in records[:5]] == ["same", "other", "model", "quote", "packed"]
    models = {record["algorithm"]: record["got"] for record in records if record["id"] == "model"}
    assert models == {"neardup": "variant", "neardup:guard=false": "duplicate"}


def test_algorithms_with_statistics_get_them_from_the_cases(case_file: Path) -> None:
    assert {record["algorithm"] for record in records_of(case_file, "--algorithm", "tf-idf")} == {"tf-idf"}


def test_the_language_of_a_case(tmp_path: Path) -> None:
    """Serbian in two alphabets is equal in Serbian only."""
    a, b = (
        "Продајем стан у центру, две собе, тераса, хитно",
        "Prodajem stan u centru, dve sobe, terasa, hitno",
    )
    case = {"id": "sr", "kind": "alphabet", "a": a, "b": b, "expected": "duplicate"}
    option = {**case, "id": "option", "options": {"language": "sr"}}
    path = write_cases(tmp_path / "cases.jsonl", [{**case, "lang": "sr"}, option])
    assert [record["right"] for record in records_of(path)] == [False, True]
    assert [record["right"] for record in records_of(path, "--language", "sr")] == [True, True]
    assert [record["right"] for record in records_of(path, "--case-languages")] == [True, True]


def test_first_lines_are_heads_on_request(tmp_path: Path) -> None:
    """The algorithm calls texts duplicates if their heads have three tokens and one."""
    case = {
        "kind": "title",
        "a": f"Щенок немецкой овчарки\n{DOG}",
        "b": f"Щенок\n{DOG}",
        "expected": "duplicate",
    }
    option = {**case, "id": "option", "options": {"head": "first-line"}}
    path = write_cases(tmp_path / "cases.jsonl", [{**case, "id": "none"}, option])
    arguments = [path, "--algorithm", "tests.evaluation.test_heads.HeadsDecide"]
    assert [record["right"] for record in records_of(*arguments)] == [False, True]
    assert [record["right"] for record in records_of(*arguments, "--head", "first-line")] == [True, True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"options": {"quotes": "drop", "colour": "red", "size": 1}},
            "unknown options: colour, size (known: quotes",
        ),
        ({"options": {"quotes": "maybe"}}, "option quotes is keep or drop, not 'maybe'"),
        ({"options": {"head": "title"}}, "option head is first-line, not 'title'"),
        ({"options": ["quotes"]}, "options is a JSON object"),
        ({"expected": ["same", "none"]}, "expected 'same': verdicts are duplicate, variant"),
        ({"expected": []}, "expected is empty"),
        ({"a": 5}, "a is a string, not 5"),
        ({"lang": 5}, "lang is a string, not 5"),
    ],
)
def test_wrong_cases_end_with_2_and_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    path = write_cases(tmp_path / "cases.jsonl", [CASES[0], {**CASES[1], **change}])
    assert main(["--cases", str(path)]) == 2
    assert f"{path}:2: {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b"[]", "a case is a JSON object"),
        (b'{"id": "1", "kind": "k"}', "no field a, b, expected"),
        (b"\xff\xfe", "can't decode byte"),
    ],
)
def test_lines_that_are_no_cases(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\n" + line + b"\n")
    with pytest.raises(CaseError, match=rf"{path}:2: .*{message}"):
        load_cases([path])


def test_files_without_cases_end_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", str(write_cases(tmp_path / "empty.jsonl", []))]) == 2
    assert "no case in" in capsys.readouterr().err
    assert main(["--cases", str(tmp_path / "absent.jsonl")]) == 2
    assert "absent.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--data", "folder", "--only-found"],
            "--cases judges the cases alone, without --data, --only-found",
        ),
        (["--format", "csv"], "--format of --cases is table or json"),
        (["--algorithm", "decomposition"], "decomposition: no verdict on a pair"),
    ],
)
def test_options_that_do_not_go_with_cases(
    case_file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["--cases", str(case_file), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_texts_that_cannot_be_encoded_are_reported(tmp_path: Path) -> None:
    case = {**CASES[2], "a": PHONE.format("S21 \ud800"), "id": "surrogate"}
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case) + "\n", encoding="utf-8")
    assert [record["id"] for record in records_of(path)] == ["surrogate"]

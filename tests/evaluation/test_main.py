from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from django_neardup.evaluation.__main__ import main


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_table_has_header_floor_and_ceiling(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--sets", "small"]) == 0
    out = capsys.readouterr().out
    assert "rapidfuzz" in out
    assert '"algorithm": "neardup"' in out
    assert "seed 1" in out
    rows = [line.split()[:2] for line in out.splitlines() if line.startswith("small")]
    assert rows == [["small", "(nothing)"], ["small", "(everything)"], ["small", "neardup"]]


def test_json_report_verdicts_and_found(folder: Path, tmp_path: Path) -> None:
    report, verdicts, found = (tmp_path / name for name in ("r.json", "v.jsonl", "f.jsonl"))
    status = main(
        [
            "--data",
            str(folder),
            "--format",
            "json",
            "--output",
            str(report),
            "--verdicts",
            str(verdicts),
            "--found",
            str(found),
        ]
    )
    assert status == 0
    content = json.loads(report.read_text(encoding="utf-8"))
    assert content["header"]["seed"] == 1
    small = next(row for row in content["pairs"] if row["set"] == "small" and row["algorithm"] == "neardup")
    assert (small["recall"], small["wrong"], small["verdicts"]["true"]) == (1.0, 0, {"duplicate": 1})
    assert {row["set"] for row in content["collections"]} == {"made", "small"}
    assert {(row["set"], row["verdict"]) for row in lines(verdicts)} >= {
        ("small", "duplicate"),
        ("made", "none"),
    }
    assert all(row["verdict"] in ("duplicate", "none") for row in lines(found))


def test_csv_is_readable_by_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--sets", "small", "--format", "csv"]) == 0
    out = capsys.readouterr().out
    body = "".join(line + "\n" for line in out.splitlines() if not line.startswith("#"))
    rows = list(csv.DictReader(io.StringIO(body)))
    assert rows[-1]["algorithm"] == "neardup"
    assert rows[-1]["f1"] == "1.0"


def test_several_algorithms_have_a_verdicts_file_each(folder: Path, tmp_path: Path) -> None:
    arguments = ["--data", str(folder), "--sets", "small", "--output", str(tmp_path / "report.txt")]
    arguments += ["--algorithm", "neardup,neardup-articles", "--verdicts", str(tmp_path / "v.jsonl")]
    assert main(arguments) == 0
    assert len(lines(tmp_path / "v.neardup.jsonl")) == len(lines(tmp_path / "v.neardup-articles.jsonl")) == 3


def test_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--list"]) == 0
    out = capsys.readouterr().out
    assert "neardup-articles" in out
    assert "small: 3 texts, 3 labelled pairs" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sets", "absent"], "no set in"),
        (["--algorithm", "absent"], "no algorithm 'absent'"),
    ],
)
def test_wrong_options_end_with_2_and_a_message(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["--data", str(folder), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_bench_runs_without_django(folder: Path) -> None:
    code = (
        "import sys; sys.modules['django'] = None; "
        "from django_neardup.evaluation.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--data", str(folder), "--sets", "small"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

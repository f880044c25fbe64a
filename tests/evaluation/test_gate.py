from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from django_neardup.algorithms import algorithm_names, get_algorithm
from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.gate import bounds_of, load_runs

ROOT = Path(__file__).resolve().parents[2]
FLOORS = sorted((ROOT / "benchmarks").glob("floors*.json"))
GOOD: dict[str, Any] = {
    "title": "pairs of small",
    "mode": "pairs",
    "algorithms": "neardup",
    "sets": ["small"],
    "floors": {"neardup": {"small": {"f1": 1.0, "recall": 0.9}, "(all)": {"macro F1": 1.0}}},
}


def gate(folder: Path, *runs: dict[str, Any]) -> list[str]:
    path = folder / "floors.json"
    path.write_text(json.dumps({"runs": runs}), encoding="utf-8")
    return ["--data", str(folder), "--jobs", "1", "--gate", str(path)]


def test_floors_that_are_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(gate(folder, GOOD)) == 0
    out = capsys.readouterr().out
    assert "pairs of small: 3 of 3 bounds kept" in out
    assert "MISSED" not in out


def test_a_missed_floor_is_named_with_value_and_floor(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floors = {"md5": {"small": {"recall": 0.4, "precision": 0.0}, "made": {"f1": 1.0}}}
    assert main(gate(folder, {**GOOD, "algorithms": "md5", "sets": ["*"], "floors": floors})) == 1
    missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert missed == [
        "MISSED pairs of small: md5, small, recall: 0.0000, at least 0.4 is asked for",
        "MISSED pairs of small: md5, small, precision: no figure, at least 0 is asked for",
    ]


def test_a_ceiling_is_missed_from_above(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = {
        "mode": "pool",
        "algorithms": "neardup",
        "floors": {"neardup": {"small": {"recall": 1.0}}},
        "ceilings": {"neardup": {"(all)": {"keys a text": 3}}},
    }
    assert main(gate(folder, run)) == 1
    out = capsys.readouterr().out
    assert "pool: 1 of 2 bounds kept" in out
    assert "MISSED pool: neardup, (all), keys a text: " in out and "at most 3 is asked for" in out


def test_collections_have_floors_too(folder: Path) -> None:
    floors = {"neardup": {"small": {"candidate recall": 1.0, "offered": 1.0, "f1": 1.0}}}
    assert main(gate(folder, {"mode": "collection", "algorithms": "neardup", "floors": floors})) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not a file of floors"),
        ('{"runs": []}', "a list of runs"),
        ('{"other": []}', "'runs'"),
        ('{"runs": [{"mode": "other"}]}', "run 1: 'mode' is one of"),
        (json.dumps({"runs": [GOOD, {**GOOD, "floors": []}]}), "run 2: 'floors' and 'ceilings'"),
        (json.dumps({"runs": [{**GOOD, "floors": {"neardup": {"small": {"f1": "0.9"}}}}]}), "hold numbers"),
        (json.dumps({"runs": [{**GOOD, "sets": "small"}]}), "lists of names"),
        (json.dumps({"runs": [{**GOOD, "sample": "5"}]}), "whole numbers"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--renew", "0.02"]])
def test_an_unusable_file_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, message: str, options: list[str]
) -> None:
    path = folder / "floors.json"
    path.write_text(content, encoding="utf-8")
    assert main(["--data", str(folder), "--gate", str(path), *options]) == 2
    assert message in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == content


def test_a_file_that_asks_for_nothing_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(gate(folder, {"mode": "pairs", "algorithms": "md5"})) == 2
    assert "asks for nothing" in capsys.readouterr().err


def test_renewed_floors_are_what_was_reached_less_the_margin(folder: Path) -> None:
    arguments = gate(folder, {**GOOD, "floors": {}})
    assert main([*arguments, "--renew", "0.02"]) == 0
    run = load_runs(Path(arguments[-1]))[0]
    assert run["floors"]["neardup"]["small"]["f1"] == 0.98
    assert "(jaccard)" not in run["floors"]
    assert main(arguments) == 0


@pytest.mark.parametrize("path", FLOORS, ids=lambda path: path.name)
def test_every_algorithm_has_floors(path: Path) -> None:
    bound = {name for run in load_runs(path) for name in run["floors"]}
    assert bound >= known()


@pytest.mark.parametrize("path", FLOORS, ids=lambda path: path.name)
def test_every_ceiling_can_be_missed(path: Path) -> None:
    bounds = [each for run in load_runs(path) if run["mode"] == "pairs" for each in bounds_of(run)]
    assert bounds and not [each for each in bounds if each[4] and each[3] >= 1]


def test_a_renewed_bound_that_nothing_can_miss_is_not_written(folder: Path) -> None:
    arguments = gate(folder, {**GOOD, "algorithms": "minhash-70:duplicate=0;review=0", "floors": {}})
    assert main([*arguments, "--renew", "1"]) == 0
    run = load_runs(Path(arguments[-1]))[0]
    assert (run["floors"], run["ceilings"]) == ({}, {})


def known() -> set[str]:
    """Algorithms of the package itself that give verdicts on pairs."""
    made = {name: get_algorithm(name) for name in algorithm_names()}
    own = {name for name, each in made.items() if type(each).__module__.startswith("django_neardup.")}
    return {name for name in own if not made[name].bench_only}


def test_a_false_pair_that_is_grouped_is_missed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "floors.json"
    path.write_text(json.dumps({"runs": [{**GOOD, "floors": {}}]}), encoding="utf-8")
    assert main(["--data", str(folder), "--jobs", "1", "--gate", str(path), "--renew", "0.02"]) == 0
    run = json.loads(path.read_text(encoding="utf-8"))["runs"][0]
    assert run["ceilings"]["neardup"]["small"] == {"false grouped": 0.005, "false offered": 0.005}
    lax = {**run, "algorithms": "minhash-70:duplicate=0;review=0", "floors": {}}
    lax["ceilings"] = {"minhash-70:duplicate=0;review=0": run["ceilings"]["neardup"]}
    assert main(gate(folder, lax)) == 1
    assert "false grouped: 1.0000, at most 0.005 is asked for" in capsys.readouterr().out


def test_an_algorithm_of_which_nothing_is_asked_fails(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(gate(folder, {**GOOD, "algorithms": "neardup,md5"})) == 1
    assert "pairs of small: md5 has no bounds" in capsys.readouterr().out


def test_renew_alone_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--renew", "0.02"]) == 2
    assert "--renew needs --gate" in capsys.readouterr().err


def test_where_another_row_is_better_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "--data",
        str(folder),
        "--sets",
        "small",
        "--jobs",
        "1",
        "--peers",
        "none",
        "--algorithm",
        "md5,neardup",
    ]
    assert main(asked) == 0
    assert "on small neardup is better: core F1 1.000, md5 0.000" in capsys.readouterr().out

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from django_neardup.evaluation import __main__ as command
from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.peers import PEERS, installed_peers, peer_version


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_json(folder: Path, *arguments: str) -> dict[str, object]:
    report = folder / "report.json"
    assert (
        main(["--data", str(folder), "--format", "json", "--output", str(report), "--jobs", "1", *arguments])
        == 0
    )
    return json.loads(report.read_text(encoding="utf-8"))


def test_table_has_header_floor_and_ceiling(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--sets", "small", "--peers", "none"]) == 0
    out = capsys.readouterr().out
    assert "rapidfuzz" in out
    assert '"algorithm": "neardup"' in out
    assert "seed 1" in out
    rows = [line.split()[:2] for line in out.splitlines() if line.startswith("small")]
    assert rows == [["small", name] for name in ("(nothing)", "(everything)", "neardup", "(jaccard)")]


def test_json_report_verdicts_and_found(folder: Path, tmp_path: Path) -> None:
    verdicts, found = (tmp_path / name for name in ("v.jsonl", "f.jsonl"))
    content = as_json(folder, "--peers", "none", "--verdicts", str(verdicts), "--found", str(found))
    assert content["header"]["seed"] == 1
    assert len(content["header"]["data"]) == 16
    small = next(row for row in content["pairs"] if row["set"] == "small" and row["algorithm"] == "neardup")
    assert (small["recall"], small["wrong"], small["verdicts"]["true"]) == (1.0, 0, {"duplicate": 1})
    assert {row["set"] for row in content["collections"]} == {"made", "small"}
    clusters = {
        row["set"]: (row["grouped texts"], row["ari"], row["b3 f1"]) for row in content["collections"]
    }
    assert clusters == {"small": (3, 1.0, 1.0), "made": (2, 1.0, 1.0)}
    assert {(row["set"], row["verdict"]) for row in lines(verdicts)} >= {
        ("small", "duplicate"),
        ("made", "none"),
    }
    assert len(lines(verdicts)) == 5
    assert {row["verdict"] for row in lines(found)} == {"duplicate"}


def test_the_digest_tells_other_data(folder: Path) -> None:
    both, one = as_json(folder), as_json(folder, "--sets", "small")
    assert both["header"]["data"] != one["header"]["data"]


def test_csv_is_readable_by_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--sets", "small", "--format", "csv", "--peers", "none"]) == 0
    out = capsys.readouterr().out
    _, _, body = out.partition("# table: pairs\n")
    rows = list(csv.DictReader(io.StringIO(body)))
    assert [row["algorithm"] for row in rows][-2:] == ["neardup", "(jaccard)"]
    assert rows[-2]["f1"] == "1.0"


def test_several_algorithms_and_peers_have_a_verdicts_file_each(folder: Path, tmp_path: Path) -> None:
    arguments = [
        "--data",
        str(folder),
        "--sets",
        "small",
        "--output",
        str(tmp_path / "report.txt"),
        "--jobs",
        "1",
    ]
    arguments += ["--algorithm", "neardup,neardup:guard=false", "--peers", "rapidfuzz ratio"]
    assert main([*arguments, "--verdicts", str(tmp_path / "v.jsonl")]) == 0
    names = ["v.neardup-guard=false.jsonl", "v.neardup.jsonl", "v.rapidfuzz-ratio.jsonl"]
    assert sorted(path.name for path in tmp_path.glob("v.*")) == names
    assert [len(lines(tmp_path / name)) for name in names] == [3, 3, 3]


def test_peers_are_rows_where_they_are_installed(folder: Path) -> None:
    content = as_json(folder, "--sets", "small")
    names = [row["algorithm"] for row in content["summary"]]
    peers = [row for name in installed_peers() for row in (name, fixed_title(name))]
    assert names == ["(nothing)", "(everything)", "neardup", "(jaccard)", *peers]
    ratio = next(row for row in content["summary"] if row["algorithm"] == "rapidfuzz ratio")
    assert ratio["macro F1"] == ratio["macro F1 then"] == 1.0
    assert 0 < ratio["best at"] < 1


def fixed_title(name: str) -> str:
    return f"{name} at {PEERS[name].fixed_threshold:g}"


def test_a_peer_has_a_row_at_one_fixed_threshold(folder: Path) -> None:
    content = as_json(folder, "--peers", "rapidfuzz ratio,rapidfuzz token_set")
    summary = {row["algorithm"]: row for row in content["summary"]}
    assert summary["rapidfuzz ratio at 0.9"]["kind"] == "fixed"
    assert summary["rapidfuzz ratio at 0.9"]["best at"] is None
    assert [(row["peer"], row["fixed"]) for row in content["peers"]] == [
        ("rapidfuzz ratio", 0.9),
        ("rapidfuzz token_set", 0.9),
    ]
    assert content["peers"][0]["best"] == summary["rapidfuzz ratio"]["best at"]
    assert all(row["source of the fixed one"] for row in content["peers"])


def test_absent_peers_are_named_where_all_are_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def installed(name: str) -> str | None:
        return None if name == "simhash package" else peer_version(name)

    for module in ("report.content", "peers", "__main__"):
        monkeypatch.setattr(f"django_neardup.evaluation.{module}.peer_version", installed)
    content = as_json(folder, "--sets", "small", "--peers", "all")
    assert content["header"]["peers"]["simhash package"] == "not installed"
    assert "simhash package is not installed" in content["header"]["notes"]


def test_peers_that_nobody_asked_for_are_not_in_the_header(folder: Path) -> None:
    for asked, names in (("none", []), ("rapidfuzz ratio", ["rapidfuzz ratio"])):
        header = as_json(folder, "--sets", "small", "--peers", asked)["header"]
        assert list(header["peers"]) == names
        assert not any("not installed" in note for note in header["notes"])


@pytest.mark.parametrize("option", ["--output", "--verdicts", "--found"])
def test_a_place_that_cannot_be_written_is_refused_first(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
) -> None:
    monkeypatch.setattr(command, "evaluate", lambda *_: pytest.fail("it ran"))
    places = [(tmp_path, "that is a folder"), (tmp_path / "nowhere" / "file", "there is no folder")]
    for place, why in places:
        assert main(["--data", str(folder), option, str(place)]) == 2
        assert f"{option} {place}: {why}" in capsys.readouterr().err


def test_one_file_is_not_written_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "lines.jsonl"
    assert main(["--data", str(folder), "--verdicts", str(file), "--found", f"{folder}/./lines.jsonl"]) == 2
    assert f"--verdicts and --found are one file, {file}" in capsys.readouterr().err
    assert not file.exists()


def test_sets_without_a_labelled_pair_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--long", "100", "--peers", "none"]) == 2
    assert "no set has a labelled pair" in capsys.readouterr().err
    assert as_json(folder, "--long", "100", "--peers", "none", "--collection")["collections"]


@pytest.mark.parametrize("option", ["--sample", "--jobs"])
def test_numbers_below_zero_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    with pytest.raises(SystemExit):
        main(["--data", str(folder), option, "-1"])
    assert "it must be 0 or more" in capsys.readouterr().err


def test_the_header_tells_which_statistics(folder: Path) -> None:
    one = as_json(folder, "--algorithm", "tf-idf", "--peers", "none", "--sets", "small")["header"]
    assert re.fullmatch("[0-9a-f]{32}", one["schemes"][0]["statistics"])
    several = as_json(folder, "--algorithm", "tf-idf,md5", "--peers", "none")["header"]
    assert several["schemes"][0]["statistics"] == "gathered from the texts"
    assert "statistics" not in several["schemes"][1]


def test_rows_of_a_whole_collection_are_left_out_of_pairs_mode(folder: Path) -> None:
    content = as_json(folder, "--algorithm", "decomposition,md5", "--peers", "none", "--collection")
    assert {row["algorithm"] for row in content["pairs"]} == {"(nothing)", "(everything)", "(jaccard)", "md5"}
    assert {row["algorithm"] for row in content["collections"]} == {"decomposition", "md5"}
    assert any("decomposition has no verdict on a pair" in note for note in content["header"]["notes"])


def test_all_modes_at_once(folder: Path) -> None:
    content = as_json(
        folder, "--algorithm", "md5,tf-idf", "--peers", "none", "--collection", "--union", "--pool"
    )
    assert set(content) == {
        "header",
        "summary",
        "pairs",
        "collections",
        "union",
        "pool",
        "pool sets",
        "pool sizes",
    }
    assert set(content["header"]["seconds"]) == {"pairs", "collection", "pool"}
    assert [row["set"] for row in content["union"]].count("(all)") == 2
    assert any("statistics" in note for note in content["header"]["notes"])


def test_long_texts_alone(folder: Path) -> None:
    assert as_json(folder, "--only-found", "--pool", "--long", "100")["pool"][0]["texts"] == 0


def test_sets_can_be_left_out(folder: Path) -> None:
    assert {row["set"] for row in as_json(folder, "--exclude", "ma*")["pairs"]} == {"small"}


def test_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(folder), "--list"]) == 0
    out = capsys.readouterr().out
    assert "neardup-articles" in out
    assert "needs statistics" in out
    assert "rapidfuzz ratio: " in out
    assert "small: 3 texts, 3 labelled pairs" in out


def test_list_needs_no_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert "sets:" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sets", "absent"], "no set in"),
        (["--algorithm", "absent"], "no algorithm 'absent'"),
        (["--algorithm", "neardup:window=0"], "window is 0"),
        (["--peers", "absent"], "no peer 'absent'"),
        (["--union", "0.9"], "--union needs"),
        (["--only-found"], "--only-found leaves nothing"),
    ],
)
def test_wrong_options_end_with_2_and_a_message(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["--data", str(folder), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_no_data_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "--data" in capsys.readouterr().err


def test_a_peer_that_is_not_installed_cannot_be_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "peer_version", lambda name: None)
    assert main(["--data", str(folder), "--peers", "simhash package"]) == 2
    assert 'pip install "path/to/django-neardup[peers]"' in capsys.readouterr().err


def test_the_bench_runs_without_django(folder: Path) -> None:
    code = (
        "import sys; sys.modules['django'] = None; "
        "from django_neardup.evaluation.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--data", str(folder), "--sets", "small"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

"""First lines as heads of the evaluated texts."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from django_neardup.algorithms import Judgement
from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.text_cache import CanonicalTextCache
from django_neardup.reports.__main__ import main as explain
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.heads import first_line_length, head_length
from tests.evaluation.algorithms import Words
from tests.evaluation.conftest import DOG, SOFA, write_lines
from tests.evaluation.test_gate import gate
from tests.evaluation.test_main import as_json, lines

ALGORITHM = f"{__name__}.HeadsDecide"


class HeadsDecide(Words):
    """Two texts are duplicates if both have heads of three and of one token, otherwise variants."""

    name = "heads-decide"

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        return Judgement("duplicate" if {a.head_end, b.head_end} == {3, 1} else "variant", 0.5)


@pytest.fixture
def titled(tmp_path: Path) -> Path:
    """A set of two texts with titles of three words and of one word."""
    texts = {"a": f"Щенок немецкой овчарки\n{DOG}", "b": f"Щенок\n{DOG}"}
    records = [{"id": key, "text": text} for key, text in texts.items()]
    write_lines(tmp_path / "titled.docs.jsonl.gz", records)
    pair = {"a": "a", "b": "b", "kind": "title", "label": "dup", "dup": True, "changed": 0.1}
    write_lines(tmp_path / "titled.pairs.jsonl.gz", [pair])
    return tmp_path


@pytest.mark.parametrize(
    ("text", "length"),
    [("Диван\nобивка", 5), ("Диван", 0), ("Диван\n \n", 0), ("\nобивка", 0), ("", 0), ("a\r\nb", 2)],
)
def test_the_first_line_is_a_head_unless_it_is_the_whole_text(text: str, length: int) -> None:
    assert first_line_length(text) == length


def test_a_head_is_the_beginning_of_its_text() -> None:
    assert head_length("Диван: обивка", "Диван") == 5
    assert head_length("Обивка, диван", "Диван") == 0


def test_the_cache_knows_heads_by_id() -> None:
    texts = CanonicalTextCache({"a": f"Диван\n{SOFA}", "b": SOFA}, heads={"a": 5})
    assert (texts["a"].head_end, texts["b"].head_end) == (1, 0)


@pytest.mark.parametrize("mode", [["--verdicts"], ["--only-found", "--found"]])
def test_rows_judge_first_lines_as_heads(titled: Path, mode: list[str]) -> None:
    judged = titled / "judged.jsonl"
    arguments = ["--algorithm", ALGORITHM, "--peers", "none", *mode, str(judged)]
    as_json(titled, *arguments)
    assert [row["verdict"] for row in lines(judged)] == ["variant"]
    content = as_json(titled, *arguments, "--head", "first-line")
    assert [row["verdict"] for row in lines(judged)] == ["duplicate"]
    assert "the first line of every text is its head" in content["header"]["notes"]


@pytest.mark.parametrize(("run", "status"), [({}, 1), ({"head": "first-line"}, 0), ({"head": "title"}, 2)])
def test_a_run_of_the_gate_may_declare_heads(titled: Path, run: dict[str, str], status: int) -> None:
    bounds = {"mode": "pairs", "algorithms": ALGORITHM, "floors": {ALGORITHM: {"titled": {"recall": 1.0}}}}
    assert main(gate(titled, {**bounds, **run})) == status


def test_an_unknown_rule_is_refused(titled: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--data", str(titled), "--head", "title"])
    assert stopped.value.code == 2


def test_files_are_explained_with_heads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "django_neardup.reports.__main__.compare_texts",
        lambda a, b, *_, **__: judged.append((a.head_end, b.head_end)),
    )
    monkeypatch.setattr("django_neardup.reports.__main__.render_report", lambda *_, **__: "")
    monkeypatch.setattr("sys.stdout", io.StringIO())
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path, title in zip(paths, ("Диван угловой", "Диван"), strict=True):
        path.write_text(f"{title}\n{SOFA}", encoding="utf-8")
    assert explain([*map(str, paths)]) == explain([*map(str, paths), "--head", "first-line"]) == 0
    assert judged == [(0, 0), (2, 1)]

"""The benchmarks run: every row in its quick form, and nothing asserted of any time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tqdm import tqdm

from benchmarks import texts
from benchmarks.__main__ import contradiction, parser
from benchmarks.figures import (
    FULL,
    QUICK,
    Bar,
    Figure,
    NotMeasured,
    Row,
    Sizes,
    order,
    rounded,
    row,
    row_of,
    rows,
)
from benchmarks.keytables import DEFAULT_KEYS
from benchmarks.loaded import Fill, rates
from benchmarks.page import write_page
from benchmarks.plots import bars, curves
from benchmarks.report import as_json, figures_of, merged, read, table, write
from benchmarks.rows import rows as every_row
from benchmarks.running import run as run_rows
from benchmarks.scaling import TABLES, fill
from benchmarks.timing import TURN, Timed, in_turns, interleaved, percentile, samples
from tests import services

KEYS = {"row", "name", "value", "unit", "must", "stretch", "met"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    hidden = ("DJANGO_SETTINGS_MODULE", "NEARDUP_DATA", "NEARDUP_TEST_DIRECTORY")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", "--no-progress", *arguments],
        cwd=services.ROOT, env=kept, capture_output=True, text=True, timeout=600,
    )  # fmt: skip


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All rows in their quick form: the JSON, the page, and why rows were not measured."""
    folder = tmp_path_factory.mktemp("benchmarks")
    done = run("--quick", "--json", str(folder / "figures.json"), "--markdown", str(folder / "page.md"))
    said = [line.removeprefix("row ") for line in done.stderr.splitlines() if " not measured: " in line]
    found = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    left = dict(line.split(" not measured: ", 1) for line in said)
    return {**found, "left": left, "folder": folder, "status": done.returncode, "stderr": done.stderr}


@pytest.mark.xdist_group("benchmarks")
@pytest.mark.long
class TestQuick:
    @pytest.mark.parametrize("number", list(every_row()))
    def test_every_row_gives_figures(self, quick: dict[str, Any], number: str) -> None:
        found = [each for each in quick["rows"] if each["row"].startswith(f"{number}.")]
        reason = quick["left"].get(number, "")
        if "not installed" in reason and os.environ.get("REQUIRE_SERVICES") != "1":
            pytest.skip(reason)
        assert not reason, quick["stderr"]
        places = [each["row"] for each in found]
        assert found
        assert len(set(places)) == len(places)
        assert all(each.keys() == KEYS for each in found)
        assert all(isinstance(each["value"], (int, float)) for each in found)
        assert all((each["met"] is None) == (each["must"] is None) for each in found)

    def test_no_row_breaks(self, quick: dict[str, Any]) -> None:
        assert quick["status"] == 0, quick["stderr"]

    def test_machine_and_versions(self, quick: dict[str, Any]) -> None:
        assert quick["machine"]
        assert quick["measured"].keys() == {row_of(each["row"]) for each in quick["rows"]}
        assert {"python", "django", "numpy", "texts"} <= quick["versions"].keys()

    def test_random_keys_are_as_many_as_those_of_posts(self, quick: dict[str, Any]) -> None:
        counted = [each["value"] for each in quick["rows"] if each["name"] == "default scheme, keys a post"]
        if not counted:
            pytest.skip(quick["left"]["8"])
        assert counted == [pytest.approx(DEFAULT_KEYS, abs=2)]

    def test_the_page_has_every_row_and_its_plots(self, quick: dict[str, Any]) -> None:
        page = (quick["folder"] / "page.md").read_text(encoding="utf-8")
        for number in {each["row"].partition(".")[0] for each in quick["rows"]}:
            assert f"\n## {number}: {every_row()[number].title}\n" in page
        drawn = {path.name for path in (quick["folder"] / "page").glob("*.svg")}
        assert drawn
        assert all(f"](page/{name})" in page for name in drawn)


@pytest.mark.xdist_group("benchmarks")
@pytest.mark.long
class TestSites:
    """What is planted in them is found, and the tag groups it."""

    @pytest.mark.parametrize("engine", ["SQLite", "PostgreSQL"])
    @pytest.mark.parametrize("way", ["offered to alignment", "paired"])
    @pytest.mark.parametrize("size", [100, 400])
    def test_planted_pairs_are_found(self, quick: dict[str, Any], engine: str, way: str, size: int) -> None:
        assert of(quick, "25")[f"{engine}: {way} at {size}"] == 100

    def test_the_tag_groups_with_few_queries(self, quick: dict[str, Any]) -> None:
        found = of(quick, "23")
        assert found["entries with others behind them"] > 0
        assert found["queries"] <= 2


def of(quick: dict[str, Any], number: str) -> dict[str, Any]:
    """Values of a row by name."""
    found = {each["name"]: each["value"] for each in quick["rows"] if row_of(each["row"]) == number}
    return found or pytest.skip(quick["left"][number])


def test_every_row_says_what_it_measures() -> None:
    assert all(each.title and each.described for each in every_row().values())


def test_the_list_names_every_row() -> None:
    listed = [line.split()[0] for line in run("--list").stdout.splitlines()]
    assert listed == list(every_row())


@pytest.mark.parametrize(
    "arguments", [("--rows", "nonsense"), ("--rows", ","), ("--rounds", "0"), ("--merge", "--rows", "6")]
)
def test_wrong_options_are_refused(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "error:" in done.stderr


def test_figures_that_mean_nothing_replace_none(tmp_path: Path) -> None:
    file, new = tmp_path / "figures.json", tmp_path / "new.json"
    file.write_text("{}", encoding="utf-8")

    def said(*arguments: str) -> str:
        return contradiction(parser().parse_args(arguments))

    assert "does not go with --merge" in said("--quick", "--json", str(new), "--merge")
    for option in ("--json", "--markdown"):
        assert f"does not write over {file}" in said("--quick", option, str(file))
        assert said("--quick", option, str(new)) == said(option, str(file)) == ""
    assert said("--json", str(file), "--merge") == ""


def test_naive_ways_are_not_charged_for_our_app(tmp_path: Path) -> None:
    pytest.importorskip("datasketch")
    (tmp_path / "posts").write_text('"<p>угловой диван, обивка велюр</p>"\n' * 2, encoding="utf-8")
    code = (
        "import sys; from benchmarks.cold import main; assert main('find-datasketch', sys.argv[1])['found'] == 1; "
        "from django.conf import settings; sys.exit(settings.configured)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "posts")], cwd=services.ROOT, timeout=60
    )
    assert done.returncode == 0


def given(number: str, *values: float | BaseException, must: str | None = None) -> Row:
    """A row that gives those figures, or fails."""

    def measure(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
        for place, value in enumerate(values, 1):
            if isinstance(value, BaseException):
                raise value
            yield Figure(f"{number}.{place}", "figure", value, "x", must)

    return Row(number, "title", measure)


def test_a_row_that_fails_leaves_the_others_alone() -> None:
    missing, broken = NotMeasured("peer is not installed"), ZeroDivisionError("division")
    outcome = run_rows([given("1", 1.0, missing), given("2", broken), given("3", 3.0)], QUICK, quiet=True)
    assert [figure.row for figure in outcome.figures] == ["1.1", "3.1"]
    assert outcome.left == [("1", "peer is not installed"), ("2", "ZeroDivisionError: division")]
    assert outcome.broken == ["2"]


def test_figures_are_kept_after_every_row() -> None:
    kept: list[list[str]] = []
    chosen = [given("1", 1.0), given("2", KeyboardInterrupt()), given("3", 3.0)]
    with pytest.raises(KeyboardInterrupt):
        run_rows(chosen, QUICK, True, lambda outcome: kept.append([each.row for each in outcome.figures]))
    assert kept == [["1.1"]]


def test_a_figure_of_another_row_is_refused() -> None:
    stranger = Row("1", "title", given("2", 1.0).measure)
    assert run_rows([stranger], QUICK, quiet=True).broken == ["1"]


def test_a_number_is_given_once() -> None:
    with pytest.raises(ValueError, match="two rows 1"):
        row("1", "again")(rows()["1"].measure)


@pytest.mark.parametrize(
    ("must", "stretch", "value", "met", "word"),
    [
        ("<= 1.0", "<= 0.5", 1.0, True, "met"),
        ("<= 1.0", "<= 0.5", 1.1, False, "MISSED"),
        (">= 10", ">= 15", 20.0, True, "stretch"),
        (">= 10", ">= 15", 9.0, False, "MISSED"),
        (">= 10", None, 20.0, True, "met"),
        (None, None, 9.0, None, "9 x"),
    ],
)
def test_bounds(must: str | None, stretch: str | None, value: float, met: bool | None, word: str) -> None:
    figure = Figure("1.1", "figure", value, "x", must, stretch)
    assert figure.met is met
    assert table([figure]).splitlines()[1].endswith(word)
    assert as_json([figure])["rows"][0]["met"] is met


def test_rows_stand_in_the_order_of_their_numbers() -> None:
    numbers = ["save.2", "10.1", "8.10", "8.2", "articles.1", "8.1"]
    assert sorted(numbers, key=order) == ["8.1", "8.2", "8.10", "10.1", "articles.1", "save.2"]


@pytest.mark.parametrize(
    ("value", "shown"), [(0.123456, 0.1235), (12.3456, 12.35), (123456.7, 123457), (3, 3)]
)
def test_figures_are_rounded(value: float, shown: float) -> None:
    assert rounded(value) == shown


def test_a_run_replaces_whole_rows_of_an_older_one(tmp_path: Path) -> None:
    def measured(*places: str, value: float) -> dict[str, Any]:
        return as_json([Figure(place, "figure", value, "x") for place in places])

    file = tmp_path / "figures.json"
    write(file, merged(measured("1.1", "1.2", "12.1", value=1.0), measured("1.1", "2.1", value=2.0)))
    assert [(each.row, each.value) for each in figures_of(read(file))] == [
        ("1.1", 2.0),
        ("2.1", 2.0),
        ("12.1", 1.0),
    ]
    assert merged(read(tmp_path / "none.json"), read(file)) == read(file)


def of_machine(machine: str, *numbers: str) -> dict[str, Any]:
    """The JSON of a run there."""
    found = as_json([Figure(f"{number}.1", "figure", 1.0, "x") for number in numbers])
    measured = dict.fromkeys(found["measured"], machine)
    return {**found, "machine": f"{machine}, load 1.5 at the end", "measured": measured}


def test_rows_stay_credited_to_the_machine_of_their_run() -> None:
    both = merged(of_machine("old", "save", "12", "1"), of_machine("new", "1", "2"))
    assert list(both["measured"].items()) == [("1", "new"), ("2", "new"), ("12", "old"), ("save", "old")]
    assert both["machine"] == "new, load 1.5 at the end"
    again = merged(both, of_machine("third", "12"))
    assert again["measured"] == {"1": "new", "2": "new", "12": "third", "save": "old"}


def test_rows_of_which_nothing_is_said_are_credited_to_their_file() -> None:
    older = of_machine("old", "1", "2")
    del older["measured"]
    assert merged(older, of_machine("new", "2"))["measured"] == {"1": "old", "2": "new"}


def test_the_page_names_the_rows_of_other_machines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"

    def said(found: dict[str, Any]) -> list[str]:
        write_page(page, found)
        return [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("On ")]

    older = merged(of_machine("old", "save", "12", "3"), of_machine("older", "10"))
    assert said(merged(older, of_machine("new", "1", "2"))) == [
        "On old: rows 3, 12, save.",
        "On older: row 10.",
    ]
    assert said(of_machine("new", "1", "2")) == []


def test_descriptions_are_wrapped_and_remain_paragraphs(tmp_path: Path) -> None:
    described = [number for number, row in every_row().items() if row.described]
    write_page(tmp_path / "page.md", as_json(Figure(f"{number}.1", "speed", 1, "x") for number in described))
    text = (tmp_path / "page.md").read_text(encoding="utf-8").partition("\n## ")[2]
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#"))]
    assert len(lines) > len(described)
    assert [line for line in lines if len(line) > 100 or re.match(r"[-+*] |\d+[.)] |>", line)] == []


def test_plots_show_curves_and_bars(tmp_path: Path) -> None:
    curve = [Figure("growth.1", f"one save at {count:,}", count / 1000, "ms") for count in (1000, 20_000)]
    beside = [Figure("1.1", name, 2.0, "texts/s") for name in ("ours", "one", "other")]
    single = [Figure("2.1", "one save at 1,000", 1.0, "ms"), Figure("2.2", "alone", 1.0, "x", "<= 2")]
    assert curves([*curve, *single]) == {("growth", "ms"): {"one save": [(1000, 1.0), (20_000, 20.0)]}}
    assert bars([*beside, *single]) == {("1", "texts/s"): {"ours": 2.0, "one": 2.0, "other": 2.0}}
    write_page(tmp_path / "page.md", as_json([*curve, *beside, *single]))
    assert sorted(path.name for path in (tmp_path / "page").iterdir()) == [
        "row-1-texts-s.svg",
        "row-growth-ms-curve.svg",
    ]


def test_the_scaling_page_is_filled_from_the_figures(tmp_path: Path) -> None:
    page = tmp_path / "scaling.md"
    page.write_text(
        "\n".join(f"<!-- measured: {name} -->\nold\n<!-- /measured -->" for name in TABLES), encoding="utf-8"
    )
    fill(page, [])
    assert page.read_text(encoding="utf-8").count("old") == len(TABLES)
    sizes = {"posts themselves": 2000.0, "keys": 400.0, "pairs": 100.0}
    measured = [
        Figure(f"growth.{place}", f"SQLite: {name}", sizes[name], "B a post")
        for place, name in enumerate(sizes)
    ]
    fill(
        page,
        [
            *measured,
            Figure("8.1", "MariaDB, 20 keys", 1000.0, "bytes"),
            Figure("8.4", "SQLite, default scheme: keys, fingerprint, pairs", 1200.0, "bytes"),
            Figure("8.11", "MariaDB, 100,000 posts: keys", 800.0, "B a post"),
            Figure("8.12", "MariaDB, 100,000 posts: pairs", 200.0, "B a post"),
            Figure("20.2", "SQLite: 2 workers", 1000.0, "posts/s"),
            Figure("opensearch.1", "PostgreSQL: jobs at 100,000", 400.0, "turns/s"),
            Figure("opensearch.2", "OpenSearch: jobs at 100,000", 40.5, "turns/s"),
            Figure("opensearch.3", "OpenSearch: the index at 100,000", 532.0, "B a post"),
        ],
    )
    assert "| jobs, turns/s | 400 | 40.5 |\n| the index, B a post |  | 532 |\n" in page.read_text(
        encoding="utf-8"
    )
    assert [
        line
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith(("| SQLite", "| MariaDB"))
    ] == [
        "| SQLite | 400 | 100 | 500 | 0.5 GB | 5.0 GB | 50.0 GB |",
        "| MariaDB, 100,000 posts | 800 | 200 | 1,000 | 1.0 GB | 10.0 GB | 100.0 GB |",
        "| MariaDB, 20 keys | 1,000 | 1.0 GB | 10.0 GB | 100.0 GB |",
        "| SQLite, 2 workers | 1,000 | 0.3 h | 2.8 h | 27.8 h |",
    ]


def test_callables_are_timed_in_turn() -> None:
    calls: list[str] = []
    taken = interleaved({name: lambda name=name: calls.append(name) for name in "ab"}, rounds=3)
    assert calls == ["a", "b"] * 4
    assert taken.keys() == {"a", "b"}


def test_indexes_are_filled_in_turn_and_emptied_before() -> None:
    calls: list[str] = []

    def of(name: str) -> Fill:
        def emptied() -> Timed:
            calls.append(f"{name} emptied")
            return lambda: calls.append(name)

        return emptied

    taken = rates(
        {name: of(name) for name in "ab"}, 100, FULL._replace(rounds=2), lambda *_: tqdm(disable=True)
    )
    assert calls == ["a emptied", "a", "b emptied", "b"] * 2
    assert taken.keys() == {"a", "b"}


def test_calls_are_timed_in_turns_of_some() -> None:
    calls: list[str] = []
    asked = {name: lambda place, name=name: calls.append(f"{name}{place}") for name in "ab"}
    taken = in_turns(asked, range(TURN + 1), warm=1)
    first, last = [f"{name}{place}" for name in "ab" for place in range(TURN)], [f"a{TURN}", f"b{TURN}"]
    assert calls == ["a0", "b0", *first, *last]
    assert {name: len(times) for name, times in taken.items()} == {"a": TURN + 1, "b": TURN + 1}


def test_samples_are_sorted() -> None:
    numbers: list[int] = []
    taken = samples(numbers.append, 20)
    assert numbers == list(range(20))
    assert percentile(taken, 0.0) <= percentile(taken, 0.5) <= percentile(taken, 1.0) == taken[-1]


@pytest.mark.parametrize("words", [40, 100, 200, 2000])
def test_posts_are_of_the_length_that_is_asked_for(words: int) -> None:
    made = list(texts.posts(20, words))
    assert made == [texts.post(number, words) for number in range(20)]
    assert len(set(made)) == 20
    assert all(0.5 * words <= len(post.split()) <= 1.6 * words + texts.MOST for post in made)


def test_copies_are_of_every_likeness() -> None:
    likeness: defaultdict[int, int] = defaultdict(int)
    for copy in texts.copies(300, 100, 100):
        one, other = set(copy.text.split()), set(texts.post(copy.source, 100).split())
        likeness[int(10 * len(one & other) / len(one | other))] += 1
    assert likeness.keys() >= {4, 5, 6, 7, 8, 9}


def test_a_quote_stands_in_another_text() -> None:
    quote = texts.quoting(3, 200, 0.25)
    source, words = texts.post(3, 200).split(), quote.text.split()
    size = len(source) // 4
    runs = {tuple(source[start : start + size]) for start in range(len(source) - size + 1)}
    assert any(tuple(words[start : start + size]) in runs for start in range(len(words) - size + 1))


def test_template_posts_differ_in_little() -> None:
    made = [post.split() for post in texts.template_posts(50)]
    assert len({tuple(post) for post in made}) > 40
    assert len({tuple(post[:28]) for post in made}) == 1


def test_html_posts_have_their_tags() -> None:
    made = texts.html(texts.post(1, 200), Random(1))
    assert 30 <= made.count("<") <= 46


def test_a_quick_form_is_small() -> None:
    assert QUICK.growth[-1] < FULL.growth[0]
    assert QUICK.collection < 1000


@pytest.mark.slow
def test_a_small_board_asks_each_question_once() -> None:
    arguments = [sys.executable, "-m", "benchmarks.board_questions", "--posts", "300"]
    done = subprocess.run(
        arguments, cwd=services.ROOT, capture_output=True, text=True, timeout=600, check=False,
        env={name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" met") == 2

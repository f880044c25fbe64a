"""The documents and the code agree: the references name what there is. ``test_documented_steps`` runs pages."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest
from django.core.management import load_command_class
from django.core.management.base import BaseCommand

import django_neardup
from benchmarks import pages as measured_pages
from django_neardup import adapters, conf
from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.registry import BUILT_IN
from django_neardup.evaluation.algorithm_specs import parse_specs
from django_neardup.evaluation.bench import BenchRequest, evaluate
from django_neardup.evaluation.corpora import Corpus, LabelledPair
from django_neardup.evaluation.report import FORMATS
from tests import services
from tests.documents import DOCS, FENCE, LINK, blocks

ALGORITHMS = DOCS / "algorithms"
RUSSIAN = DOCS / "ru"
SECTIONS = ["Formula", "Source", "Keys and payload", "Options", "When to use", "How it fails", "Measured"]
KEYS_AND_PAYLOAD = ("keys", "min_shared", "duplicate from", "offered from", "payload", "statistics")
PAGES = sorted(
    [*DOCS.rglob("*.md"), *map(services.ROOT.joinpath, ("README.md", "README.ru.md", "CONTRIBUTING.md"))]
)
COMMANDS = services.ROOT / "django_neardup" / "management" / "commands"
OURS = {
    "can_hide",
    "can_renew",
    "declares_heads",
    "language_code",
    "notifies_authors",
    "settings",
    "text_language",
    "least_words",
    "watched",
    "partner_adapters",
    "partners",
}
OURS |= {"source", "sources"}
"""What of an adapter the app itself calls, and no site overrides."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(services.ROOT)))
def test_every_python_block_can_be_compiled(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            compile(block.text, str(page), "exec")


def headings(page: str, level: str = "##") -> list[str]:
    """Names in code type that head the sections of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^{level} `([^`]+)`", text, re.MULTILINE)


def test_the_table_of_settings_is_that_of_the_code() -> None:
    text = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    table = "\n".join(map(settings_row, conf.SETTINGS.values()))
    assert re.findall(r"^\| `[A-Z_]+` \| .*", text, re.MULTILINE) == table.splitlines(), (
        f"The rows of docs/reference/settings.md are to be:\n{table}"
    )
    assert set(headings("reference/settings.md", "###")) <= set(conf.SETTINGS)


def settings_row(setting: conf.Setting) -> str:
    cells = (setting.value_type.description, setting.scope, setting.documentation)
    return f"| `{setting.name}` | `{as_written(setting.default)}` | {' | '.join(cells)} |"


def as_written(value: object) -> str:
    if isinstance(value, list) and len(value) > 10:
        return f"{len(value)} words"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def test_every_command_is_described() -> None:
    there = {path.stem for path in COMMANDS.glob("neardup_*.py")}
    assert set(headings("reference/commands.md")) == there


def test_every_option_of_a_command_is_described() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    for path in COMMANDS.glob("neardup_*.py"):
        options = options_of(load_command_class("django_neardup", path.stem)) - options_of(BaseCommand())
        described = set(re.findall(r"^\| `(--[a-z-]+)", sections[path.stem], re.MULTILINE))
        assert described == options, path.stem


def options_of(command: BaseCommand) -> set[str]:
    parser = command.create_parser("manage.py", "command")
    return {name for action in parser._actions for name in action.option_strings if name.startswith("--")}


def test_every_attribute_and_method_of_an_adapter_is_described() -> None:
    text = (DOCS / "guide" / "adapters.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)", text, re.MULTILINE))
    public = {name for name in vars(adapters.Adapter) if not name.startswith("_")}
    assert described == public - OURS


def test_every_model_is_described() -> None:
    from django.apps import apps

    there = {model.__name__ for model in apps.get_app_config("neardup").get_models()}
    assert set(headings("reference/models.md")) == there


def test_every_signal_is_described() -> None:
    from django.dispatch import Signal

    from django_neardup import signals

    there = {name for name, value in vars(signals).items() if isinstance(value, Signal)}
    assert set(headings("reference/signals.md")) == there


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(services.ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if not re.match(r"[a-z]+:", target):
            name, _, anchor = target.partition("#")
            other = (page.parent / name).resolve() if name else page
            assert other.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(other), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(services.ROOT)))
def test_a_line_has_at_most_a_hundred_characters(page: Path) -> None:
    """Except in tables, headings, pictures and blocks of code."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#", "!["))]
    assert [line for line in lines if len(line) > 100] == []


def test_the_readme_has_at_most_a_hundred_lines() -> None:
    assert len((services.ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_version_is_that_of_the_package(page: str) -> None:
    text = (services.ROOT / page).read_text(encoding="utf-8")
    assert re.findall(r"[Vv]ersion (\d[\w.]*\w)", text) == [django_neardup.__version__]


def index_of(page: Path) -> Path:
    """Where a page must be linked: in the nearest index above it. The README links to the Russian index."""
    if page == RUSSIAN / "index.md":
        return services.ROOT / "README.ru.md"
    indexes = (folder / "index.md" for folder in page.parents)
    return next(index for index in indexes if index.exists() and index != page)


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_every_page_is_in_an_index(page: Path) -> None:
    if page == DOCS / "index.md":
        return
    index = index_of(page)
    targets = LINK.findall(index.read_text(encoding="utf-8"))
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in targets}
    assert page in linked, f"{index.relative_to(services.ROOT)} does not name it"


def algorithm_page(name: str) -> str:
    return (ALGORITHMS / f"{name}.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> dict[str, str]:
    """The first two columns of the table in one section of a page, without code marks; {} where there is no table."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"no section {heading}"
    cells = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in section[1].splitlines()
        if line.startswith("|")
    ]
    return {row[0]: row[1] for row in cells[2:]}


def test_every_algorithm_has_a_page() -> None:
    pages = {page.stem for page in ALGORITHMS.glob("*.md")}
    assert pages - {"index", "comparison", "zipf-anomaly"} == set(BUILT_IN)


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_the_index_of_algorithms_has_a_line_for_each(name: str) -> None:
    index = (ALGORITHMS / "index.md").read_text(encoding="utf-8")
    assert len(re.findall(rf"^\| \[`{name}`\]\({name}\.md\) \|", index, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_the_page_of_an_algorithm_has_every_section(name: str) -> None:
    titles = re.findall(r"^## (.+)$", algorithm_page(name), re.MULTILINE)
    assert titles == SECTIONS
    assert algorithm_page(name).startswith(f"# `{name}`\n")


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_the_options_of_an_algorithm_are_described(name: str) -> None:
    algorithm = get_algorithm(name)
    there = {option: as_written(getattr(algorithm, option)) for option in algorithm.options}
    assert rows(algorithm_page(name), "Options") == there


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_the_keys_and_thresholds_of_an_algorithm_are_described(name: str) -> None:
    algorithm = get_algorithm(name)
    made = algorithm.parameters()
    described = rows(algorithm_page(name), "Keys and payload")
    assert described.keys() == {*KEYS_AND_PAYLOAD}
    assert described["min_shared"] == str(algorithm.min_shared)
    for row, option in (("duplicate from", "duplicate"), ("offered from", "review")):
        assert described[row] == (str(round(made[option], 3)) if option in made else "by length")
    assert described["statistics"].partition(",")[0] == ("needed" if algorithm.needs_statistics else "none")


@pytest.mark.parametrize("page", sorted(ALGORITHMS.glob("*.md")), ids=lambda page: page.stem)
def test_the_examples_of_an_algorithm_are_true(page: Path) -> None:
    parser, names = doctest.DocTestParser(), {}
    said: list[str] = []
    for block in blocks(page):
        if block.language == "pycon":
            example = parser.get_doctest(block.text, names, page.name, str(page), 0)
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
                example, out=said.append, clear_globs=False
            )
            names = example.globs
    assert not said, "".join(said)
    assert names or page.stem in ("index", "comparison"), "no example"


@pytest.mark.parametrize("page", sorted(ALGORITHMS.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_has_a_place_for_what_was_measured(page: Path) -> None:
    places = re.findall(r"^<!-- measured: (\S+) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert places == [page.stem] or page.stem == "zipf-anomaly"


REPORT: dict[str, object] = {
    "header": {},
    "summary": [
        {"algorithm": "md5", "macro F1": 0.25, "adverts F1": None, "ms a text": 0.034, "ms a pair": 0.02},
        {"algorithm": "tf", "macro F1": 0.5, "adverts F1": 0.125, "ms a text": 0.1, "ms a pair": 0.02},
    ],
    "pairs": [
        {"algorithm": "tf", "false": 30, "wrong": 3, "0-0.1": 1.0, "0.1-0.3": 0.5},
        {"algorithm": "tf", "false": 10, "wrong": 1, "0-0.1": 0.5, "0.1-0.3": None},
    ],
    "pool": [{"algorithm": "tf", "mean recall": 0.0, "keys a text": 1.0}],
}
UNION: dict[str, object] = {
    "header": {},
    "union": [
        {"set": "news", "algorithm": "md5", "recall": 0.1, "precision": 1.0, "f1": 0.182},
        {"set": "(all)", "algorithm": "md5", "recall": 0.25, "precision": 1.0, "f1": 0.4},
        {"set": "(all)", "algorithm": "shingles", "recall": 0.5, "precision": None, "f1": 0.0},
    ],
}
TF_CELLS = "0.500 | 0.125 | 0.750 | 0.500 | 0.1000 | - | 0.000 | 1.0 | 0.10 | 0.02 |"
MD5_CELLS = "0.250 | - | - | - | - | - | - | - | 0.03 | 0.02 |"


def place(name: str, inside: str = "") -> str:
    return f"before\n<!-- measured: {name} -->\n{inside}<!-- /measured -->\nafter\n"


def fill(folder: Path, *reports: object) -> int:
    files = [folder / f"{number}.json" for number, _ in enumerate(reports)]
    for path, report in zip(files, reports, strict=True):
        path.write_text(json.dumps(report), encoding="utf-8")
    return measured_pages.main([*map(str, files), "--pages", str(folder)])


def test_a_page_is_filled_from_a_report(tmp_path: Path) -> None:
    page = tmp_path / "tf.md"
    page.write_text(place("tf", "old\n"), encoding="utf-8")
    assert fill(tmp_path, REPORT) == 0
    once = page.read_text(encoding="utf-8")
    assert once.splitlines()[4] == f"| {TF_CELLS}"
    assert "old" not in once and once.startswith("before\n") and once.endswith("<!-- /measured -->\nafter\n")
    assert fill(tmp_path, REPORT) == 0
    assert page.read_text(encoding="utf-8") == once


def test_the_index_has_every_row_the_best_first(tmp_path: Path) -> None:
    page = tmp_path / "index.md"
    page.write_text(place("index"), encoding="utf-8")
    assert fill(tmp_path, REPORT) == 0
    assert page.read_text(encoding="utf-8").splitlines()[4:6] == [
        f"| `tf` | {TF_CELLS}",
        f"| `md5` | {MD5_CELLS}",
    ]


def test_the_comparison_shows_the_article_first(tmp_path: Path) -> None:
    page = tmp_path / "comparison.md"
    page.write_text(place("comparison"), encoding="utf-8")
    assert fill(tmp_path, REPORT, UNION) == 0
    lines = page.read_text(encoding="utf-8").splitlines()[4:-2]
    assert lines[0] == "| `three-plus-five` | 0.96 | 0.95 | 0.95 | - | - | - |"
    assert lines[-2:] == [
        "| `md5` | 0.23 | 1.00 | 0.38 | 0.250 | 1.000 | 0.400 |",
        "| `shingles` | - | - | - | 0.500 | - | 0.000 |",
    ]


def test_what_no_report_tells_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("simhash", "comparison"):
        (tmp_path / f"{name}.md").write_text(place(name, "old\n"), encoding="utf-8")
    assert fill(tmp_path, REPORT) == 1
    assert capsys.readouterr().out == "no figures: comparison, simhash\n"
    assert (tmp_path / "simhash.md").read_text(encoding="utf-8") == place("simhash", "old\n")


@pytest.mark.parametrize("report", ["text", {"pairs": []}, None])
def test_what_is_no_report_is_refused(
    tmp_path: Path, report: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fill(tmp_path, report) == 2
    assert "not a report of the bench" in capsys.readouterr().err


def test_the_bench_and_the_pages_agree_on_the_columns(tmp_path: Path) -> None:
    corpus = Corpus(
        "few", {"a": "Продам диван.", "b": "Куплю гараж."}, [LabelledPair("a", "b", "other", False)]
    )
    report = evaluate(
        [corpus], BenchRequest(parse_specs("md5,tf"), collection_mode=True, union_similarity=0.85)
    )
    for name in ("md5", "index", "comparison"):
        (tmp_path / f"{name}.md").write_text(place(name), encoding="utf-8")
    assert fill(tmp_path, json.loads(FORMATS["json"](report))) == 0


def test_the_options_of_the_opensearch_index_are_those_of_the_code() -> None:
    from django_neardup.index.opensearch import OpenSearchOptions

    text = (DOCS / "guide" / "opensearch.md").read_text(encoding="utf-8")
    table = "\n".join(
        settings_row(option).replace(f" | {conf.SITE} | ", " | ")
        for option in conf.options_of(OpenSearchOptions)
    )
    assert re.findall(r"^\| `[A-Z_]+` \| .*", text, re.MULTILINE) == table.splitlines(), f"They are:\n{table}"

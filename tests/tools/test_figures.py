"""The instruments of `make figures` on small sources."""

import ast
import importlib.util
from pathlib import Path
from textwrap import dedent

import pytest

from tools.database_code import depends_on_vendor, sql_literals
from tools.figures import Figure, database_figures, name_figures, size_figures, table
from tools.html_forms import Page
from tools.module_names import repeated_in_family, repeated_names
from tools.sizes import count_statements, functions, header_lines
from tools.sources import Source, read_sources
from tools.tracing import CallTrace


def source(path, text=""):
    return Source(Path(path), dedent(text))


def parse(text):
    return ast.parse(dedent(text))


def values(figures):
    return {figure.key: figure.value for figure in figures}


PATHS = [Path(name) for name in ("__init__.py", "page.py", "admin/__init__.py", "admin/page.py")]


def test_modules_of_different_families_share_a_name():
    assert repeated_names(PATHS) == {"page": [Path("admin/page.py"), Path("page.py")]}
    assert repeated_in_family(PATHS) == {}


@pytest.mark.parametrize(
    "extra", ["admin/queue/page.py", "admin/page/rows.py", "admin/queue/page/__init__.py"]
)
def test_a_name_is_repeated_inside_a_family(extra):
    ((key, paths),) = repeated_in_family([*PATHS, Path(extra)]).items()
    assert key == ("admin", "page")
    assert len(paths) == 2


def test_a_folder_counts_as_a_name():
    figures = values(name_figures([source("page/rows.py"), source("admin/page.py"), source("admin/rows.py")]))
    assert figures["names.repeated"] == 2
    assert figures["names.repeated_paths"] == 4
    assert (figures["names.repeated_modules_only"], figures["names.repeated_modules_only_paths"]) == (1, 2)


@pytest.mark.parametrize(
    "code",
    [
        'A = "SELECT 1"',
        'A = f"INSERT INTO {table} VALUES (%s)"',
        'A = """\nUPDATE t\nSET a = 1"""',
        'A = "DELETE FROM t" " WHERE a = 1"',
        'A = f"x{b:{c}}", " ON CONFLICT DO NOTHING"',
        "A = f\"{call(' ON DUPLICATE KEY UPDATE')}\"",
        'A = "CREATE UNIQUE INDEX i ON t (a)"',
    ],
)
def test_a_literal_looks_like_sql(code):
    assert len(sql_literals(parse(code))) == 1


@pytest.mark.parametrize(
    "code",
    [
        '"""SELECT is explained here."""',
        'A = 1\n"""A constant: INSERT INTO."""',
        'def f():\n    """DELETE FROM t."""',
        'A = "Select one from the list, update it, where needed"',
        'A = "LIMIT"',
    ],
)
def test_documentation_and_english_are_not_sql(code):
    assert sql_literals(parse(code)) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('connection.vendor == "x"', True),
        ("CLOCKS[vendor(using)]", True),
        ('engine in ("mysql", "oracle")', True),
        ("vendor", False),
        ('name = "postgresql"', False),
    ],
)
def test_a_module_depends_on_the_vendor(code, expected):
    assert depends_on_vendor(parse(code)) is expected


def test_the_database_folder_may_hold_sql():
    statement = 'A = "SELECT 1"'
    sources = [source("db/queries.py", statement), source("page.py", statement), source("rows.py", "A = 1")]
    assert values(database_figures(sources)) == {"sql.literals": 1, "sql.modules": 1, "vendor.modules": 0}


MODULE = '''
    """A module."""

    import os

    A = 1
    """A constant."""


    @decorator
    def outer():
        """A function."""
        def inner():
            return 1

        return inner
    '''


def test_sizes_of_a_module():
    module = source("module.py", MODULE)
    assert header_lines(module) == 4
    assert count_statements(module.tree) == 6
    assert [(function.name, function.lines) for function in functions(module.tree)] == [
        ("outer", 6),
        ("inner", 2),
    ]


def test_sizes_of_a_package():
    figures = values(size_figures([source("module.py", MODULE), source("empty.py")]))
    assert (figures["files.total"], figures["files.short"]) == (2, 2)
    assert figures["lines.header_share"] == pytest.approx(100 * 4 / figures["lines.total"])
    assert figures["lines.longest_function"] == 6


def test_generated_folders_are_not_read(tmp_path):
    for name in ("a.py", "migrations/b.py", "c/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A = 1\n")
    assert [read.path for read in read_sources(tmp_path)] == [Path("a.py"), Path("c/d.py")]


TRACED = {
    "first.py": """
        def start(second):
            second.numbers(second.double)
            return list(second.generator())
        """,
    "text/second.py": """
        def numbers(function):
            return function(1)

        def double(number):
            return number * 2

        def generator():
            yield 1
            yield 2
        """,
}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_calls_between_files_are_traced(tmp_path):
    for name, text in TRACED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(dedent(text))
    first, second = (load(tmp_path / name) for name in TRACED)
    with CallTrace(tmp_path) as trace:
        first.start(second)
    assert trace.files == {Path("first.py"), Path("text/second.py")}
    assert trace.files_outside({"text"}) == {Path("first.py")}
    assert trace.calls == 1, "start -> numbers; double is called from its own file, generators are left out"
    assert (trace.depth, trace.lines) == (3, 6)


PAGE = """
    <a href="/undo/7/">undo</a>
    <form action="/search/"><input name="q"></form>
    <form method="post" action="/accept/">
      <input type="hidden" name="token" value="x"><input type="submit" name="go">
      <input type="checkbox" name="id" value="1"><input type="checkbox" name="id" value="2" checked>
      <button formaction="/merge/">Merge</button>
    </form>
    """


def test_a_form_is_read_as_a_browser_sends_it():
    page = Page(PAGE)
    form = page.form_with("/merge/")
    assert page.link_with("/undo/") == "/undo/7/"
    assert form is page.form_with("/accept/")
    assert form.fields == {"token": ["x"], "id": ["2"]}
    assert form.all_ticked() == {"token": ["x"], "id": ["2", "1"]}


def test_the_table_shows_earlier_figures():
    figures = [Figure("a", "files", 3, "0"), Figure("b", "share", 12.34, unit=" %")]
    header, files, share = table(figures, {"a": 5}).splitlines()
    assert header.split() == ["earlier", "today", "goal"]
    assert files.split() == ["files", "5", "3", "0"]
    assert share.split() == ["share", "-", "12.3", "%"]

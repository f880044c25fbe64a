"""The order of the layers: a module imports from its own and from those above it, never from below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import run
from tools.database_code import depends_on_vendor, sql_literals
from tools.figures import screens_candidates

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "django_neardup"
CORE = ("text", "judge", "algorithms", "clustering", "comparison", "evaluation", "reports")
TEMPLATE_ENGINE = Path("reports/template_engine.py")
"""The module of the core that imports Django, when it renders a page."""
LAYERS: tuple[tuple[str, ...], ...] = (
    ("text",),
    ("judge",),
    ("algorithms",),
    ("clustering",),
    ("comparison",),
    ("reports",),
    ("evaluation",),
    ("conf", "exceptions", "signals", "db"),
    ("models", "migrations", "adapters", "registry", "querysets"),
    ("index",),
    ("pipeline",),
    ("queues", "pipeline.failed_marks", "pipeline.receivers"),
    ("visibility",),
    ("moderation",),
    ("search", "listing"),
    ("prepublication",),
    (
        "similar_posts", "seo", "authors", "preview", "forms", "validators", "api", "views", "urls", "sitemaps",
        "middleware", "admin", "templatetags", "jinja2", "checks", "management", "apps", "testing",
    ),
)  # fmt: skip
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SOURCES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
MODULES = [path for path in SOURCES if path != Path("__init__.py")]


def layer_of(name: str) -> str:
    """Return the longest beginning of a dotted name that LAYERS names, or its first part if there is none."""
    parts = name.split(".")
    beginnings = [".".join(parts[:size]) for size in range(len(parts), 0, -1)]
    return next((beginning for beginning in beginnings if beginning in LEVEL), parts[0])


def layer(path: Path) -> str:
    """Return the layer, in LAYERS, that a source file belongs to."""
    return layer_of(".".join(path.with_suffix("").parts))


def imports(path: Path) -> Iterator[str]:
    """Dotted names that a module imports, wherever in it they stand; relative ones made absolute."""
    here = ("django_neardup", *path.with_suffix("").parts)
    for node in ast.walk(ast.parse((PACKAGE / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: -node.level]) if node.level else ""
            name = ".".join(part for part in (base, node.module) if part)
            yield from (f"{name}.{alias.name}" for alias in node.names)


def own(path: Path) -> Iterator[str]:
    """The layers of the package that a module imports from; "" for the package itself."""
    for name in imports(path):
        if name.split(".")[0] == "django_neardup":
            imported = layer_of(name.removeprefix("django_neardup").lstrip("."))
            yield imported if imported in LEVEL else ""


# A migration is a copy of the past.
CURRENT = [path for path in MODULES if path.parts[0] != "migrations"]


@pytest.mark.parametrize("path", [path for path in CURRENT if path.parts[0] != "db"], ids=str)
def test_sql_is_written_in_db_alone(path):
    literals = sql_literals(ast.parse((PACKAGE / path).read_text()))
    assert not literals, f"{path}: move to db/queries or db/backends: {literals[0]}"


def test_databases_are_told_apart_in_one_module():
    found = {
        path.as_posix() for path in CURRENT if depends_on_vendor(ast.parse((PACKAGE / path).read_text()))
    }
    assert found == {"db/backends/__init__.py"}


def test_candidates_are_screened_in_one_module():
    found = {
        path.as_posix() for path in CURRENT if screens_candidates(ast.parse((PACKAGE / path).read_text()))
    }
    assert {path for path in found if not path.startswith("algorithms/")} == {"comparison/candidates.py"}


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_imports_come_from_above(path):
    assert layer(path) in LEVEL, f"say in LAYERS where {layer(path)} stands"
    below = {name for name in own(path) if name and LEVEL[name] > LEVEL[layer(path)]}
    assert not below, f"{path} imports from below: {', '.join(sorted(below))}"


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) in CORE], ids=str)
def test_the_core_knows_neither_django_nor_the_package_around_it(path):
    packages = {name.split(".")[0] for name in imports(path)}
    assert ("django" in packages) is (path == TEMPLATE_ENGINE)
    assert "" not in own(path)


def test_clustering_never_sees_a_text():
    seen = {name for path in MODULES if layer(path) == "clustering" for name in own(path)}
    assert seen <= {"clustering"}


def test_only_the_queues_know_rq():
    users = {
        layer(path)
        for path in MODULES
        for name in imports(path)
        if name.split(".")[0] in ("rq", "django_rq", "redis")
    }
    assert users <= {"queues"}


def test_the_core_works_where_django_is_not_installed():
    run(
        """
import importlib, pkgutil, sys
sys.modules["django"] = None
for name in ("text", "judge", "algorithms", "clustering", "comparison", "evaluation", "reports"):
    package = importlib.import_module(f"django_neardup.{name}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(".__main__"):
            importlib.import_module(module.name)
from django_neardup.algorithms.registry import get_algorithm
from django_neardup.text.canonical_text import CanonicalText
text = "Завод реализует сваи железобетонные забивные сечением 350 на 350 со склада"
assert get_algorithm("neardup").judge(CanonicalText(text), CanonicalText(text)).exact
"""
    )


def test_importing_the_package_needs_no_settings():
    run(
        """
import sys
import django_neardup
assert not [name for name in sys.modules if name.split(".")[0] == "django"]
assert django_neardup.__version__
assert "group" in dir(django_neardup)
"""
    )


def test_a_web_process_loads_nothing_heavy():
    run(
        """
import sys, django
django.setup()
import django_neardup.templatetags.neardup, django_neardup.urls
heavy = {"numpy", "pymorphy3", "scipy", "pandas"} & set(sys.modules)
assert not heavy, heavy
""",
        DJANGO_SETTINGS_MODULE="tests.settings",
        NEARDUP_TEST_DATABASE="sqlite",
    )

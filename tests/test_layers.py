"""The order of the layers: a module imports from its own and from those above it, never from below."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "django_neardup"
CORE = ("text", "signatures", "clustering", "evaluation", "comparison")
LAYERS: tuple[tuple[str, ...], ...] = (
    ("text",),
    ("signatures",),
    ("clustering",),
    ("evaluation",),
    ("comparison",),
    ("conf", "exceptions", "faults", "moments", "portions", "signals"),
    ("models", "migrations", "adapters", "registry", "columns", "narrowing"),
    ("storage",),
    ("pipeline",),
    ("queues", "receivers"),
    ("merging",),
    ("visible", "beside", "ends", "titles", "hints", "grouping", "comparing", "collapsing", "finding"),
    ("publishing",),
    (
        "similar", "listing", "canonical", "authors", "previewing", "forms", "validators", "templating", "throttling",
        "api", "views", "urls", "sitemaps", "mirroring", "middleware", "admin", "site_admin", "templatetags", "jinja2",
        "checks", "management", "apps",
    ),
)  # fmt: skip
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SOURCES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
MODULES = [path for path in SOURCES if path != Path("__init__.py")]


def layer(path: Path) -> str:
    """The name, in LAYERS, of what a source file belongs to."""
    return path.parts[0].removesuffix(".py")


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
        parts = name.split(".")
        if parts[0] == "django_neardup":
            yield parts[1] if len(parts) > 1 and parts[1] in LEVEL else ""


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_imports_come_from_above(path):
    assert layer(path) in LEVEL, f"say in LAYERS where {layer(path)} stands"
    below = {name for name in own(path) if name and LEVEL[name] > LEVEL[layer(path)]}
    assert not below, f"{path} imports from below: {', '.join(sorted(below))}"


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) in CORE], ids=str)
def test_the_core_knows_neither_django_nor_the_package_around_it(path):
    assert not [name for name in imports(path) if name.split(".")[0] == "django"]
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


def test_the_package_itself_imports_nothing_of_its_own():
    assert not [name for name in imports(Path("__init__.py")) if name.startswith("django_neardup")]


def run(code: str, **environment: str) -> None:
    """Run code in a fresh interpreter; its last words where it fails."""
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_core_works_where_django_is_not_installed():
    run(
        """
import importlib, pkgutil, sys
sys.modules["django"] = None
for name in ("text", "signatures", "clustering", "evaluation", "comparison"):
    package = importlib.import_module(f"django_neardup.{name}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(".__main__"):
            importlib.import_module(module.name)
from django_neardup.signatures.registry import get_algorithm
from django_neardup.text.document import Document
text = "Завод реализует сваи железобетонные забивные сечением 350 на 350 со склада"
assert get_algorithm("neardup").judge(Document(text), Document(text)).exact
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

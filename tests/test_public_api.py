"""The public API: names that a site uses, their types, and the modules behind them."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import django_neardup
from tests.processes import run

PACKAGE = Path(django_neardup.__file__).parent
SITE = Path(__file__).parent / "typed_site"
ADAPTER = """\
import django_neardup as neardup

class AdAdapter(neardup.Adapter):
    fields = ("title", "text")
"""
MISSPELT = """\
import django_neardup as neardup

neardup.find_similr("text")
"""
ABSENT = set() if find_spec("django.tasks") else {"django_neardup.queues.tasks"}
"""Modules that need a newer Django than the installed one."""
SIGNALS = {"document_checked", "cluster_changed"}


def mypy(folder: Path) -> str:
    """Check a site's folder, which lies outside the checkout, as strictly as can be. Return what is printed."""
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    command = [sys.executable, "-m", "mypy", "adapter.py", "misspelt.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def pyright(folder: Path) -> str:
    """Do the same with pyright, in the build that needs no Node.js."""
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(PACKAGE.parent)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def imported_names() -> set[str]:
    """Names that the package imports for static checkers only."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    blocks = (
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports for alias in node.names}


def test_the_three_lists_of_public_names_are_equal() -> None:
    assert set(django_neardup.MODULES) == set(django_neardup.__all__) - {"__version__"} == imported_names()


def test_names_that_do_not_exist_are_refused() -> None:
    with pytest.raises(AttributeError, match="find_similr"):
        _ = django_neardup.find_similr


def test_no_public_name_is_a_module() -> None:
    """An import of such a submodule would put the module in the place of the function."""
    assert not {path.stem for path in PACKAGE.iterdir()} & set(django_neardup.__all__)


def test_public_names_stay_callable_after_all_modules_were_imported() -> None:
    run(
        f"""
import importlib, pkgutil
import django
django.setup()
import django_neardup
for module in pkgutil.walk_packages(django_neardup.__path__, "django_neardup."):
    if not module.name.endswith(".__main__") and module.name not in {ABSENT!r}:
        importlib.import_module(module.name)
for name in django_neardup.MODULES:
    value = getattr(django_neardup, name)
    assert callable(value) or name in {SIGNALS!r}, (name, value)
""",
        DJANGO_SETTINGS_MODULE="tests.settings",
        NEARDUP_TEST_DATABASE="sqlite",
    )


@pytest.mark.slow
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_strict_checks_pass_an_adapter_of_three_lines_and_find_a_misspelt_name(
    checker, tmp_path: Path
) -> None:
    (tmp_path / "adapter.py").write_text(ADAPTER)
    (tmp_path / "misspelt.py").write_text(MISSPELT)
    errors = [line for line in checker(tmp_path).splitlines() if "error:" in line]
    assert errors and all("misspelt.py" in error and "find_sim" in error for error in errors), errors


@pytest.mark.slow
def test_strict_pyright_passes_the_files_of_a_typical_site(tmp_path: Path) -> None:
    """Models, adapters, views, forms, admin, receivers, sitemaps and template tags."""
    shutil.copytree(SITE / "board", tmp_path / "board")
    printed = pyright(tmp_path)
    assert printed.rstrip().endswith("0 errors, 0 warnings, 0 notes"), printed
    views = tmp_path / "board" / "views.py"
    views.write_text(views.read_text().replace("limit=5", "limt=5"))
    assert 'No parameter named "limt"' in pyright(tmp_path)

"""Names of the package's modules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import django_neardup

PACKAGE = Path(django_neardup.__file__).parent
FAMILIES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
VAGUE = {"common", "helpers", "misc", "util", "utils"}
"""Names that say nothing of what a module holds."""


def module_names(folder: Path) -> list[str]:
    """Names of the modules and folders below a folder of the package."""
    modules = [path.stem for path in folder.rglob("*.py") if not path.stem.startswith("__")]
    return modules + [path.parent.name for path in folder.rglob("*/__init__.py") if path.parent != folder]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_name_stands_twice_in_a_family(family: str) -> None:
    names = Counter(module_names(PACKAGE / family))
    assert not [name for name, count in names.items() if count > 1]


def test_every_name_says_something() -> None:
    assert not VAGUE & set(module_names(PACKAGE))

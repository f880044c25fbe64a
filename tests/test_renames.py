"""The table of renames: old and new names of modules, classes, functions, attributes and parameters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import django_neardup

ROWS = [
    line.split("\t") for line in (Path(__file__).parent / "data" / "renames.tsv").read_text().splitlines()
]
MODULES = {new for _, new in ROWS if "." in new}
"""New dotted paths of modules; a symbol's new name has no dots."""


def test_no_module_name_stands_twice_in_a_family() -> None:
    parts = [path.split(".") for path in MODULES if path.count(".") > 1]
    names = Counter((family[1], family[-1]) for family in parts)
    assert not [name for name, count in names.items() if count > 1]


def test_no_module_is_named_utils() -> None:
    assert not [path for path in MODULES if path.split(".")[-1] in ("utils", "helpers", "misc")]


def test_no_public_name_becomes_a_module() -> None:
    """An import of such a submodule would put the module in the place of the function."""
    assert not {path.split(".")[1] for path in MODULES} & set(django_neardup.__all__)


def test_every_name_is_renamed_once_and_to_an_identifier() -> None:
    assert len({old for old, _ in ROWS}) == len(ROWS)
    assert all(part.isidentifier() for _, new in ROWS for part in new.split("."))

"""Python files of a package: their text, their syntax tree and their bare strings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "django_neardup"
GENERATED = {"migrations"}
"""Folders with generated code, which is never measured."""


@dataclass(frozen=True)
class Source:
    """One Python file. ``path`` is relative to the folder that was read."""

    path: Path
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)


def read_sources(folder: Path, skip: set[str] = GENERATED) -> list[Source]:
    """Read the Python files below ``folder``, sorted by path, except in folders named in ``skip``."""
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*.py"))
    return [
        Source(path, (folder / path).read_text(encoding="utf-8"))
        for path in paths
        if not skip.intersection(path.parts)
    ]


def bare_strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield string statements: docstrings, and the strings that describe an attribute or a constant."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value

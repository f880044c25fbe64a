"""Lines, statements and functions of Python files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from tools.sources import Source, bare_strings


class Function(NamedTuple):
    """``lines`` runs from ``def`` to the last line; decorators are left out."""

    name: str
    lines: int


def header_lines(source: Source) -> int:
    """Count the lines of the opening block up to its last import: docstring, imports, blank lines."""
    last = 0
    for number, statement in enumerate(source.tree.body):
        is_docstring = number == 0 and isinstance(statement, ast.Expr)
        if not (is_docstring or isinstance(statement, (ast.Import, ast.ImportFrom))):
            break
        last = statement.end_lineno or statement.lineno
    return last


def count_statements(tree: ast.Module) -> int:
    """Count the statements of a module at every depth, without docstrings."""
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(tree))
    return statements - sum(1 for _ in bare_strings(tree))


def functions(tree: ast.Module) -> Iterator[Function]:
    """Yield every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Function(node.name, (node.end_lineno or node.lineno) - node.lineno + 1)

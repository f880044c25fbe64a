"""SQL literals, and modules that depend on the database vendor."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tools.sources import bare_strings

SQL = re.compile(
    r"""
    \bSELECT\b
    | \bINSERT\b .* \bINTO\b
    | \bUPDATE\b .* \bSET\b
    | \bDELETE\b .* \bFROM\b
    | \b(CREATE|ALTER|DROP) \s+ (UNIQUE\s+)? (TABLE|INDEX)\b
    | \bWITH \s+ \w+ \s+ AS\b
    | \bON \s+ (CONFLICT|DUPLICATE \s+ KEY)\b
    | \b(WHERE|JOIN|UNION|(ORDER|GROUP) \s+ BY|FOR \s+ UPDATE)\b
    | \bCAST\(
    """,
    re.VERBOSE | re.DOTALL,
)
"""A statement or a clause. Keywords match in capitals only, because English uses the same words."""
HOLE = "{}"
VENDORS = {"postgresql", "mysql", "sqlite", "oracle"}


class Literal(NamedTuple):
    line: int
    text: str


def sql_literals(tree: ast.Module) -> list[Literal]:
    """List the string literals that look like SQL. An f-string is one literal; docstrings are left out."""
    documentation = {id(node) for node in bare_strings(tree)}
    return [literal for literal in _literals(tree, documentation) if SQL.search(literal.text)]


def _literals(node: ast.AST, skip: set[int]) -> Iterator[Literal]:
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else HOLE for part in node.values]
        yield Literal(node.lineno, "".join(map(str, parts)))
        children: list[ast.AST] = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    else:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skip:
            yield Literal(node.lineno, node.value)
        children = list(ast.iter_child_nodes(node))
    for child in children:
        yield from _literals(child, skip)


def depends_on_vendor(tree: ast.Module) -> bool:
    """Say whether a module reads ``.vendor``, calls ``vendor()`` or compares with a vendor's name."""
    return any(map(_is_vendor, ast.walk(tree)))


def _is_vendor(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "vendor"
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "vendor"
    if isinstance(node, ast.Compare):
        operands = [part for operand in (node.left, *node.comparators) for part in ast.walk(operand)]
        return any(isinstance(part, ast.Constant) and part.value in VENDORS for part in operands)
    return False

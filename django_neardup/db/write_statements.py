"""What an SQL statement writes: the table, and the condition of the rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_NAME = r"""(?:"(?:[^"]|"")+"|`[^`]+`|[\w$]+)"""
_COMMENTS = re.compile(r"(?:\s*(?:/\*(?!!).*?\*/|--[^\n]*(?:\n|$)))+", re.S)
_TABLE = rf"(?:{_NAME}\s*\.\s*)?(?P<table>{_NAME})"
_BEGINNINGS = {
    "insert": re.compile(rf"\s*(?:INSERT(?:\s+OR\s+\w+|\s+IGNORE)?|REPLACE)\s+INTO\s+{_TABLE}", re.I),
    "update": re.compile(rf"\s*UPDATE\s+(?:OR\s+\w+\s+)?{_TABLE}(?P<rest>\s+SET\s)?", re.I),
    "delete": re.compile(rf"\s*DELETE\s+FROM\s+{_TABLE}(?P<rest>\s+WHERE\s|\s*$)?", re.I),
}
_REPLACING_INSERT = re.compile(r"\s*(?:INSERT\s+OR\s+REPLACE|REPLACE)\b", re.I)
_UPDATING_INSERT = re.compile(r"\bON\s+(?:CONFLICT\b.*\bDO\s+UPDATE|DUPLICATE\s+KEY\s+UPDATE)\b", re.I | re.S)
_OTHER_WRITE = re.compile(
    r"\s*(?:(?:MERGE|TRUNCATE|DELETE|UPDATE|REPLACE)\b|WITH\b.*\b(?:INSERT|UPDATE|DELETE|MERGE)\s)",
    re.I | re.S,
)
_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|[()]|\b(?:WHERE|FROM|USING|RETURNING|ORDER|LIMIT)\b|%%|%s""",
    re.I,
)


class WriteStatement(NamedTuple):
    """What a statement writes.

    - ``operation``: "insert", "update" or "delete". An insert that changes rows with the same key is an "upsert".
    - ``table``: the name of the table. It is "" if it cannot be read.
    - ``condition``: the condition of the rows in SQL, "" for all rows. None: it cannot be read.
    - ``parameters``: the values of the condition.
    """

    operation: str
    table: str
    condition: str | None = None
    parameters: Sequence[Any] = ()


def read_write_statement(
    sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None
) -> WriteStatement | None:
    """Return what a statement writes, with ``%s`` for its parameters. Return None if it only reads."""
    if comments := _COMMENTS.match(sql):
        sql = sql[comments.end() :]
    for operation, beginning in _BEGINNINGS.items():
        match = beginning.match(sql)
        if match is None:
            continue
        table = _unquoted(match["table"])
        if operation == "insert":
            changes_rows = _REPLACING_INSERT.match(sql) or _UPDATING_INSERT.search(sql, match.end())
            return WriteStatement("upsert" if changes_rows else operation, table)
        if not match["rest"] and sql[match.end() :].strip():  # an alias, or a join
            return WriteStatement(operation, table)
        condition, start = _condition(sql, match.end() if operation == "update" else match.end("table"))
        if condition is None or isinstance(parameters, Mapping):
            return WriteStatement(operation, table, "" if condition == "" else None)
        if parameters is None:
            # A driver that gets no parameters leaves percent signs as they are.
            return WriteStatement(operation, table, condition.replace("%", "%%"))
        skipped, used = _count_parameters(sql[:start]), _count_parameters(condition)
        return WriteStatement(operation, table, condition, list(parameters)[skipped : skipped + used])
    return WriteStatement("", "") if _OTHER_WRITE.match(sql) else None


def _condition(sql: str, position: int) -> tuple[str | None, int]:
    """Return the condition behind a position, and where it starts. Return None for a statement with a join."""
    depth, start, end = 0, -1, len(sql)
    for token in _TOKEN.finditer(sql, position):
        word = token.group().upper()
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
        elif depth or word[0] in "'\"`%":
            continue
        elif word == "WHERE":
            start = token.end()
        elif word in ("RETURNING", "ORDER", "LIMIT"):
            # Without the limit the condition holds for more rows, which does no harm.
            end = token.start()
            break
        else:
            return None, position
    return ("", position) if start < 0 else (sql[start:end], start)


def _count_parameters(sql: str) -> int:
    return sum(token.group() == "%s" for token in _TOKEN.finditer(sql)) + sum(
        # A driver replaces parameters in texts too.
        re.sub("%%", "", token.group()).count("%s")
        for token in _TOKEN.finditer(sql)
        if token.group()[0] in "'\"`"
    )


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name[0] in '"`' else name

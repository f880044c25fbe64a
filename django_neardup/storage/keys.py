"""The key table: rows of (key, document), written and read without model objects."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from django.db import connections

from ..models import Key

CHUNK = 100
"""Selects joined in one statement: SQLite refuses more than 500."""

ROWS = 5000
"""Rows written in one statement: there are limits to the parameters of one."""

TOP = 2**63


def signed(key: int) -> int:
    """An unsigned 64-bit key as the signed one that databases hold."""
    return key - 2 * TOP if key >= TOP else key


def pack(keys: Iterable[int]) -> bytes:
    """Sorted signed 64-bit keys as bytes."""
    return array("q", sorted(keys)).tobytes()


def unpack(data: bytes | memoryview) -> array[int]:
    """The keys that ``pack`` packed."""
    keys = array("q")
    keys.frombytes(bytes(data))
    return keys


def replace(using: str, document: int, old: Iterable[int], new: Iterable[int]) -> None:
    """Make ``new`` the keys of that document, whose present ones are ``old``. Rows go in key order."""
    before, after = set(old), set(new)
    for gone in _portions(sorted(before - after)):
        _remove(using, document, gone)
    for come in _portions(sorted(after - before)):
        _add(using, document, come)


def _portions(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    return (keys[start : start + ROWS] for start in range(0, len(keys), ROWS))


def _table(using: str) -> str:
    return connections[using].ops.quote_name(Key._meta.db_table)


def _column(using: str, name: str) -> str:
    return connections[using].ops.quote_name(name)


def _remove(using: str, document: int, keys: Sequence[int]) -> None:
    key, owner = _column(using, "key"), _column(using, "document")
    holes = ", ".join(["%s"] * len(keys))
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {_table(using)} WHERE {key} IN ({holes}) AND {owner} = %s", [*keys, document]
        )


def _add(using: str, document: int, keys: Sequence[int]) -> None:
    key, owner = _column(using, "key"), _column(using, "document")
    ignore, on_conflict = (
        ("IGNORE ", "") if connections[using].vendor == "mysql" else ("", " ON CONFLICT DO NOTHING")
    )
    holes = ", ".join(["(%s, %s)"] * len(keys))
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"INSERT {ignore}INTO {_table(using)} ({key}, {owner}) VALUES {holes}{on_conflict}",
            [value for each in keys for value in (each, document)],
        )


def candidates(using: str, keys: Sequence[int], cap: int) -> Counter[int]:
    """Documents that share keys, with the number they share; of each bucket the ``cap`` newest by document id."""
    key, owner = _column(using, "key"), _column(using, "document")
    newest = f"SELECT {owner} FROM {_table(using)} WHERE {key} = %s ORDER BY {owner} DESC LIMIT {int(cap)}"
    shared: Counter[int] = Counter()
    for start in range(0, len(keys), CHUNK):
        chunk = keys[start : start + CHUNK]
        selects = (f"SELECT * FROM ({newest}) AS bucket{number}" for number in range(len(chunk)))
        with connections[using].cursor() as cursor:
            cursor.execute(" UNION ALL ".join(selects), list(chunk))
            shared.update(row[0] for row in cursor.fetchall())
    return shared

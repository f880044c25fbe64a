"""How a deed went: what a model's own ``delete()`` left standing, and what it and ``save()`` changed by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..models import MergeRecord
from .book import Book
from .stored import Place, key_of, model_of, own_fields, place_of, read, same

Cell = tuple[Place, str]
Row = dict[str, Any]


def note(records: Sequence[MergeRecord], using: str) -> None:
    """Finish the journals of a deed that has just been done, in its transaction.

    Rows that are still there are marked with ``stays``; what has changed in them, and in the keeper beside the values
    that it took, is written down as moves; references that were to be emptied get the value that they have now.
    """
    told = {_cell(move) for record in records for move in record.journal["moves"] if _is_told(move)}
    arrived = {place for record in records for place in _arrivals(Book(record))}
    for record in records:
        journal = record.journal
        moves = [move for move in journal["moves"] if _is_told(move)]
        moves += _changed(_whole(move for move in journal["moves"] if not _is_told(move)), told, using)
        moves += _changed(journal.pop("keeper", []), told, using)
        moves += _stay([row for row in journal["rows"] if place_of(row) not in arrived], told, using)
        journal["moves"] = moves
        record.save(using=using, update_fields=["journal"])


def rows_now(rows: Iterable[Mapping[str, Any]], using: str) -> dict[Place, dict[str, Any]]:
    """What the columns of stored rows hold now, by place; without those that are gone."""
    found: dict[Place, dict[str, Any]] = {}
    for label, every in _by_model(rows).items():
        model = model_of(label)
        if model is None:
            continue
        names = {name for row in every for name in row["fields"]}
        fields = [field for field in model._meta.local_concrete_fields if field.name in names]
        current = read(model, [key_of(model, row["pk"]) for row in every], fields, using)
        found |= {(label, key): values for key, values in current.items()}
    return found


def _by_model(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["model"], []).append(row)
    return found


def _stay(rows: Sequence[Row], told: set[Cell], using: str) -> list[Row]:
    """Mark the rows that are still there; what has changed in them."""
    current = rows_now(rows, using)
    staying = [row for row in rows if place_of(row) in current]
    for row in staying:
        row["stays"] = True
    return list(_changes(staying, current, told))


def _arrivals(book: Book) -> Iterator[Place]:
    """Where rows are now whose key has moved: what was there before is no more."""
    for place, _name in book.moves:
        if (after := book.key_after(place)) != place:
            yield after


def _changed(rows: Iterable[Row], told: set[Cell], using: str) -> list[Row]:
    rows = list(rows)
    return list(_changes(rows, rows_now(rows, using), told))


def _changes(
    rows: Iterable[Row], current: Mapping[Place, Mapping[str, Any]], told: set[Cell]
) -> Iterator[Row]:
    for row in rows:
        fields = {field.name: field for field in _fields(row["model"])}
        for name, now in current.get(place_of(row), {}).items():
            old = row["fields"].get(name, now)
            if (place_of(row), name) not in told and not same(fields[name], old, now):
                told.add((place_of(row), name))
                yield {"model": row["model"], "pk": row["pk"], "field": name, "from": old, "to": now}


def _fields(label: str) -> list[Any]:
    model = model_of(label)
    return [] if model is None else own_fields(model)


def _whole(moves: Iterable[Row]) -> Iterator[Row]:
    """Columns that may change, as rows of one column each."""
    for move in moves:
        yield {"model": move["model"], "pk": move["pk"], "fields": {move["field"]: move["from"]}}


def _cell(move: Mapping[str, Any]) -> Cell:
    return place_of(move), str(move["field"])


def _is_told(move: Mapping[str, Any]) -> bool:
    """Whether the journal says already what became of that column."""
    return bool(move["from"] != move["to"])

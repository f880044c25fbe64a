"""Which records differ between two versions, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tools.digest.records import Record, Section

ABSENT = "(absent)"
LEAVES = 5
"""Changed values that are shown of one record."""
LETTERS = 100
"""Characters that are shown of one value."""


def changes(before: Sequence[Section], after: Sequence[Section], most: int) -> list[str]:
    """Describe the differing records by section, at most `most` of each. Return no lines if all records are equal."""
    old, new = _by_place(before), _by_place(after)
    lines: list[str] = []
    for place in sorted(old.keys() | new.keys()):
        lines += _section_changes(place, old.get(place), new.get(place), most)
    return lines


def _by_place(sections: Sequence[Section]) -> dict[tuple[str, str], Section]:
    return {(section.group, section.name): section for section in sections}


def _section_changes(
    place: tuple[str, str], before: Section | None, after: Section | None, most: int
) -> Iterator[str]:
    title = " / ".join(place)
    if before is None or after is None:
        yield f"{title}: only in the {'second' if before is None else 'first'} file"
        return
    names = before.records.keys() | after.records.keys()
    differing = sorted(name for name in names if before.records.get(name) != after.records.get(name))
    if not differing:
        return
    yield f"{title}: {len(differing)} of {len(names)} records differ"
    for name in differing[:most]:
        yield from _record_changes(name, before.records.get(name), after.records.get(name))
    if len(differing) > most:
        yield f"  … and {len(differing) - most} more"


def _record_changes(name: str, before: Record | None, after: Record | None) -> Iterator[str]:
    if before is None or after is None:
        side, record = ("second", after) if before is None else ("first", before)
        yield f"  {name}: only in the {side} file: {_shown(record)}"
        return
    yield f"  {name}"
    leaves = list(islice(_leaves("", before, after), LEAVES + 1))
    yield from (f"    {leaf}" for leaf in leaves[:LEAVES])
    if len(leaves) > LEAVES:
        yield "    …"


def _leaves(path: str, before: Any, after: Any) -> Iterator[str]:
    """Yield the innermost values that differ, each with its path in the record."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            inner = f"{path}.{key}" if path else key
            yield from _leaves(inner, before.get(key, ABSENT), after.get(key, ABSENT))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after)):
            yield from _leaves(f"{path}[{index}]", old, new)
    elif isinstance(before, list) and isinstance(after, list):
        yield f"{path}: {_uneven(before, after)}"
    else:
        yield f"{path}: {_shown(before)} → {_shown(after)}"


def _uneven(before: list[Any], after: list[Any]) -> str:
    """Describe lists of different lengths by the items that only one of them holds."""
    lost = [item for item in before if item not in after]
    added = [item for item in after if item not in before]
    return f"{len(before)} → {len(after)} items, lost {_shown(lost)}, added {_shown(added)}"


def _shown(value: Any) -> str:
    text = value if value is ABSENT else json.dumps(value, ensure_ascii=False, sort_keys=True)
    # Lone surrogates cannot be printed.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"

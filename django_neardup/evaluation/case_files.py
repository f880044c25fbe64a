"""Readers of files of cases: pairs of texts, each with the verdicts that are right.

One JSON object a line: ``{"id", "kind", "a", "b", "expected"[, "options"]}``. ``expected`` is a verdict or a
list of verdicts. ``options`` says how the texts are read (``CASE_OPTIONS``). ``lang`` is used only with
``--case-languages``. Other fields are ignored. A file whose name ends in ``.gz`` is compressed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..algorithms.base import VERDICTS
from ..text.heads import FIRST_LINE

CASE_OPTIONS: Mapping[str, Sequence[str] | None] = {
    "quotes": ("keep", "drop"),
    "language": None,
    "head": (FIRST_LINE,),
}
"""Options of a case, each with its values. None: any text."""


class CaseError(ValueError):
    """A file of cases cannot be used. The message gives the file, the line and the reason."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two texts, and the verdicts that are right for them.

    ``language`` is the language that the file states. It is empty if the file states none.
    """

    id: str
    kind: str
    a: str
    b: str
    expected: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    language: str = ""


def load_cases(paths: Sequence[Path]) -> list[Case]:
    """Read the cases of all files. Raise CaseError for a line that is no case, and for files without cases."""
    cases = [case for path in paths for case in _read_cases(path)]
    if not cases:
        raise CaseError(f"no case in {', '.join(map(str, paths))}")
    return cases


def _read_cases(path: Path) -> Iterator[Case]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield _parse_case(json.loads(line.decode("utf-8-sig")))
            except json.JSONDecodeError as error:
                raise CaseError(f"{path}:{number}: not JSON: {error}") from error
            except ValueError as error:
                raise CaseError(f"{path}:{number}: {error}") from error


def _parse_case(record: Any) -> Case:
    if not isinstance(record, dict):
        raise ValueError("a case is a JSON object")
    if missing := [name for name in ("id", "kind", "a", "b", "expected") if name not in record]:
        raise ValueError(f"no field {', '.join(missing)}")
    for name in ("id", "kind", "a", "b"):
        if not isinstance(record[name], str):
            raise ValueError(f"{name} is a string, not {record[name]!r}")
    return Case(
        record["id"],
        record["kind"],
        record["a"],
        record["b"],
        _parse_expected(record["expected"]),
        _parse_options(record.get("options") or {}),
        _parse_language(record.get("lang")),
    )


def _parse_expected(value: Any) -> tuple[str, ...]:
    verdicts = value if isinstance(value, list) else [value]
    if not verdicts:
        raise ValueError("expected is empty: name a verdict")
    if unknown := [verdict for verdict in verdicts if verdict not in VERDICTS]:
        raise ValueError(f"expected {', '.join(map(repr, unknown))}: verdicts are {', '.join(VERDICTS)}")
    return tuple(verdicts)


def _parse_language(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"lang is a string, not {value!r}")
    return value or ""


def _parse_options(options: Any) -> dict[str, str]:
    if not isinstance(options, dict):
        raise ValueError("options is a JSON object")
    if unknown := sorted(set(options) - set(CASE_OPTIONS)):
        raise ValueError(f"unknown options: {', '.join(unknown)} (known: {', '.join(CASE_OPTIONS)})")
    for name, value in options.items():
        values = CASE_OPTIONS[name]
        if not isinstance(value, str) or (values and value not in values):
            raise ValueError(
                f"option {name} is {' or '.join(values) if values else 'a string'}, not {value!r}"
            )
    return options

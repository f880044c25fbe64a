"""Sections of records, their digests, and their files.

A section belongs to a group. "verdicts" holds what people see. "keys" holds what depends on the hash secret by nature.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

Record = dict[str, Any]

VERDICTS, KEYS = "verdicts", "keys"
GROUPS = (VERDICTS, KEYS)
DECIMALS = 9
"""Sums of weights differ behind this place when their terms come in another order."""


class DuplicateRecord(ValueError):
    """Two records of one section have the same name."""


@dataclass(slots=True)
class Section:
    """Records of one kind, each under a name that is unique in the section."""

    group: str
    name: str
    records: dict[str, Record] = field(default_factory=dict)

    def add(self, name: str, record: Record) -> None:
        """Add a record with its numbers rounded. Raise DuplicateRecord if the name is taken."""
        if name in self.records:
            raise DuplicateRecord(f"{self.name}: two records are called {name}")
        self.records[name] = rounded(record)

    def sorted_records(self) -> list[tuple[str, Record]]:
        """Return the records with their names, sorted by name."""
        return sorted(self.records.items())


def rounded(value: Any) -> Any:
    """Return a JSON-able copy of a value, with floats rounded and tuples as lists."""
    if isinstance(value, float):
        return round(value, DECIMALS) + 0.0  # turns -0.0 into 0.0
    if isinstance(value, dict):
        return {str(key): rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return value


def section_digest(section: Section) -> str:
    """Return the digest of a section's sorted records."""
    return _digest(_as_line([name, record]) for name, record in section.sorted_records())


def group_digest(sections: Iterable[Section], group: str) -> str:
    """Return the digest of all sections of a group, whatever their order."""
    return _digest(sorted(_as_line([s.name, section_digest(s)]) for s in sections if s.group == group))


def total_digest(sections: Sequence[Section]) -> str:
    """Return the digest of all groups."""
    return _digest(_as_line([group, group_digest(sections, group)]) for group in GROUPS)


def write(path: Path, sections: Iterable[Section]) -> None:
    """Write all records to a file, sorted, one JSON object a line."""
    with opened(path, "wt") as file:
        for section in sorted(sections, key=lambda section: (section.group, section.name)):
            for line in _lines(section):
                file.write(line + "\n")


def read(path: Path) -> list[Section]:
    """Read the sections that `write` wrote. Raise ValueError if the file holds anything else."""
    sections: dict[tuple[str, str], Section] = {}
    with opened(path, "rt") as file:
        for number, line in enumerate(file, 1):
            try:
                group, section, name, record = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}:{number} is not a record of a digest: {error}") from error
            place = (group, section)
            sections.setdefault(place, Section(*place))
            if name is not None:
                sections[place].records[name] = record
    return list(sections.values())


def opened(path: Path, mode: str) -> IO[str]:
    """Open a text file, packed with gzip if its name ends in .gz."""
    if path.suffix == ".gz":
        return cast(IO[str], gzip.open(path, mode, compresslevel=1, encoding="ascii"))
    return cast(IO[str], path.open(mode, encoding="ascii"))


def _lines(section: Section) -> Iterator[str]:
    # A section without records is a result, too: its first line keeps it in the file.
    yield _as_line([section.group, section.name, None, None])
    for name, record in section.sorted_records():
        yield _as_line([section.group, section.name, name, record])


def _as_line(values: Sequence[Any]) -> str:
    # ASCII, because texts of strangers may hold lone surrogates, which UTF-8 cannot encode.
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


def _digest(lines: Iterable[str]) -> str:
    state = hashlib.sha256()
    for line in lines:
        state.update(line.encode("ascii") + b"\n")
    return state.hexdigest()

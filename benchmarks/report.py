"""The measured figures as a table, and as JSON that later runs can be merged into."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, holds, order, row_of

PACKAGES = (
    "Django", "numpy", "pymorphy3", "DAWG2", "rapidfuzz", "psycopg", "PyMySQL", "django-rq", "datasketch", "rensa",
    "gaoya", "tantivy",
)  # fmt: skip
HEADINGS = ("row", "figure", "value", "must", "stretch", "")
LOAD = re.compile(r", load [\d.]+ at the end$")


def table(figures: Sequence[Figure]) -> str:
    """A table for a terminal. The last column says whether the bounds are met."""
    lines = [HEADINGS, *(cells(figure) for figure in in_order(figures))]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEADINGS))]
    padded = ([cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines)
    return "\n".join("  ".join(line).rstrip() for line in padded)


def in_order(figures: Iterable[Figure]) -> list[Figure]:
    """By row, and inside a row by place."""
    return sorted(figures, key=lambda figure: order(figure.row))


def cells(figure: Figure) -> tuple[str, ...]:
    """The columns of `HEADINGS`."""
    value = f"{figure.value:,.10g} {figure.unit}".rstrip()
    return figure.row, figure.name, value, figure.must or "", figure.stretch or "", word(figure)


def word(figure: Figure) -> str:
    """What is to be said of the bounds: "", "MISSED", "met" or "stretch"."""
    if figure.must is None:
        return ""
    if not figure.met:
        return "MISSED"
    return "stretch" if figure.stretch and holds(figure.stretch, figure.value) else "met"


def as_json(figures: Iterable[Figure], texts: str = "") -> dict[str, Any]:
    """All that docs/benchmarks.json holds. `texts`: what the posts were made of.

    "machine" and "versions" are of the newest run; "measured" names the machine that each row was measured on."""
    found = [asdict(figure) | {"met": figure.met} for figure in in_order(figures)]
    return {
        "machine": f"{machine()}, load {load():.1f} at the end",
        "versions": versions() | ({"texts": texts} if texts else {}),
        "measured": {row_of(each["row"]): machine() for each in found},
        "rows": found,
    }


def merged(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """`newer`, and of `older` the rows that it has not measured: one row's values are of one run."""
    anew = measured_on(newer)
    measured = measured_on(older) | anew
    kept = [each for each in older.get("rows", ()) if row_of(each["row"]) not in anew]
    return {
        **newer,
        "versions": older.get("versions", {}) | newer["versions"],
        "measured": {number: measured[number] for number in sorted(measured, key=order)},
        "rows": sorted([*kept, *newer["rows"]], key=lambda each: order(each["row"])),
    }


def measured_on(found: dict[str, Any]) -> dict[str, str]:
    """The machine of each row of a JSON; what says nothing of a row is credited to the machine of its run."""
    known = found.get("measured", {})
    numbers = dict.fromkeys(row_of(each["row"]) for each in found.get("rows", ()))
    return {number: known.get(number) or newest(found) for number in numbers}


def newest(found: dict[str, Any]) -> str:
    """The machine of the newest run of a JSON, without how busy it was."""
    return LOAD.sub("", found["machine"])


def write(path: Path, found: dict[str, Any]) -> None:
    """Write it as JSON, whole or not at all."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)


def read(path: Path) -> dict[str, Any]:
    """What `write` wrote; {} where there is no file.  ValueError where it is no JSON."""
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def figures_of(found: dict[str, Any]) -> list[Figure]:
    """The figures of a JSON."""
    return [
        Figure(**{name: value for name, value in each.items() if name != "met"}) for each in found["rows"]
    ]


def machine() -> str:
    """Processor, number of processors, system."""
    return f"{_processor()}, {processors()} processors, {platform.system()}"


def processors() -> int:
    """How many there are."""
    return os.cpu_count() or 1


def load() -> float:
    """How many processes ran or waited, on average over the last minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def versions() -> dict[str, str]:
    """Python and the packages that matter here."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package.lower()] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    if sys.platform == "linux":
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return " ".join(line.split(":", 1)[1].split())
    return platform.processor() or platform.machine()

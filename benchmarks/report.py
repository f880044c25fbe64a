"""The measured figures as a table, and as JSON."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from .figures import Figure, holds

Measured = tuple[str, Figure]
PACKAGES = ("Django", "psycopg", "pymorphy3", "rapidfuzz", "django-rq")
HEADINGS = ("row", "figure", "value", "must", "stretch", "")


def table(measured: Sequence[Measured]) -> str:
    """A table for a terminal. The last column says whether the bounds are met."""
    lines = [HEADINGS, *(_cells(name, figure) for name, figure in measured)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEADINGS))]
    padded = ([cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines)
    return "\n".join("  ".join(line).rstrip() for line in padded)


def as_json(measured: Iterable[Measured]) -> dict[str, Any]:
    """All that docs/benchmarks.json holds."""
    figures = [_as_dict(name, figure) for name, figure in measured]
    return {"machine": machine(), "versions": versions(), "rows": figures}


def machine() -> str:
    """Processor, number of processors, system, and how busy it is."""
    return f"{_processor()}, {processors()} processors, {platform.system()}, load {load():.1f} at the end"


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


def _cells(name: str, figure: Figure) -> tuple[str, ...]:
    value = f"{figure.value:g} {figure.unit}"
    return name, figure.name, value, figure.must or "", figure.stretch or "", _word(figure)


def _word(figure: Figure) -> str:
    if figure.must is None:
        return ""
    if not figure.met:
        return "MISSED"
    return "stretch" if figure.stretch and holds(figure.stretch, figure.value) else "met"


def _as_dict(name: str, figure: Figure) -> dict[str, Any]:
    return {
        "row": name,
        "name": figure.name,
        "value": figure.value,
        "unit": figure.unit,
        "must": figure.must,
        "stretch": figure.stretch,
        "met": figure.met,
    }

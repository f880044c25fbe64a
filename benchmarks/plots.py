"""Plots of the figures: curves over the number of documents, and bars of what stands beside each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, row_of

FEWEST, MOST = 3, 16
"""Bars of one plot."""
POINT = re.compile(r"^(.*) at ([\d,]+)$")
Curve = list[tuple[int, float]]


def plots(figures: Sequence[Figure], folder: Path) -> dict[str, list[Path]]:
    """Draw all of them into the folder, as SVG; the files of each row.  {} where matplotlib is not installed."""
    drawn: defaultdict[str, list[Path]] = defaultdict(list)
    try:
        import matplotlib
    except ImportError:
        return drawn
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "neardup", "font.size": 9, "axes.spines.top": False})
    for (number, unit), lines in curves(figures).items():
        drawn[number].append(_curves(folder / f"{_name(number, unit)}-curve.svg", unit, lines))
    for (number, unit), values in bars(figures).items():
        drawn[number].append(_bars(folder / f"{_name(number, unit)}.svg", unit, values))
    return drawn


def curves(figures: Sequence[Figure]) -> dict[tuple[str, str], dict[str, Curve]]:
    """Figures named "... at N", by row and unit, then by what stands before it; two points at least."""
    found: defaultdict[tuple[str, str], defaultdict[str, Curve]] = defaultdict(lambda: defaultdict(list))
    for figure in figures:
        point = POINT.match(figure.name)
        if point:
            place = row_of(figure.row), figure.unit
            found[place][point[1]].append((int(point[2].replace(",", "")), figure.value))
    kept = {
        place: {name: line for name, line in lines.items() if len(line) > 1} for place, lines in found.items()
    }
    return {place: lines for place, lines in kept.items() if lines}


def bars(figures: Sequence[Figure]) -> dict[tuple[str, str], dict[str, float]]:
    """Figures without a bound that share row and unit, 3 to 16 of them."""
    found: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for figure in figures:
        if figure.must is None and not POINT.match(figure.name):
            found[row_of(figure.row), figure.unit][figure.name] = figure.value
    return {place: values for place, values in found.items() if FEWEST <= len(values) <= MOST}


def _name(number: str, unit: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", f"row {number} {unit}".lower()).strip("-")


def _curves(path: Path, unit: str, lines: Mapping[str, Curve]) -> Path:
    figure, axes = _axes(4.5)
    for name, line in lines.items():
        axes.plot(*zip(*sorted(line)), marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="documents", ylabel=unit)
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return _saved(figure, path)


def _bars(path: Path, unit: str, values: Mapping[str, float]) -> Path:
    figure, axes = _axes(0.6 + 0.3 * len(values))
    names = list(values)[::-1]
    drawn = axes.barh(names, [values[name] for name in names], color="#4878a8")
    axes.bar_label(drawn, [f"{values[name]:,.4g}" for name in names], padding=3)
    axes.set(xlabel=unit)
    axes.margins(x=0.15)
    return _saved(figure, path)


def _axes(height: float) -> tuple[Any, Any]:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(8, height), layout="constrained")


def _saved(figure: Any, path: Path) -> Path:
    from matplotlib import pyplot

    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path

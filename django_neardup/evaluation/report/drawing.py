"""Style of the plots: settings of matplotlib, colours, and labels that do not overlap."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

ACCENT_COLOUR, SECOND_COLOUR, PEER_COLOUR, CEILING_COLOUR, OTHER_COLOUR = (
    "#c2410c",
    "#1d4ed8",
    "#0f766e",
    "#7c3aed",
    "#9aa1ab",
)
TEXT_COLOUR, GRID_COLOUR, PALE_TEXT_COLOUR = "#1f2430", "#e3e6ea", "#5b6470"
OWN_ALGORITHM = "neardup"
FIGURE_SIZE = (9, 5.6)
LABEL_HEIGHT = 0.030
"""Height of a label, as a share of the plot."""
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.S)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.S)
_REFERENCE = re.compile(r'(?<= )id="|href="#|url\(#')
_SETTINGS = {
    # Text stays text in the SVG.
    "svg.fonttype": "none",
    # Fixed, so that equal figures give equal files.
    "svg.hashsalt": "django-neardup",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": OTHER_COLOUR,
    "axes.labelcolor": TEXT_COLOUR,
    "text.color": TEXT_COLOUR,
    "xtick.color": TEXT_COLOUR,
    "ytick.color": TEXT_COLOUR,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID_COLOUR,
    "axes.axisbelow": True,
}
Label: TypeAlias = tuple[float, float, str, str]
DrawPlot: TypeAlias = Callable[[Any, Sequence[Any]], None]


class MatplotlibMissing(RuntimeError):
    """Plots cannot be drawn: matplotlib is not installed."""


def load_pyplot() -> Any:
    """Return ``matplotlib.pyplot`` with our settings. Raise MatplotlibMissing without matplotlib."""
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        raise MatplotlibMissing(
            'the HTML report needs matplotlib: pip install "path/to/django-neardup[report]"'
        ) from None
    # This backend needs no display.
    matplotlib.use("svg")
    matplotlib.rcParams.update(_SETTINGS)
    return import_module("matplotlib.pyplot")


def render_svg(pyplot: Any, draw: DrawPlot, rows: Sequence[Any], prefix: str) -> str:
    """Return a plot as an SVG element. ``prefix`` makes its identifiers unique on the page."""
    figure, axes = pyplot.subplots(figsize=FIGURE_SIZE)
    draw(axes, rows)
    figure.tight_layout()
    out = io.StringIO()
    # A date would make equal figures differ.
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    element = _METADATA.sub("", _PROLOGUE.sub("", out.getvalue()))
    return _REFERENCE.sub(lambda match: match.group() + prefix, element)


def row_colour(title: str, kind: str = "algorithm") -> str:
    """Return the colour of a row: the default scheme, its relatives and peers have colours, other algorithms
    are grey.
    """
    if title == OWN_ALGORITHM:
        return ACCENT_COLOUR
    if title.startswith(OWN_ALGORITHM):
        return SECOND_COLOUR
    return {"peer": PEER_COLOUR, "ceiling": CEILING_COLOUR}.get(kind, OTHER_COLOUR)


def line_style(title: str, kind: str = "algorithm") -> dict[str, Any]:
    """Return colour, width and depth of a row's line."""
    width, depth = (2.4, 5) if title == OWN_ALGORITHM else (1.1, 2)
    return {"color": row_colour(title, kind), "linewidth": width, "zorder": depth}


def _text_style(text: str, colour: str) -> dict[str, Any]:
    return {
        "color": PALE_TEXT_COLOUR if colour == OTHER_COLOUR else colour,
        "fontsize": 8,
        "fontweight": "bold" if text == OWN_ALGORITHM else "normal",
        "va": "center",
        "zorder": 6,
    }


def spread_positions(positions: Sequence[float], step: float, low: float, high: float) -> list[float]:
    """Return positions that are at least ``step`` apart and close to the given ascending ones.

    The order stays. All are within low..high, if there is room.
    """
    spread: list[float] = []
    for position in positions:
        spread.append(max(position, spread[-1] + step) if spread else max(position, low))
    # Positions above the limit push the ones below them down.
    limit = high
    for number in range(len(spread) - 1, -1, -1):
        if spread[number] <= limit:
            break
        spread[number] = limit
        limit -= step
    return spread


def draw_label_column(axes: Any, labels: Sequence[Label], x: float, line_end: float) -> None:
    """Draw labels in a column at x without overlaps.

    A thin line joins each to its point, up to ``line_end``.
    """
    low, high = axes.get_ylim()
    ordered = sorted(labels, key=lambda item: item[1])
    label_positions = spread_positions([y for _, y, _, _ in ordered], (high - low) / 34, low, high)
    for (from_x, from_y, text, colour), y in zip(ordered, label_positions, strict=True):
        axes.plot([from_x, line_end], [from_y, y], color=colour, linewidth=0.5, alpha=0.6)
        axes.text(x, y, text, **_text_style(text, colour))


def draw_scatter(axes: Any, points: Sequence[Label]) -> None:
    """Draw points with their names next to them. A name that would overlap another is moved up or down."""
    for x, y, text, colour in points:
        axes.plot(x, y, "o", color=colour, markersize=7 if text == OWN_ALGORITHM else 4, zorder=4)
    # The transformations are known only after drawing.
    axes.figure.canvas.draw()
    to_axes = axes.transAxes.inverted()
    occupied: list[tuple[float, float, float]] = []
    for x, y, text, colour in sorted(
        points, key=lambda item: (not item[2].startswith(OWN_ALGORITHM), -item[1])
    ):
        point_x, point_y = to_axes.transform(axes.transData.transform((x, y)))
        left, right = point_x + 0.014, point_x + 0.014 + 0.0115 * len(text)
        label_y = _find_free_position(occupied, left, right, point_y)
        occupied.append((left, right, label_y))
        background = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4}
        style = {"transform": axes.transAxes, "bbox": background, **_text_style(text, colour)}
        axes.text(left, label_y, text, **style)
        if abs(label_y - point_y) > LABEL_HEIGHT:
            line = [point_x, left - 0.002], [point_y, label_y]
            axes.plot(*line, transform=axes.transAxes, color=colour, linewidth=0.5, zorder=1)


def _find_free_position(
    occupied: Sequence[tuple[float, float, float]], left: float, right: float, middle: float
) -> float:
    """Return the position closest to ``middle`` at which the text overlaps no other."""
    for step in [0, *(sign * number for number in range(1, 40) for sign in (1, -1))]:
        position = float(middle + step * LABEL_HEIGHT / 2)
        is_free = all(
            right < other_left or left > other_right or abs(position - other_position) >= LABEL_HEIGHT
            for other_left, other_right, other_position in occupied
        )
        if is_free and 0.0 <= position <= 1.0:
            return position
    return middle

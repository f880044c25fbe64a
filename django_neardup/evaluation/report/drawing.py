"""How the plots look: matplotlib's settings, colours, and labels that do not lie over one another."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

ACCENT, SECOND, PEER, CEILING, GREY = "#c2410c", "#1d4ed8", "#0f766e", "#7c3aed", "#9aa1ab"
INK, FAINT, PALE_TEXT = "#1f2430", "#e3e6ea", "#5b6470"
OURS = "neardup"
SIZE = (9, 5.6)
HEIGHT = 0.030  # of a label, as a share of the plot
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.S)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.S)
_REFERENCE = re.compile(r'(?<= )id="|href="#|url\(#')
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "django-neardup",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": FAINT,
    "axes.axisbelow": True,
}
Label: TypeAlias = tuple[float, float, str, str]
Draw: TypeAlias = Callable[[Any, Sequence[Any]], None]


class PlotsMissing(RuntimeError):
    """Plots cannot be drawn: matplotlib is not installed."""


def drawing() -> Any:
    """The module that draws, set up.  PlotsMissing without matplotlib."""
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        raise PlotsMissing(
            'the HTML report needs matplotlib: pip install "path/to/django-neardup[report]"'
        ) from None
    matplotlib.use("svg")
    matplotlib.rcParams.update(_SETTINGS)
    return import_module("matplotlib.pyplot")


def svg(pyplot: Any, draw: Draw, rows: Sequence[Any], prefix: str) -> str:
    """A plot as an SVG element; `prefix` makes its identifiers unlike those of other plots of the page."""
    figure, axes = pyplot.subplots(figsize=SIZE)
    draw(axes, rows)
    figure.tight_layout()
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    element = _METADATA.sub("", _PROLOGUE.sub("", out.getvalue()))
    return _REFERENCE.sub(lambda found: found.group() + prefix, element)


def colour(title: str, kind: str = "algorithm") -> str:
    """The default scheme stands out, its sibling and others' measures have colours, the rest is grey."""
    if title == OURS:
        return ACCENT
    if title.startswith(OURS):
        return SECOND
    return {"peer": PEER, "ceiling": CEILING}.get(kind, GREY)


def line_style(title: str, kind: str = "algorithm") -> dict[str, Any]:
    """Colour, width and depth of a row's line."""
    width, depth = (2.4, 5) if title == OURS else (1.1, 2)
    return {"color": colour(title, kind), "linewidth": width, "zorder": depth}


def _text_style(text: str, shade: str) -> dict[str, Any]:
    return {
        "color": PALE_TEXT if shade == GREY else shade,
        "fontsize": 8,
        "fontweight": "bold" if text == OURS else "normal",
        "va": "center",
        "zorder": 6,
    }


def spread(wanted: Sequence[float], step: float, low: float, high: float) -> list[float]:
    """Places at least `step` apart, in the order of the ascending `wanted` ones and near them, within low..high as
    far as there is room."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + step) if places else max(place, low))
    limit = high
    for number in range(len(places) - 1, -1, -1):
        if places[number] <= limit:
            break
        places[number] = limit
        limit -= step
    return places


def column(axes: Any, labels: Sequence[Label], x: float, begin: float) -> None:
    """Labels in a column at x, none over another, each with a thin line from its point to `begin`."""
    low, high = axes.get_ylim()
    ordered = sorted(labels, key=lambda item: item[1])
    places = spread([y for _, y, _, _ in ordered], (high - low) / 34, low, high)
    for (from_x, from_y, text, shade), y in zip(ordered, places, strict=True):
        axes.plot([from_x, begin], [from_y, y], color=shade, linewidth=0.5, alpha=0.6)
        axes.text(x, y, text, **_text_style(text, shade))


def scatter(axes: Any, points: Sequence[Label]) -> None:
    """Points with their names beside them; a name that would lie over another is moved up or down."""
    for x, y, text, shade in points:
        axes.plot(x, y, "o", color=shade, markersize=7 if text == OURS else 4, zorder=4)
    axes.figure.canvas.draw()
    back = axes.transAxes.inverted()
    taken: list[tuple[float, float, float]] = []
    for x, y, text, shade in sorted(points, key=lambda item: (not item[2].startswith(OURS), -item[1])):
        point, middle = back.transform(axes.transData.transform((x, y)))
        left, right = point + 0.014, point + 0.014 + 0.0115 * len(text)
        place = _free(taken, left, right, middle)
        taken.append((left, right, place))
        behind = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4}
        style = {"transform": axes.transAxes, "bbox": behind, **_text_style(text, shade)}
        axes.text(left, place, text, **style)
        if abs(place - middle) > HEIGHT:
            ends = [point, left - 0.002], [middle, place]
            axes.plot(*ends, transform=axes.transAxes, color=shade, linewidth=0.5, zorder=1)


def _free(taken: Sequence[tuple[float, float, float]], left: float, right: float, middle: float) -> float:
    """The place nearest to the wanted one at which the text lies over no other."""
    for step in [0, *(sign * number for number in range(1, 40) for sign in (1, -1))]:
        place = float(middle + step * HEIGHT / 2)
        clear = all(right < one or left > two or abs(place - other) >= HEIGHT for one, two, other in taken)
        if clear and 0.0 <= place <= 1.0:
            return place
    return middle

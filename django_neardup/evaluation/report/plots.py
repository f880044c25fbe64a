"""The plots of the HTML report, each an SVG element; drawn with matplotlib, an optional dependency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..costs import Cost
from ..metrics import BANDS, THRESHOLDS, mean
from ..pooling import reached
from ..results import PoolResult
from ..summary import Summary
from .content import Report
from .drawing import OURS, Draw, Label, PlotsMissing, colour, column, drawing, line_style, scatter, svg
from .tables import macro_band, summary_row

NAMED = 6

__all__ = ["PlotsMissing", "drawing", "plots"]


def plots(report: Report) -> list[tuple[str, str, str]]:
    """Title, explanation and SVG of each plot for which the report has figures.

    PlotsMissing without matplotlib.
    """
    pyplot = drawing()
    judged = [row for row in report.summaries() if row.kind != "floor" and row.macro is not None]
    made: list[tuple[str, str, str]] = []
    for title, told, draw, mode in _PLOTS:
        rows: Sequence[Any] = judged if mode == "pairs" else report.pool
        if rows:
            made.append((title, told, svg(pyplot, draw, rows, f"plot{len(made) + 1}-")))
    return made


def _style(row: Summary) -> dict[str, Any]:
    return line_style(row.algorithm, row.kind)


def _label(x: float, y: float, row: Summary) -> Label:
    return x, y, row.algorithm, colour(row.algorithm, row.kind)


def _named(rows: Sequence[Summary]) -> list[Summary]:
    """Rows whose lines are labelled where there is no room for all: the best ones, the default, peers, the ceiling."""
    best = sorted(rows, key=lambda row: -(row.best[1] if row.best else 0))[:NAMED]
    return [row for row in rows if row in best or row.algorithm.startswith(OURS) or row.kind != "algorithm"]


def draw_precision_recall(axes: Any, rows: Sequence[Summary]) -> None:
    named, labels = _named(rows), []
    for row in rows:
        cores = row.cores("swept").values()
        recall = [mean(each.recall(threshold) for each in cores) or 0.0 for threshold in THRESHOLDS]
        precision = [mean(each.precision(threshold) for each in cores) or 0.0 for threshold in THRESHOLDS]
        axes.plot(recall, precision, **_style(row))
        verdicts = row.cores().values()
        x, y = (mean(getattr(each, name)() for each in verdicts) or 0.0 for name in ("recall", "precision"))
        axes.plot(x, y, "o", markersize=5, **_style(row))
        if row in named:
            labels.append(_label(x, y, row))
    axes.set(xlabel="recall, mean of the sets", ylabel="precision, mean of the sets")
    axes.set_xlim(0, 1.32)
    axes.set_ylim(top=1.02)
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    column(axes, labels, 1.05, 1.04)


def draw_recall_by_change(axes: Any, rows: Sequence[Summary]) -> None:
    labels = []
    for row in rows:
        recall = [macro_band(row, name) or 0.0 for name in BANDS[:3]]
        axes.plot(range(3), recall, marker="o", markersize=3, **_style(row))
        labels.append(_label(2, recall[-1], row))
    axes.set(ylabel="recall of true pairs, mean of the sets", xlim=(-0.1, 2.9), ylim=(-0.02, 1.02))
    axes.set_xticks(range(3), ["up to 10 %", "10-30 %", "30-50 % of the words changed"])
    column(axes, labels, 2.12, 2.1)


def draw_cost(axes: Any, rows: Sequence[Summary]) -> None:
    costs = [(row, _each(row, "keys"), _each(row, "pack")) for row in rows]
    costs.sort(key=lambda item: -(item[1] + item[2]))
    names = [row.algorithm for row, _, _ in costs]
    shades = [colour(row.algorithm, row.kind) for row, _, _ in costs]
    keys, pack = [item[1] for item in costs], [item[2] for item in costs]
    axes.barh(names, keys, color=shades, height=0.7)
    axes.barh(names, pack, left=keys, color=shades, height=0.7, alpha=0.45)
    for place, (_, one, two) in enumerate(costs):
        axes.text(one + two, place, f" {one + two:.2f}", va="center", fontsize=7)
    axes.set(xlabel="milliseconds a text, canonising apart: keys (full), payload (pale)")
    axes.tick_params(axis="y", labelsize=7, length=0)
    axes.margins(y=0.01)
    axes.grid(False, axis="y")


def _each(row: Summary, step: str) -> float:
    return row.answers.clock.get(step, Cost()).each or 0.0


def draw_f1_by_cost(axes: Any, rows: Sequence[Summary]) -> None:
    points = []
    for row in rows:
        shown = summary_row(row)
        cost = (shown["ms a text"] or 0.0) + (shown["ms a pair"] or 0.0)
        points.append(_label(max(cost, 1e-3), row.macro or 0.0, row))
    axes.set_xscale("log")
    axes.set(xlabel="milliseconds to sign one text and judge one pair, canonising apart")
    axes.set(ylabel="F1, mean of the sets")
    axes.margins(x=0.15, y=0.08)
    scatter(axes, points)


def draw_recall_by_keys(axes: Any, rows: Sequence[PoolResult]) -> None:
    for family in {row.family for row in rows if row.family}:
        line = sorted((row for row in rows if row.family == family), key=lambda row: row.keys)
        recall = [reached(row) for row in line]
        axes.plot([row.keys for row in line], recall, color=colour(family), linewidth=1.6)
    points = []
    for row in rows:
        text = row.algorithm if row.algorithm == row.family or not row.family else f"{row.parameter:g}"
        points.append((row.keys, reached(row), text, colour(row.family or row.algorithm)))
    axes.set_xscale("symlog", linthresh=1)
    axes.set(xlabel="keys a text", ylim=(-0.02, 1.06))
    axes.set(ylabel="recall of true pairs at most half changed, mean of the sets")
    scatter(axes, points)


def draw_recall_by_size(axes: Any, rows: Sequence[PoolResult]) -> None:
    labels: list[Label] = []
    for row in rows:
        if row.sizes and row.algorithm == (row.family or row.algorithm):
            sizes, recall = list(row.sizes), list(row.sizes.values())
            axes.plot(sizes, recall, marker="o", markersize=3, **line_style(row.algorithm))
            labels.append((sizes[-1], recall[-1], row.algorithm, colour(row.algorithm)))
    ticks = sorted({size for row in rows for size in row.sizes}) or [1]
    span = max(ticks[-1] / ticks[0], 2)
    axes.set_xscale("log")
    axes.set(xlabel="texts in the collection", ylabel="recall of the drawn pairs", ylim=(-0.02, 1.02))
    axes.set_xlim(right=ticks[-1] * span**0.3)
    axes.set_xticks(ticks, [_thousands(tick, ticks[-1]) for tick in ticks])
    axes.minorticks_off()
    column(axes, labels, ticks[-1] * span**0.045, ticks[-1] * span**0.04)


def _thousands(tick: int, largest: int) -> str:
    """A number with thin spaces; none where it would lie over the largest one."""
    return f"{tick:,}".replace(",", "\u2009") if tick == largest or tick < largest / 1.5 else ""


_PLOTS: tuple[tuple[str, str, Draw, str], ...] = (
    (
        "Precision and recall by threshold",
        "Core pairs, mean of the sets that have both classes, headlines apart. The line is what a threshold on the "
        "score alone would reach, the point the verdicts as they are.",
        draw_precision_recall,
        "pairs",
    ),
    (
        "Recall by amount of change",
        "Labelled true pairs called duplicate (a labelled containment: contained too), mean of the sets.",
        draw_recall_by_change,
        "pairs",
    ),
    (
        "Recall against keys a text",
        "All sets in one collection, buckets of the newest 64 texts, nothing judged; numbers on the line: its window.",
        draw_recall_by_keys,
        "pool",
    ),
    (
        "Recall against the size of the collection",
        "The same true pairs at every size, among more and more other texts.",
        draw_recall_by_size,
        "pool",
    ),
    (
        "Cost of a text",
        "Processor time of signing one text in plain Python.",
        draw_cost,
        "pairs",
    ),
    (
        "F1 against cost",
        "F1 of core pairs, mean of the sets that have both classes, headlines apart.",
        draw_f1_by_cost,
        "pairs",
    ),
)

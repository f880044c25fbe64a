"""The plots of the HTML report as SVG elements. They need matplotlib, an optional dependency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calibration_mode import ScoredPair, reliability_rows
from ..metrics import CHANGE_BANDS, THRESHOLDS, mean
from ..pool_mode import mean_recall
from ..results import PoolResult
from ..summary import RowSummary
from ..timing import Cost
from .content import BenchReport
from .drawing import (
    OWN_ALGORITHM,
    DrawPlot,
    Label,
    MatplotlibMissing,
    draw_label_column,
    draw_scatter,
    line_style,
    load_pyplot,
    render_svg,
    row_colour,
)
from .tables import mean_band_recall, summary_row

LABELLED_ROWS = 6
"""Best rows that get a label in a crowded plot."""

__all__ = ["MatplotlibMissing", "load_pyplot", "render_plots"]


def render_plots(report: BenchReport) -> list[tuple[str, str, str]]:
    """Return title, explanation and SVG of each plot that the report has figures for.

    Raise MatplotlibMissing without matplotlib.
    """
    pyplot = load_pyplot()
    # A fixed row has the scores of its peer: its curves would be drawn twice.
    summaries = [
        row
        for row in report.row_summaries()
        if row.kind not in ("floor", "fixed") and row.mean_f1 is not None
    ]
    rows_by_mode: dict[str, Sequence[Any]] = {
        "pairs": summaries,
        "pool": report.pool,
        "calibration": report.calibration,
    }
    plots: list[tuple[str, str, str]] = []
    for title, explanation, draw, mode in _PLOTS:
        rows = rows_by_mode[mode]
        if rows:
            plots.append((title, explanation, render_svg(pyplot, draw, rows, f"plot{len(plots) + 1}-")))
    return plots


def _row_style(row: RowSummary) -> dict[str, Any]:
    return line_style(row.algorithm, row.kind)


def _row_label(x: float, y: float, row: RowSummary) -> Label:
    return x, y, row.algorithm, row_colour(row.algorithm, row.kind)


def _select_labelled_rows(rows: Sequence[RowSummary]) -> list[RowSummary]:
    """Return the rows to label in a crowded plot: the best ones, the default scheme, peers, the ceiling."""
    best = sorted(rows, key=lambda row: -(row.best_threshold_and_f1[1] if row.best_threshold_and_f1 else 0))[
        :LABELLED_ROWS
    ]
    return [
        row
        for row in rows
        if row in best or row.algorithm.startswith(OWN_ALGORITHM) or row.kind != "algorithm"
    ]


def draw_precision_recall(axes: Any, rows: Sequence[RowSummary]) -> None:
    labelled_rows, labels = _select_labelled_rows(rows), []
    for row in rows:
        cores = row.cores("core_by_score").values()
        recall = [mean(core.recall(threshold) for core in cores) or 0.0 for threshold in THRESHOLDS]
        precision = [mean(core.precision(threshold) for core in cores) or 0.0 for threshold in THRESHOLDS]
        axes.plot(recall, precision, **_row_style(row))
        verdicts = row.cores().values()
        x, y = (mean(getattr(core, name)() for core in verdicts) or 0.0 for name in ("recall", "precision"))
        axes.plot(x, y, "o", markersize=5, **_row_style(row))
        if row in labelled_rows:
            labels.append(_row_label(x, y, row))
    axes.set(xlabel="recall, mean of the sets", ylabel="precision, mean of the sets")
    axes.set_xlim(0, 1.32)
    axes.set_ylim(top=1.02)
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    draw_label_column(axes, labels, 1.05, 1.04)


def draw_recall_by_change(axes: Any, rows: Sequence[RowSummary]) -> None:
    labels = []
    for row in rows:
        recall = [mean_band_recall(row, name) or 0.0 for name in CHANGE_BANDS[:3]]
        axes.plot(range(3), recall, marker="o", markersize=3, **_row_style(row))
        labels.append(_row_label(2, recall[-1], row))
    axes.set(ylabel="recall of true pairs, mean of the sets", xlim=(-0.1, 2.9), ylim=(-0.02, 1.02))
    axes.set_xticks(range(3), ["up to 10 %", "10-30 %", "30-50 % of the words changed"])
    draw_label_column(axes, labels, 2.12, 2.1)


def draw_cost(axes: Any, rows: Sequence[RowSummary]) -> None:
    costs = [(row, _mean_cost(row, "keys"), _mean_cost(row, "pack")) for row in rows]
    costs.sort(key=lambda item: -(item[1] + item[2]))
    names = [row.algorithm for row, _, _ in costs]
    colours = [row_colour(row.algorithm, row.kind) for row, _, _ in costs]
    keys, pack = [item[1] for item in costs], [item[2] for item in costs]
    axes.barh(names, keys, color=colours, height=0.7)
    axes.barh(names, pack, left=keys, color=colours, height=0.7, alpha=0.45)
    for position, (_, key_cost, pack_cost) in enumerate(costs):
        axes.text(key_cost + pack_cost, position, f" {key_cost + pack_cost:.2f}", va="center", fontsize=7)
    axes.set(xlabel="milliseconds a text, canonising apart: keys (full), payload (pale)")
    axes.tick_params(axis="y", labelsize=7, length=0)
    axes.margins(y=0.01)
    axes.grid(False, axis="y")


def _mean_cost(row: RowSummary, step: str) -> float:
    return row.cost_totals.clock.get(step, Cost()).mean_milliseconds or 0.0


def draw_f1_by_cost(axes: Any, rows: Sequence[RowSummary]) -> None:
    points = []
    for row in rows:
        summary = summary_row(row)
        cost = (summary["ms a text"] or 0.0) + (summary["ms a pair"] or 0.0)
        # A logarithmic axis has no 0.
        points.append(_row_label(max(cost, 1e-3), row.mean_f1 or 0.0, row))
    axes.set_xscale("log")
    axes.set(xlabel="milliseconds to sign one text and judge one pair, canonising apart")
    axes.set(ylabel="F1, mean of the sets")
    axes.margins(x=0.15, y=0.08)
    draw_scatter(axes, points)


def draw_recall_by_keys(axes: Any, rows: Sequence[PoolResult]) -> None:
    for family in {row.family for row in rows if row.family}:
        family_rows = sorted((row for row in rows if row.family == family), key=lambda row: row.keys_per_text)
        recall = [mean_recall(row) for row in family_rows]
        axes.plot([row.keys_per_text for row in family_rows], recall, color=row_colour(family), linewidth=1.6)
    points = []
    for row in rows:
        text = row.algorithm if row.algorithm == row.family or not row.family else f"{row.window:g}"
        points.append((row.keys_per_text, mean_recall(row), text, row_colour(row.family or row.algorithm)))
    axes.set_xscale("symlog", linthresh=1)
    axes.set(xlabel="keys a text", ylim=(-0.02, 1.06))
    axes.set(ylabel="recall of true pairs at most half changed, mean of the sets")
    draw_scatter(axes, points)


def draw_recall_by_size(axes: Any, rows: Sequence[PoolResult]) -> None:
    labels: list[Label] = []
    for row in rows:
        if row.recall_by_size and row.algorithm == (row.family or row.algorithm):
            sizes, recall = list(row.recall_by_size), list(row.recall_by_size.values())
            axes.plot(sizes, recall, marker="o", markersize=3, **line_style(row.algorithm))
            labels.append((sizes[-1], recall[-1], row.algorithm, row_colour(row.algorithm)))
    ticks = sorted({size for row in rows for size in row.recall_by_size}) or [1]
    size_ratio = max(ticks[-1] / ticks[0], 2)
    axes.set_xscale("log")
    axes.set(xlabel="texts in the collection", ylabel="recall of the drawn pairs", ylim=(-0.02, 1.02))
    axes.set_xlim(right=ticks[-1] * size_ratio**0.3)
    axes.set_xticks(ticks, [_format_tick(tick, ticks[-1]) for tick in ticks])
    axes.minorticks_off()
    draw_label_column(axes, labels, ticks[-1] * size_ratio**0.045, ticks[-1] * size_ratio**0.04)


def draw_reliability(axes: Any, rows: Sequence[ScoredPair]) -> None:
    bins = reliability_rows(rows)
    means, shares = [row["mean P(same)"] for row in bins], [row["share same"] for row in bins]
    axes.plot([0, 1], [0, 1], color="#999999", linestyle="--", linewidth=1)
    axes.plot(means, shares, marker="o", markersize=4, **line_style(OWN_ALGORITHM))
    for row, x, y in zip(bins, means, shares, strict=True):
        axes.annotate(f"{row['pairs']:,}", (x, y), xytext=(4, -10), textcoords="offset points", fontsize=7)
    axes.set(
        xlabel="P(same), mean of a tenth", ylabel="share that is one text", xlim=(0, 1.08), ylim=(-0.02, 1.05)
    )


def _format_tick(tick: int, largest: int) -> str:
    """Return a number with thin spaces. Return an empty string if it would overlap the largest number."""
    return f"{tick:,}".replace(",", "\u2009") if tick == largest or tick < largest / 1.5 else ""


_PLOTS: tuple[tuple[str, str, DrawPlot, str], ...] = (
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
        "All sets in one collection, buckets of 64 texts, nothing judged; numbers on the line: its window.",
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
    (
        "Reliability",
        "Pairs on which no rule decides, each scored by a model that was fitted without its set; numbers: pairs. A "
        "point above the dashed line: the judge is surer than it says.",
        draw_reliability,
        "calibration",
    ),
)

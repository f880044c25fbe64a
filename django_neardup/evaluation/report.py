"""The report of a run as a table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .metrics import BANDS, Outcome, ratio
from .runner import CollectionResult, PairsResult

PACKAGES = (
    "django-neardup",
    "rapidfuzz",
    "pymorphy3",
    "pymorphy3-dicts-ru",
    "pymorphy3-dicts-uk",
    "snowballstemmer",
)
Row = dict[str, Any]


@dataclass(slots=True)
class Report:
    """All results of a run and what it was made with."""

    schemes: list[Row]
    seed: int
    sample: int
    language: str
    pairs: list[PairsResult] = field(default_factory=list)
    collections: list[CollectionResult] = field(default_factory=list)

    def header(self) -> Row:
        """Versions, schemes, seed: what a run needs to be repeated."""
        return {
            "python": platform.python_version(),
            "versions": {name: _version(name) for name in PACKAGES},
            "schemes": self.schemes,
            "language": self.language,
            "sample": self.sample or "all pairs",
            "seed": self.seed,
        }


def pair_row(result: PairsResult) -> Row:
    """Counts and rates of one algorithm on one set: `right`, `missed` of the true pairs, `wrong` of the false ones."""
    score = result.score
    judged = score.positive.total + score.negative.total + score.policy.total
    row: Row = {
        "set": result.corpus,
        "algorithm": result.algorithm,
        "pairs": judged,
        "true": score.positive.total,
        "right": score.positive.grouped,
        "missed": score.missed,
        "false": score.negative.total,
        "wrong": score.wrong,
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "offered": ratio(score.positive.offered, score.positive.total),
        "false offered": ratio(score.negative.offered, score.negative.total),
    }
    for name in BANDS[:3]:
        row[name] = _recall(score.bands[name])
    row["ms a pair"] = 1000 * result.seconds / judged if judged else None
    return row


def verdict_row(result: PairsResult) -> Row:
    """Counts of verdicts by truth, for the JSON report."""
    score = result.score
    truths = {"true": score.positive, "false": score.negative, "policy": score.policy}
    return {truth: dict(outcome.verdicts) for truth, outcome in truths.items()}


def collection_row(result: CollectionResult) -> Row:
    """Means a text and counts of verdicts of one algorithm in one collection."""
    texts = result.texts or 1
    row: Row = {
        "set": result.corpus,
        "algorithm": result.algorithm,
        "texts": result.texts,
        "keys a text": result.keys / texts,
        "candidates a text": result.candidates / texts,
        "judged a text": result.judged / texts,
    }
    for verdict in ("duplicate", "variant", "contained", "related"):
        row[verdict] = result.verdicts[verdict]
    row["true pairs"] = result.true_pairs
    row["candidates"] = ratio(result.true_candidates, result.true_pairs)
    row["offered"] = ratio(result.true_offered, result.true_pairs)
    row["ms a text"] = 1000 * result.seconds / texts
    return row


def as_json(report: Report) -> str:
    """Header, rows and counts of verdicts."""
    pairs = [{**pair_row(result), "verdicts": verdict_row(result)} for result in report.pairs]
    collections = [collection_row(result) for result in report.collections]
    content = {"header": report.header(), "pairs": pairs, "collections": collections}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def as_csv(report: Report) -> str:
    """Header as lines that begin with #, then the rows of each mode."""
    out = io.StringIO()
    for name, value in report.header().items():
        out.write(f"# {name}: {json.dumps(value, ensure_ascii=False)}\n")
    for rows in _blocks(report):
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def as_table(report: Report) -> str:
    """For reading in a terminal."""
    header = report.header()
    versions = ", ".join(f"{name} {number}" for name, number in header["versions"].items() if number)
    lines = [f"Python {header['python']}, {versions}"]
    lines += ["scheme " + json.dumps(scheme, ensure_ascii=False) for scheme in report.schemes]
    lines.append(f"language {report.language}; pairs: {header['sample']}; seed {report.seed}")
    for rows in _blocks(report):
        lines += ["", *_table(rows)]
    return "\n".join(lines) + "\n"


FORMATS = {"table": as_table, "json": as_json, "csv": as_csv}


def _blocks(report: Report) -> list[list[Row]]:
    blocks = [
        [pair_row(result) for result in report.pairs],
        [collection_row(item) for item in report.collections],
    ]
    return [rows for rows in blocks if rows]


def _table(rows: Sequence[Row]) -> list[str]:
    cells = [list(rows[0]), *([_shown(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return [
        "  ".join(
            _aligned(cell, width, i) for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    return round(value, 6) if isinstance(value, float) else value


def _recall(outcome: Outcome) -> float | None:
    return ratio(outcome.grouped, outcome.total)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None

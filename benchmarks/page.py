"""The page of the figures, its plots, and the figures of docs/scaling.md.

``python -m benchmarks.page docs/benchmarks.json docs/benchmarks.md`` writes them from a JSON that is there.
"""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, order, row_of
from benchmarks.plots import plots
from benchmarks.report import cells, figures_of, measured_on, newest, read
from benchmarks.rows import rows
from benchmarks.scaling import fill

INTRODUCTION = """\
# Benchmarks

Written by `python -m benchmarks --markdown docs/benchmarks.md` (`make bench`) from
[benchmarks.json](benchmarks.json).

- Every ratio is of one run. The callables run in turn on one pinned core, without garbage
  collection. The ratio is that of the medians. Servers run on the other core.
- A bar (“must”) is a limit that the figure has to keep. The stretch is the goal. Figures without a
  bar are there for comparison.
"""
HEADINGS = ("row", "figure", "value", "must", "stretch", "result")


def write_page(path: Path, found: dict[str, Any]) -> None:
    """Write the page, the plots into the folder of its name beside it, and fill the scaling.md beside it."""
    figures = figures_of(found)
    path.with_suffix("").mkdir(parents=True, exist_ok=True)
    drawn = plots(figures, path.with_suffix(""))
    lines = [INTRODUCTION, *_header(found, figures), *_summary(figures)]
    for number, group in groupby(figures, key=lambda figure: row_of(figure.row)):
        lines += _section(
            number, list(group), [place.relative_to(path.parent) for place in drawn.get(number, ())]
        )
    path.write_text("\n".join(lines), encoding="utf-8")
    scaling = path.with_name("scaling.md")
    if scaling.exists():
        fill(scaling, figures)


def _header(found: dict[str, Any], figures: Sequence[Figure]) -> Iterator[str]:
    known = found["versions"]
    versions = ", ".join(f"{name} {value}" for name, value in known.items() if name != "texts")
    yield _paragraph(f"Machine: {found['machine']}.")
    yield from map(_paragraph, _elsewhere(found))
    yield _paragraph(f"Versions: {versions}.")
    if "texts" in known:
        yield _paragraph(f"Texts: {known['texts']}.")
    bound = [figure for figure in figures if figure.must]
    yield f"{sum(bool(figure.met) for figure in bound)} of {len(bound)} bars are met.\n"


def _elsewhere(found: dict[str, Any]) -> Iterator[str]:
    """The rows that are of another machine than the newest run's, by machine; nothing where there are none."""
    others: defaultdict[str, list[str]] = defaultdict(list)
    for number, machine in measured_on(found).items():
        if machine != newest(found):
            others[machine].append(number)
    for machine, numbers in others.items():
        yield f"On {machine}: row{'s' * (len(numbers) > 1)} {', '.join(sorted(numbers, key=order))}."


def _summary(figures: Sequence[Figure]) -> Iterator[str]:
    missed = [figure for figure in figures if figure.met is False]
    if missed:
        yield "## Missed\n"
        yield _table(missed)


def _section(number: str, figures: Sequence[Figure], drawn: Sequence[Path]) -> Iterator[str]:
    known = rows().get(number)
    yield f"## {number}: {known.title}\n" if known else f"## {number}\n"
    if known and known.described:
        yield _paragraph(known.described)
    yield _table(figures)
    for place in drawn:
        yield f"![{known.title if known else number}]({place.as_posix()})\n"


def _paragraph(text: str) -> str:
    """Wrap a text as the other pages of the documentation are."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def _table(figures: Sequence[Figure]) -> str:
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *(cells(figure) for figure in figures)]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )


if __name__ == "__main__":
    write_page(Path(sys.argv[2]), read(Path(sys.argv[1])))

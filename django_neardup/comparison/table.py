"""The table of algorithms on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .compare import Row
from .labels import Labels, figure
from .lines import Fragment, padded, width_of

BAR = 10
SCORE = BAR + len(" 100 %")


class Table:
    """Rows as a head and what stands beside it, under a line that names the columns."""

    def __init__(self, rows: Sequence[Row], labels: Labels) -> None:
        self.rows, self.labels = rows, labels
        told = {row.verdict: labels.verdict(row.verdict) for row in rows if row.verdict}
        self.name = max(map(width_of, (labels.heading("algorithm"), *(row.name for row in rows))))
        self.verdict = max(map(width_of, (labels.heading("verdict"), *told.values())))

    def lines(self) -> Iterator[tuple[str, list[Fragment]]]:
        """The heads of all lines, and the rest of each."""
        cells = [
            padded(self.labels.heading("score"), SCORE),
            padded(self.labels.heading("verdict"), self.verdict),
            self.labels.heading("keys"),
        ]
        yield self._head(self.labels.heading("algorithm")), [Fragment(_fixed("  ".join(cells)), "quiet")]
        for row in self.rows:
            yield self._head(row.name), list(self._row(row))

    def _head(self, name: str) -> str:
        return f"  {padded(name, self.name)}  "

    def _row(self, row: Row) -> Iterator[Fragment]:
        if row.percent is None:
            yield Fragment(self.labels.missing(row), "quiet")
            return
        filled = round(BAR * row.percent / 100)
        verdict = padded(self.labels.verdict(row.verdict), self.verdict)
        yield Fragment(_fixed(f"{'█' * filled}{'·' * (BAR - filled)} {figure(row.percent, 3)}  "))
        yield Fragment(_fixed(verdict), "" if row.verdict == "none" else "strong")
        yield Fragment(f"{_fixed(' ')} {self.labels.met(row)}")


def _fixed(text: str) -> str:
    """The same with spaces that are kept."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")

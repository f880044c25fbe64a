"""The table of algorithms for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .labels import ComparisonLabels, format_percent
from .terminal_text import Fragment, display_width, pad
from .text_comparison import AlgorithmResult

BAR_WIDTH = 10
SCORE_WIDTH = BAR_WIDTH + len(" 100 %")


class AlgorithmTable:
    """The rows of the table, each a first cell and the rest of the line, under a line of column names."""

    def __init__(self, results: Sequence[AlgorithmResult], labels: ComparisonLabels) -> None:
        self.results, self.labels = results, labels
        verdict_labels = {
            result.verdict: labels.verdict(result.verdict) for result in results if result.verdict
        }
        self.name_width = max(
            map(display_width, (labels.heading("algorithm"), *(result.name for result in results)))
        )
        self.verdict_width = max(map(display_width, (labels.heading("verdict"), *verdict_labels.values())))

    def lines(self) -> Iterator[tuple[str, list[Fragment]]]:
        """Yield the first cell and the rest of every line, the column names first."""
        cells = [
            pad(self.labels.heading("score"), SCORE_WIDTH),
            pad(self.labels.heading("verdict"), self.verdict_width),
            self.labels.heading("keys"),
        ]
        yield (
            self._name_cell(self.labels.heading("algorithm")),
            [Fragment(_keep_spaces("  ".join(cells)), "quiet")],
        )
        for result in self.results:
            yield self._name_cell(result.name), list(self._result_cells(result))

    def _name_cell(self, name: str) -> str:
        return f"  {pad(name, self.name_width)}  "

    def _result_cells(self, result: AlgorithmResult) -> Iterator[Fragment]:
        if result.percent is None:
            yield Fragment(self.labels.missing_reason(result), "quiet")
            return
        filled = round(BAR_WIDTH * result.percent / 100)
        verdict = pad(self.labels.verdict(result.verdict), self.verdict_width)
        yield Fragment(
            _keep_spaces(f"{'█' * filled}{'·' * (BAR_WIDTH - filled)} {format_percent(result.percent, 3)}  ")
        )
        yield Fragment(_keep_spaces(verdict), "" if result.verdict == "none" else "strong")
        yield Fragment(f"{_keep_spaces(' ')} {self.labels.key_counts(result)}")


def _keep_spaces(text: str) -> str:
    """Return the text with non-breaking spaces."""
    # Line breaking would collapse the spaces that align the columns.
    return text.replace(" ", "\N{NO-BREAK SPACE}")

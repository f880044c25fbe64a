"""Two posts side by side, with their differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..reports.html_report import Mark, build_marks, build_replacement
from ..reports.labels import ComparisonLabels
from ..reports.segments import Segment, split_text
from ..reports.text_comparison import Comparison, compare_texts

if TYPE_CHECKING:
    from .sample_pipeline import PreviewResult

MAX_STRETCH_LENGTH = 300
"""Characters without a difference that are shown in full. Longer stretches are cut in the middle."""
MAX_TEXT_LENGTH = 3000
"""Characters of a text that are shown."""
MAX_DIFFERENCES = 4
"""Differences that are listed for a post."""


@dataclass(frozen=True)
class PairExample:
    """The posts a and b, and their comparison."""

    a: int
    b: int
    comparison: Comparison

    def marked_text(self, letter: str, labels: ComparisonLabels) -> list[Mark]:
        """Return one of the texts, with its differences from the other marked.

        ``letter`` is "A" or "B". Long stretches without a difference are cut.
        """
        side = dict(self.comparison.sides)[letter]
        segments = split_text(side.text, self.comparison.judgement.differences, (), letter.lower())
        return build_marks(_truncate_segments(segments), labels)

    def listed_differences(self) -> list[Mark]:
        """Return some differences, decisive ones first. More than these end with "…"."""
        differences = sorted(
            self.comparison.judgement.differences, key=lambda difference: not difference.is_decisive
        )
        listed = [
            build_replacement(self.comparison, difference) for difference in differences[:MAX_DIFFERENCES]
        ]
        return [*listed, *([Mark("…")] if len(differences) > MAX_DIFFERENCES else [])]


def build_example(result: PreviewResult, a: int, b: int) -> PairExample:
    """Compare two of the posts. ``a`` is the older one."""
    post_a, post_b = result.signed_posts[a], result.signed_posts[b]
    assert post_a.text is not None and post_b.text is not None
    comparison = compare_texts(post_a.text, post_b.text, post_a.algorithm, algorithms=())
    decided = result.judge(a, b)
    # The groups follow this verdict, which also considers the identity; the example must not contradict them.
    judgement = replace(comparison.judgement, verdict=decided.verdict, classes=decided.classes)
    return PairExample(a, b, replace(comparison, judgement=judgement))


def _truncate_segments(segments: Iterable[Segment]) -> Iterator[Segment]:
    remaining = MAX_TEXT_LENGTH
    for segment in segments:
        text = segment.text
        if segment.difference is None and len(text) > MAX_STRETCH_LENGTH:
            text = f"{text[: MAX_STRETCH_LENGTH // 2]} … {text[-MAX_STRETCH_LENGTH // 2 :]}"
        if len(text) > remaining:
            yield segment._replace(text=f"{text[:remaining]}…")
            return
        yield segment._replace(text=text)
        remaining -= len(text)

"""Two posts side by side, with what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..comparison.compare import Comparison, compare_texts
from ..comparison.html import marked, replaced
from ..comparison.labels import Labels
from ..comparison.pieces import Piece, pieces

if TYPE_CHECKING:
    from .collecting import Preview

STRETCH = 300
"""Letters without a difference that are shown whole; of longer stretches the beginning and the end."""
LETTERS = 3000
"""Letters of a text that are shown."""
DIFFERENCES = 4
"""Differences that are listed of a post."""


@dataclass(frozen=True)
class Example:
    """Posts a and b, and all that is known of the two."""

    a: int
    b: int
    comparison: Comparison

    def marked(self, letter: str, labels: Labels) -> str:
        """The text of one of them as HTML, what differs from the other marked; long stretches that do not are cut."""
        side = dict(self.comparison.sides)[letter]
        shown = pieces(side.document, self.comparison.judgement.differences, (), letter.lower())
        return marked(_cut(shown), labels)

    def differs(self, labels: Labels) -> str:
        """What differs as HTML: what decides first, few of them; empty where nothing does."""
        found = sorted(self.comparison.judgement.differences, key=lambda each: not each.decides)
        told = [replaced(self.comparison, each, labels) for each in found[:DIFFERENCES]]
        return ", ".join([*told, *(["…"] if len(found) > DIFFERENCES else [])])


def example(found: Preview, a: int, b: int) -> Example:
    """Two of the posts compared; ``a`` the older."""
    one, two = found.signed[a], found.signed[b]
    assert one.text is not None and two.text is not None
    comparison = compare_texts(one.text, two.text, one.algorithm, algorithms=())
    said = found.judgement(a, b)
    judgement = replace(comparison.judgement, verdict=said.verdict, classes=said.classes)
    return Example(a, b, replace(comparison, judgement=judgement))


def _cut(shown: Iterable[Piece]) -> Iterator[Piece]:
    left = LETTERS
    for piece in shown:
        text = piece.text
        if piece.difference is None and len(text) > STRETCH:
            text = f"{text[: STRETCH // 2]} … {text[-STRETCH // 2 :]}"
        if len(text) > left:
            yield piece._replace(text=f"{text[:left]}…")
            return
        yield piece._replace(text=text)
        left -= len(text)

"""The comparison of two posts side by side, with the differences marked in the texts that this person may
see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..adapters import Adapter, Source
from ..models import Pair, Verdict
from ..reports.messages import DOUBT_SENTENCES, VERDICT_SENTENCES
from .side_by_side import ComparisonSide, SideBySideTexts
from .text_format import LABELS, VERDICT_SIGNS, DisplayedDifference, build_differences, format_percent
from .visible_objects import DisplayedPost

CountedDifferences = list[tuple[DisplayedDifference, int]]
"""Differences, each with the number of times it occurs."""


@dataclass(frozen=True)
class PairComparison:
    """Both sides and the pair.

    - ``is_stale``: a text has changed since the comparison, so nothing is marked.
    - ``sources_by_document``: the current content of the posts that this person may see, by document id.
    - ``passage_order``: the passage numbers in the order of the right text. Empty if the order is the same.
    """

    left: ComparisonSide
    right: ComparisonSide
    pair: Pair | None
    is_stale: bool = False
    differences: list[DisplayedDifference] = field(default_factory=list)
    sources_by_document: dict[int, Source] = field(default_factory=dict)
    passage_order: str = ""

    @property
    def is_readable(self) -> bool:
        return self.left.text is not None and self.right.text is not None

    @property
    def score_text(self) -> str:
        return format_percent(self.pair.score, self.pair.exact) if self.pair else ""

    @property
    def verdict_sign(self) -> str:
        return VERDICT_SIGNS[Verdict(self.pair.verdict)] if self.pair else ""

    @property
    def verdict_sentence(self) -> str:
        if self.pair is None:
            return ""
        sentences = DOUBT_SENTENCES if self.pair.doubtful else VERDICT_SENTENCES
        return _(sentences[self.pair.verdict])

    @property
    def decisive_heading(self) -> str:
        """Return the heading of the differences that decide, or may decide."""
        return capfirst(LABELS.decisive_heading(self.pair.verdict, self.pair.doubtful)) if self.pair else ""

    @property
    def verdict_reason(self) -> str:
        """Return the reason for the verdict in words.

        Return an empty string if there is no reason to name or this person may not read both texts.
        """
        if self.pair is None or not self.is_readable or self.is_stale:
            return ""
        if self.pair.exact:
            return _("the same words in the same order")
        if self.pair.verdict == Verdict.VARIANT:
            return self._variant_reason()
        if (
            self.pair.verdict == Verdict.DUPLICATE
            and self.nondeciding_differences
            and not self.deciding_differences
        ):
            kinds = dict.fromkeys(
                str(difference.row_heading) for difference, _times in self.nondeciding_differences
            )
            return _("they differ in %(classes)s, which is not decisive") % {"classes": ", ".join(kinds)}
        return ""

    def _variant_reason(self) -> str:
        two_sided = next(
            (
                difference
                for difference, _times in self.deciding_differences
                if difference.left_words and difference.right_words
            ),
            None,
        )
        if two_sided is None:
            return ""
        words = _("{kind} {left} against {right}, so they are not grouped automatically")
        return format_html(
            words,
            kind=two_sided.row_heading,
            left=two_sided.build_mark(two_sided.left_words),
            right=two_sided.build_mark(two_sided.right_words),
        )

    @property
    def containments(self) -> tuple[str, str] | None:
        """Return the share of the left text that is in the right one, then the reverse.

        Return None without a pair.
        """
        if self.pair is None:
            return None
        shares = (
            format_percent(share, self.pair.exact)
            for share in (self.pair.containment_a, self.pair.containment_b)
        )
        a, b = shares
        return (a, b) if self.pair.a_id == self.left.post.document.pk else (b, a)

    @property
    def deciding_differences(self) -> CountedDifferences:
        return self._count_differences(True)

    @property
    def nondeciding_differences(self) -> CountedDifferences:
        return self._count_differences(False)

    @property
    def omitted_count(self) -> int:
        """Return the number of differences that are not stored because there are too many."""
        count = self.pair.evidence.get("omitted") if self.pair else 0
        return count if isinstance(count, int) else 0

    def _count_differences(self, decides: bool) -> CountedDifferences:
        return list(
            Counter(
                difference for difference in self.differences if difference.is_deciding is decides
            ).items()
        )


def compare_side_by_side(
    left: DisplayedPost, right: DisplayedPost, pair: Pair | None, using: str
) -> PairComparison:
    """Return the comparison of two posts. ``pair`` is None if the two were not compared."""
    sources = load_sources([left, right], using)
    is_readable = len(sources) == 2
    texts = unchanged_texts(pair, sources) if pair is not None and is_readable else None
    side = side_of(pair, left) if pair is not None else "a"
    view = SideBySideTexts(
        left, right, sources, pair.evidence if pair is not None and texts is not None else {}, side
    )
    differences = build_differences(pair.evidence, side, texts) if pair is not None and is_readable else []
    sides = view.build_sides()
    return PairComparison(
        sides[0],
        sides[1],
        pair,
        pair is not None and is_readable and texts is None,
        differences,
        sources,
        view.passage_order,
    )


def load_sources(posts: Iterable[DisplayedPost], using: str) -> dict[int, Source]:
    """Return the current content of the posts, read by their adapters, by document id: three queries a model."""
    by_adapter: dict[Adapter, dict[Any, int]] = {}
    for post in posts:
        if post.adapter is not None and post.instance is not None:
            by_adapter.setdefault(post.adapter, {})[post.instance.pk] = post.document.pk
    return {
        document_ids[pk]: source
        for adapter, document_ids in by_adapter.items()
        for pk, source in adapter.sources(document_ids, using).items()
    }


def unchanged_texts(pair: Pair, sources: Mapping[int, Source]) -> dict[str, str] | None:
    """Return both texts by side, "a" and "b".

    Return None if a text is missing or has changed since the comparison.
    """
    a, b = sources.get(pair.a_id), sources.get(pair.b_id)
    if a is None or b is None or (a.digest, b.digest) != (pair.digest_a, pair.digest_b):
        return None
    return {"a": a.text, "b": b.text}


def side_of(pair: Pair, post: DisplayedPost) -> str:
    """Return the side of the pair, "a" or "b", that the post is on."""
    return "a" if pair.a_id == post.document.pk else "b"

"""Two posts side by side: their texts with what differs marked, as far as this person may see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..adapters import Adapter, Source
from ..models import Pair, Verdict
from .side_by_side import ComparisonSide, SideBySideTexts
from .text_format import VERDICT_SIGNS, DisplayedDifference, build_differences, format_percent
from .visible_objects import DisplayedPost

VERDICT_SENTENCES = {
    Verdict.DUPLICATE: gettext_lazy("the same item, and the same text except for small edits"),
    Verdict.VARIANT: gettext_lazy("the texts are alike, but they are about two items"),
    Verdict.CONTAINED: gettext_lazy("one text holds most of the other"),
    Verdict.RELATED: gettext_lazy("the texts have something in common"),
}
CountedDifferences = list[tuple[DisplayedDifference, int]]
"""Differences, and how often each is found."""


@dataclass(frozen=True)
class PairComparison:
    """Both sides and what is known of the pair. ``is_stale``: a text has changed since, so that nothing is marked.

    ``sources_by_document``: what the posts that this person may see say now, by document id. ``passage_order``: the
    passages as the right text has them, where that is another order.
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
    def verdict_sentence(self) -> str | Promise:
        return VERDICT_SENTENCES[Verdict(self.pair.verdict)] if self.pair else ""

    @property
    def verdict_reason(self) -> str:
        """Why the verdict is that one, as far as this person may see the words; empty where nothing says it."""
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
            kinds = dict.fromkeys(str(each.row_heading) for each, _times in self.nondeciding_differences)
            return _("they differ in %(classes)s, which does not decide") % {"classes": ", ".join(kinds)}
        return ""

    def _variant_reason(self) -> str:
        both = next(
            (each for each, _times in self.deciding_differences if each.left_words and each.right_words), None
        )
        if both is None:
            return ""
        words = _("{kind} {left} against {right}, so they are not grouped by themselves")
        return format_html(
            words,
            kind=both.row_heading,
            left=both.build_mark(both.left_words),
            right=both.build_mark(both.right_words),
        )

    @property
    def containments(self) -> tuple[str, str] | None:
        """Which share of the left text is in the right one, and the other way."""
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
        """Places that are not stored, as there are too many."""
        count = self.pair.evidence.get("omitted") if self.pair else 0
        return count if isinstance(count, int) else 0

    def _count_differences(self, decides: bool) -> CountedDifferences:
        return list(Counter(each for each in self.differences if each.is_deciding is decides).items())


def compare_side_by_side(
    left: DisplayedPost, right: DisplayedPost, pair: Pair | None, using: str
) -> PairComparison:
    """Put those two side by side."""
    sources = load_sources([left, right], using)
    readable = len(sources) == 2
    texts = unchanged_texts(pair, sources) if pair is not None and readable else None
    side = side_of(pair, left) if pair is not None else "a"
    view = SideBySideTexts(
        left, right, sources, pair.evidence if pair is not None and texts is not None else {}, side
    )
    found = build_differences(pair.evidence, side, texts) if pair is not None and readable else []
    posts = view.build_sides()
    return PairComparison(
        posts[0],
        posts[1],
        pair,
        pair is not None and readable and texts is None,
        found,
        sources,
        view.passage_order,
    )


def load_sources(posts: Iterable[DisplayedPost], using: str) -> dict[int, Source]:
    """What the adapters read of those objects now, by document id: three queries a model."""
    by_adapter: dict[Adapter, dict[Any, int]] = {}
    for shown in posts:
        if shown.adapter is not None and shown.instance is not None:
            by_adapter.setdefault(shown.adapter, {})[shown.instance.pk] = shown.document.pk
    return {
        keys[key]: source
        for adapter, keys in by_adapter.items()
        for key, source in adapter.sources(keys, using).items()
    }


def unchanged_texts(pair: Pair, sources: Mapping[int, Source]) -> dict[str, str] | None:
    """Both texts by side, "a" and "b"; None where one is not there, or has changed since they were compared."""
    a, b = sources.get(pair.a_id), sources.get(pair.b_id)
    if a is None or b is None or (a.digest, b.digest) != (pair.digest_a, pair.digest_b):
        return None
    return {"a": a.text, "b": b.text}


def side_of(pair: Pair, post: DisplayedPost) -> str:
    """Which side of the pair that post is."""
    return "a" if pair.a_id == post.document.pk else "b"

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
from .shown import Shown
from .texts import Post, Texts
from .words import SIGNS, Difference, differences, percent

SENTENCES = {
    Verdict.DUPLICATE: gettext_lazy("the same item, and the same text except for small edits"),
    Verdict.VARIANT: gettext_lazy("the texts are alike, but they are about two items"),
    Verdict.CONTAINED: gettext_lazy("one text holds most of the other"),
    Verdict.RELATED: gettext_lazy("the texts have something in common"),
}
Told = list[tuple[Difference, int]]
"""Differences, and how often each is found."""


@dataclass(frozen=True)
class Comparison:
    """Both sides and what is known of the pair. ``stale``: a text has changed since, so that nothing is marked.

    ``sources``: what the posts that this person may see say now, by document id. ``order``: the passages as the right
    text has them, where that is another order.
    """

    left: Post
    right: Post
    pair: Pair | None
    stale: bool = False
    differences: list[Difference] = field(default_factory=list)
    sources: dict[int, Source] = field(default_factory=dict)
    order: str = ""

    @property
    def readable(self) -> bool:
        return self.left.text is not None and self.right.text is not None

    @property
    def score(self) -> str:
        return percent(self.pair.score, self.pair.exact) if self.pair else ""

    @property
    def sign(self) -> str:
        return SIGNS[Verdict(self.pair.verdict)] if self.pair else ""

    @property
    def sentence(self) -> str | Promise:
        return SENTENCES[Verdict(self.pair.verdict)] if self.pair else ""

    @property
    def reason(self) -> str:
        """Why the verdict is that one, as far as this person may see the words; empty where nothing says it."""
        if self.pair is None or not self.readable or self.stale:
            return ""
        if self.pair.exact:
            return _("the same words in the same order")
        if self.pair.verdict == Verdict.VARIANT:
            return self._told_apart()
        if self.pair.verdict == Verdict.DUPLICATE and self.idle and not self.deciding:
            kinds = dict.fromkeys(str(each.row) for each, _times in self.idle)
            return _("they differ in %(classes)s, which does not decide") % {"classes": ", ".join(kinds)}
        return ""

    def _told_apart(self) -> str:
        both = next((each for each, _times in self.deciding if each.left and each.right), None)
        if both is None:
            return ""
        words = _("{kind} {left} against {right}, so they are not grouped by themselves")
        return format_html(words, kind=both.row, left=both.marked(both.left), right=both.marked(both.right))

    @property
    def containments(self) -> tuple[str, str] | None:
        """Which share of the left text is in the right one, and the other way."""
        if self.pair is None:
            return None
        shares = (
            percent(share, self.pair.exact) for share in (self.pair.containment_a, self.pair.containment_b)
        )
        a, b = shares
        return (a, b) if self.pair.a_id == self.left.shown.document.pk else (b, a)

    @property
    def deciding(self) -> Told:
        return self._counted(True)

    @property
    def idle(self) -> Told:
        return self._counted(False)

    @property
    def omitted(self) -> int:
        """Places that are not stored, as there are too many."""
        count = self.pair.evidence.get("omitted") if self.pair else 0
        return count if isinstance(count, int) else 0

    def _counted(self, decides: bool) -> Told:
        return list(Counter(each for each in self.differences if each.decides is decides).items())


def compare(left: Shown, right: Shown, pair: Pair | None, using: str) -> Comparison:
    """Put those two side by side."""
    sources = read([left, right], using)
    readable = len(sources) == 2
    texts = texts_of(pair, sources) if pair is not None and readable else None
    side = side_of(pair, left) if pair is not None else "a"
    view = Texts(left, right, sources, pair.evidence if pair is not None and texts is not None else {}, side)
    found = differences(pair.evidence, side, texts) if pair is not None and readable else []
    posts = view.posts()
    return Comparison(
        posts[0], posts[1], pair, pair is not None and readable and texts is None, found, sources, view.order
    )


def read(every: Iterable[Shown], using: str) -> dict[int, Source]:
    """What the adapters read of those objects now, by document id: three queries a model."""
    by_adapter: dict[Adapter, dict[Any, int]] = {}
    for shown in every:
        if shown.adapter is not None and shown.instance is not None:
            by_adapter.setdefault(shown.adapter, {})[shown.instance.pk] = shown.document.pk
    return {
        keys[key]: source
        for adapter, keys in by_adapter.items()
        for key, source in adapter.sources(keys, using).items()
    }


def texts_of(pair: Pair, sources: Mapping[int, Source]) -> dict[str, str] | None:
    """Both texts by side, "a" and "b"; None where one is not there, or has changed since they were compared."""
    a, b = sources.get(pair.a_id), sources.get(pair.b_id)
    if a is None or b is None or (a.digest, b.digest) != (pair.digest_a, pair.digest_b):
        return None
    return {"a": a.text, "b": b.text}


def side_of(pair: Pair, shown: Shown) -> str:
    """Which side of the pair that post is."""
    return "a" if pair.a_id == shown.document.pk else "b"

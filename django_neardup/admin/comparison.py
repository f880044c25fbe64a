"""Two posts side by side: their texts with what differs marked, as far as this person may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from ..adapters import Adapter, Source
from ..models import Pair, Verdict
from .marks import marked, spans_of
from .shown import Shown
from .words import SIGNS, Difference, differences, percent

SENTENCES = {
    Verdict.DUPLICATE: _("the same item, and the same text except for small edits"),
    Verdict.VARIANT: _("the texts are alike, but they are about two items"),
    Verdict.CONTAINED: _("one text holds most of the other"),
    Verdict.RELATED: _("the texts have something in common"),
}


@dataclass(frozen=True)
class Post:
    """One side. ``text`` is None where it is gone or not for this person; ``cut`` where it is longer."""

    shown: Shown
    letter: str
    text: SafeString | None = None
    cut: bool = False


@dataclass(frozen=True)
class Comparison:
    """Both sides and what is known of the pair. ``stale``: a text has changed since, so that nothing is marked."""

    left: Post
    right: Post
    pair: Pair | None
    stale: bool = False
    differences: list[Difference] = field(default_factory=list)

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
    def deciding(self) -> list[Difference]:
        return [each for each in self.differences if each.decides]

    @property
    def idle(self) -> list[Difference]:
        return [each for each in self.differences if not each.decides]


def compare(left: Shown, right: Shown, pair: Pair | None, using: str) -> Comparison:
    """Put those two side by side."""
    sources = read([left, right], using)
    readable = len(sources) == 2
    texts = texts_of(pair, sources) if pair is not None and readable else None
    stale = pair is not None and readable and texts is None
    posts = [
        _post(shown, letter, sources, pair if texts is not None else None)
        for shown, letter in ((left, "A"), (right, "B"))
    ]
    found = differences(pair.evidence, side_of(pair, left), texts) if pair is not None and readable else []
    return Comparison(posts[0], posts[1], pair, stale, found)


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


def _post(shown: Shown, letter: str, sources: dict[int, Source], pair: Pair | None) -> Post:
    source = sources.get(shown.document.pk)
    if source is None:
        return Post(shown, letter)
    spans = spans_of(pair.evidence, side_of(pair, shown)) if pair is not None else ()
    return Post(shown, letter, *marked(source.text, spans))

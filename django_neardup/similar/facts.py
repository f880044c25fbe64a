"""What is stored of an object's pairs: which posts are like it, the likest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet

from ..models import Decision, Document, Pair, Scheme, Verdict
from ..pipeline.objects import content_type_of
from ..visible import Key

PORTION = 500
"""Pairs read at once: few posts have more."""

SIDE = ("content_type_id", "object_id", "membership__cluster_id")
COLUMNS = ("pk", "a_id", "verdict", "decision__kind", "exact", "digest_a", "digest_b")


class Fact(NamedTuple):
    """A pair of the object (side ``mine``) with another. ``other_item``: the texts are alike, and about unlike things;
    ``cluster``: the other's; ``digests``: the source digest of the object, and the other's."""

    pair: int
    key: Key
    mine: str
    other_item: bool
    exact: bool
    cluster: int | None
    digests: tuple[str, str]


class Facts:
    """The pairs of one object with objects of those models, read as they are asked for."""

    def __init__(self, key: Key, models: list[type[Model]], using: str) -> None:
        self._using = using
        self._models = {content_type_of(model, using).pk: model for model in models}
        kind = content_type_of(key[0], using).pk
        documents = Document.objects.using(using).filter(content_type=kind, object_id=key[1])
        self._document = documents.values_list("pk", flat=True).first()

    def portions(self) -> Iterator[list[Fact]]:
        """All of them, the likest first."""
        rows = self._rows().order_by("-score", "pk")
        start, found = 0, PORTION
        while self._document is not None and found == PORTION:
            portion = list(rows[start : start + PORTION])
            start, found = start + PORTION, len(portion)
            yield self._facts(portion)

    def with_(self, keys: list[Key]) -> list[Fact]:
        """Those with these objects."""
        wanted = Q()
        for kind, model in self._models.items():
            ids = [object_id for each, object_id in keys if each is model]
            for side in ("a", "b") if ids else ():
                wanted |= Q(**{f"{side}__content_type": kind, f"{side}__object_id__in": ids})
        return self._facts(list(self._rows().filter(wanted))) if wanted and self._document else []

    def evidence(self, pairs: list[int]) -> dict[int, Any]:
        """What is stored of those pairs' differences."""
        rows = Pair.objects.using(self._using).filter(pk__in=pairs)
        return dict(rows.values_list("pk", "evidence")) if pairs else {}

    def _rows(self) -> QuerySet[Pair, Any]:
        pairs = Pair.objects.using(self._using).filter(scheme__state=Scheme.State.ACTIVE)
        own = pairs.filter(Q(a=self._document) | Q(b=self._document))
        return own.values_list(*COLUMNS, *(f"{side}__{name}" for side in ("a", "b") for name in SIDE))

    def _facts(self, rows: list[Any]) -> list[Fact]:
        found = (self._fact(*row[: len(COLUMNS)], row[-6:-3], row[-3:]) for row in rows)
        return [fact for fact in found if fact is not None]

    def _fact(
        self, pair: int, a: int, verdict: str, decision: str | None, exact: bool, *rest: Any
    ) -> Fact | None:
        digest_a, digest_b, side_a, side_b = rest
        first = a == self._document
        kind, object_id, cluster = side_b if first else side_a
        if kind not in self._models:
            return None
        other_item = verdict == Verdict.VARIANT or decision == Decision.Kind.DIFFERENT
        digests = (digest_a, digest_b) if first else (digest_b, digest_a)
        key = self._models[kind], object_id
        return Fact(pair, key, "a" if first else "b", other_item, exact, cluster, digests)

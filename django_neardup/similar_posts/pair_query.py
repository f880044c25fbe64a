"""What is stored of an object's pairs: which posts are like it, the likest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet

from ..models import Decision, Document, Pair, Scheme, Verdict
from ..pipeline.content_objects import content_type_of
from ..visibility import ObjectKey

PORTION = 500
"""Pairs read at once: few posts have more."""

SIDE_COLUMNS = ("content_type_id", "object_id", "membership__cluster_id")
PAIR_COLUMNS = ("pk", "a_id", "verdict", "decision__kind", "exact", "digest_a", "digest_b")


class SimilarPair(NamedTuple):
    """A pair of the object (side ``mine``) with another. ``other_item``: the texts are alike, and about unlike things;
    ``cluster``: the other's; ``digests``: the source digest of the object, and the other's."""

    pair_id: int
    key: ObjectKey
    own_side: str
    is_other_item: bool
    exact: bool
    cluster_id: int | None
    digests: tuple[str, str]


class SimilarPairs:
    """The pairs of one object with objects of those models, read as they are asked for."""

    def __init__(self, key: ObjectKey, models: list[type[Model]], using: str) -> None:
        self._using = using
        self._models_by_content_type = {content_type_of(model, using).pk: model for model in models}
        kind = content_type_of(key[0], using).pk
        documents = Document.objects.using(using).filter(content_type=kind, object_id=key[1])
        self._document_id = documents.values_list("pk", flat=True).first()

    def portions(self) -> Iterator[list[SimilarPair]]:
        """All of them, the likest first."""
        rows = self._pair_rows().order_by("-score", "pk")
        start, found = 0, PORTION
        while self._document_id is not None and found == PORTION:
            portion = list(rows[start : start + PORTION])
            start, found = start + PORTION, len(portion)
            yield self._build_pairs(portion)

    def with_keys(self, keys: list[ObjectKey]) -> list[SimilarPair]:
        """Those with these objects."""
        wanted = Q()
        for kind, model in self._models_by_content_type.items():
            ids = [object_id for each, object_id in keys if each is model]
            for side in ("a", "b") if ids else ():
                wanted |= Q(**{f"{side}__content_type": kind, f"{side}__object_id__in": ids})
        return (
            self._build_pairs(list(self._pair_rows().filter(wanted))) if wanted and self._document_id else []
        )

    def load_evidence(self, pair_ids: list[int]) -> dict[int, Any]:
        """What is stored of those pairs' differences."""
        rows = Pair.objects.using(self._using).filter(pk__in=pair_ids)
        return dict(rows.values_list("pk", "evidence")) if pair_ids else {}

    def _pair_rows(self) -> QuerySet[Pair, Any]:
        pairs = Pair.objects.using(self._using).filter(scheme__state=Scheme.State.ACTIVE)
        own = pairs.filter(Q(a=self._document_id) | Q(b=self._document_id))
        return own.values_list(
            *PAIR_COLUMNS, *(f"{side}__{name}" for side in ("a", "b") for name in SIDE_COLUMNS)
        )

    def _build_pairs(self, rows: list[Any]) -> list[SimilarPair]:
        found = (self._build_pair(*row[: len(PAIR_COLUMNS)], row[-6:-3], row[-3:]) for row in rows)
        return [fact for fact in found if fact is not None]

    def _build_pair(
        self, pair_id: int, a_id: int, verdict: str, decision: str | None, exact: bool, *rest: Any
    ) -> SimilarPair | None:
        digest_a, digest_b, side_a, side_b = rest
        first = a_id == self._document_id
        kind, object_id, cluster = side_b if first else side_a
        if kind not in self._models_by_content_type:
            return None
        other_item = verdict == Verdict.VARIANT or decision == Decision.Kind.DIFFERENT
        digests = (digest_a, digest_b) if first else (digest_b, digest_a)
        key = self._models_by_content_type[kind], object_id
        return SimilarPair(pair_id, key, "a" if first else "b", other_item, exact, cluster, digests)

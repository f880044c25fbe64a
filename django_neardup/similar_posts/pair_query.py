"""The stored pairs of an object: the posts similar to it, the most similar first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet

from ..models import Decision, Document, Pair, Scheme, Verdict
from ..pipeline.availability import is_active
from ..pipeline.content_objects import content_type_of
from ..visibility import ObjectKey

PORTION = 500
"""Number of pairs in one query. Few posts have more."""

SIDE_COLUMNS = ("content_type_id", "object_id", "membership__cluster_id")
PAIR_COLUMNS = ("pk", "a_id", "verdict", "decision__kind", "exact", "doubtful", "digest_a", "digest_b")


class SimilarPair(NamedTuple):
    """A pair of the object (side ``own_side``) with another.

    ``is_other_item``: the texts are surely about different items. ``cluster_id``: the cluster of the
    other object. ``digests``: the source digests of the object and of the other.
    """

    pair_id: int
    key: ObjectKey
    own_side: str
    is_other_item: bool
    exact: bool
    cluster_id: int | None
    digests: tuple[str, str]


class SimilarPairs:
    """The pairs of an object with objects of some models. They are read when they are needed.

    There are none if the app is not active.
    """

    def __init__(self, key: ObjectKey, models: list[type[Model]], using: str) -> None:
        self._using = using
        self._models_by_content_type: dict[int, type[Model]] = {}
        self._document_id: int | None = None
        if is_active(using):
            self._find_document(key, models)

    def _find_document(self, key: ObjectKey, models: list[type[Model]]) -> None:
        using = self._using
        self._models_by_content_type = {content_type_of(model, using).pk: model for model in models}
        content_type_id = content_type_of(key[0], using).pk
        documents = Document.objects.using(using).filter(content_type=content_type_id, object_id=key[1])
        self._document_id = documents.values_list("pk", flat=True).first()

    def portions(self) -> Iterator[list[SimilarPair]]:
        """Yield all pairs in chunks, the most similar first."""
        rows = self._pair_rows().order_by("-score", "pk")
        start, row_count = 0, PORTION
        while self._document_id is not None and row_count == PORTION:
            portion = list(rows[start : start + PORTION])
            start, row_count = start + PORTION, len(portion)
            yield self._build_pairs(portion)

    def with_keys(self, keys: list[ObjectKey]) -> list[SimilarPair]:
        """Return the pairs with these objects."""
        condition = Q()
        for content_type_id, model in self._models_by_content_type.items():
            ids = [object_id for key_model, object_id in keys if key_model is model]
            for side in ("a", "b") if ids else ():
                condition |= Q(**{f"{side}__content_type": content_type_id, f"{side}__object_id__in": ids})
        return (
            self._build_pairs(list(self._pair_rows().filter(condition)))
            if condition and self._document_id
            else []
        )

    def load_evidence(self, pair_ids: list[int]) -> dict[int, Any]:
        """Return the stored evidence of the pairs by pair id."""
        rows = Pair.objects.using(self._using).filter(pk__in=pair_ids)
        return dict(rows.values_list("pk", "evidence")) if pair_ids else {}

    def _pair_rows(self) -> QuerySet[Pair, Any]:
        pairs = Pair.objects.using(self._using).filter(scheme__state=Scheme.State.ACTIVE)
        own = pairs.filter(Q(a=self._document_id) | Q(b=self._document_id))
        return own.values_list(
            *PAIR_COLUMNS, *(f"{side}__{name}" for side in ("a", "b") for name in SIDE_COLUMNS)
        )

    def _build_pairs(self, rows: list[Any]) -> list[SimilarPair]:
        pairs = (self._build_pair(*row[: len(PAIR_COLUMNS)], row[-6:-3], row[-3:]) for row in rows)
        return [pair for pair in pairs if pair is not None]

    def _build_pair(
        self,
        pair_id: int,
        a_id: int,
        verdict: str,
        decision: str | None,
        exact: bool,
        doubtful: bool,
        *rest: Any,
    ) -> SimilarPair | None:
        digest_a, digest_b, side_a, side_b = rest
        is_first = a_id == self._document_id
        content_type_id, object_id, cluster_id = side_b if is_first else side_a
        if content_type_id not in self._models_by_content_type:
            return None
        is_sure_variant = verdict == Verdict.VARIANT and not doubtful
        is_other_item = is_sure_variant or decision == Decision.Kind.DIFFERENT
        digests = (digest_a, digest_b) if is_first else (digest_b, digest_a)
        key = self._models_by_content_type[content_type_id], object_id
        return SimilarPair(pair_id, key, "a" if is_first else "b", is_other_item, exact, cluster_id, digests)

"""Where documents stand: their places in clusters, and the spaces where they have left something."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Q

from ..models import Cluster, Document, Pair
from .sql import rows_in

PLACES = (
    'SELECT m."document_id", m."cluster_id", c."representative_id", c."space_id", m."digest", m."scheme_id" '
    'FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({})'
)


@dataclass(frozen=True, slots=True)
class Place:
    """A document's place: the cluster, its representative and space; the digest and the scheme it was found by."""

    cluster: int
    leader: int
    space: int
    digest: str
    scheme: int


def places_of(documents: Collection[int], using: str) -> dict[int, Place]:
    """The places of those documents that have one; one statement."""
    found = rows_in(using, PLACES, documents) if documents else []
    return {row[0]: Place(*row[1:]) for row in found}


def spaces_of(document: int, using: str) -> set[int]:
    """Spaces where the document has left something: its pairs' and its cluster's, and its own."""
    pairs = Pair.objects.using(using).filter(Q(a=document) | Q(b=document))
    clusters = Cluster.objects.using(using).filter(memberships__document=document)
    own = Document.objects.using(using).filter(pk=document, space__isnull=False)
    return {*pairs.values_list("space", flat=True), *clusters.values_list("space", flat=True)} | set(
        own.values_list("space", flat=True)
    )

"""Memberships of documents in clusters, and the spaces in which documents have pairs or memberships."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet

from ...db.queries import clusters as cluster_queries
from ...db.sql import filter_in_chunks
from ...models import Cluster, Document, Membership, Pair
from ...signals import memberships_changed
from ..content_objects import model_of


@dataclass(frozen=True, slots=True)
class MembershipRow:
    """A document's membership.

    It holds the cluster, its leader and space, and the digest and scheme by which the document was assigned.
    """

    cluster_id: int
    leader_id: int
    space_id: int
    digest: str
    scheme_id: int


def memberships_of(documents: Collection[int], using: str) -> dict[int, MembershipRow]:
    """Return the memberships by document, in one statement. Documents without a cluster are left out."""
    rows = cluster_queries.places_of(using, documents) if documents else []
    return {row[0]: MembershipRow(*row[1:]) for row in rows}


def insert_memberships(rows: Sequence[Sequence[Any]], using: str) -> None:
    """Insert memberships, values of ``MEMBERSHIP_COLUMNS``, and send the signal."""
    cluster_queries.insert_memberships(using, rows)
    _send_memberships_changed({row[0] for row in rows}, using)


def delete_memberships(memberships: QuerySet[Membership], using: str) -> set[int]:
    """Delete memberships, and send the signal. Return their clusters."""
    cluster_by_document = dict(memberships.values_list("document", "cluster"))
    memberships.delete()
    _send_memberships_changed(cluster_by_document, using)
    return {*cluster_by_document.values()}


def _send_memberships_changed(documents: Collection[int], using: str) -> None:
    """Send ``memberships_changed`` for each model. Without listeners the documents are not even read."""
    if not memberships_changed.receivers:
        return
    by_model: defaultdict[type[Model] | None, list[Document]] = defaultdict(list)
    for rows in filter_in_chunks(Document.objects.using(using).order_by("pk"), "pk", sorted(documents)):
        for document in rows:
            by_model[model_of(document)].append(document)
    for model, of_model in by_model.items():
        memberships_changed.send(sender=model, documents=of_model, using=using)


def update_text_of(
    document: int, digest: str, scheme: int, using: str, former_scheme: int | None = None
) -> None:
    """Store by which text and scheme a document is clustered, and by which scheme the cluster that it leads is.

    ``former_scheme``: that of its membership, if it is known.
    """
    Membership.objects.using(using).filter(document=document).update(digest=digest, scheme=scheme)
    if former_scheme != scheme:
        Cluster.objects.using(using).filter(leader=document).exclude(scheme=scheme).update(scheme=scheme)


def spaces_of(document: int, using: str) -> set[int]:
    """Return the document's own space and the spaces of its pairs and of its cluster."""
    pairs = Pair.objects.using(using).filter(Q(a=document) | Q(b=document))
    clusters = Cluster.objects.using(using).filter(memberships__document=document)
    filed = Document.objects.using(using).filter(pk=document, space__isnull=False)
    return {*pairs.values_list("space", flat=True), *clusters.values_list("space", flat=True)} | set(
        filed.values_list("space", flat=True)
    )

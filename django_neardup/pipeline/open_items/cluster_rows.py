"""Rows of clusters. Several clusters of exact copies by one author are one row.

An author who posts everything twice would otherwise fill the queue with rows that ask the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...db.sql import filter_in_chunks
from ...models import Cluster, Membership, OpenItem, Verdict
from .columns import REOPENED_PRIORITY, with_columns
from .conditions import open_clusters
from .pair_reader import IN_ACTIVE_SCHEME, PairReader
from .rows import MILLION, Row

Kind, Part = OpenItem.Kind, OpenItem.Part
MIN_COPIED_CLUSTERS = 2
"""Number of clusters of exact copies by one author from which on they are one row."""


class Copier(NamedTuple):
    """An author of exact copies in a space."""

    space: int
    author: str


def cluster_rows(clusters: Iterable[int], reader: PairReader) -> Iterator[Row]:
    """Yield the rows of the clusters that wait."""
    members: defaultdict[int, set[int]] = defaultdict(set)
    memberships = Membership.objects.using(reader.using).values_list("cluster", "document")
    for rows in filter_in_chunks(memberships, "cluster", sorted(clusters)):
        for cluster_id, document in rows:
            members[cluster_id].add(document)
    for chunk in filter_in_chunks(Cluster.objects.using(reader.using), "pk", sorted(clusters)):
        for cluster in with_columns(open_clusters(chunk), reader.has_phrases):
            item = OpenItem(
                scheme_id=cluster.scheme_id,
                space_id=cluster.space_id,
                part=Part.REVIEW,
                kind=Kind.CLUSTER,
                number=cluster.pk,
                owner_id=cluster.leader_id,
                priority=cluster.settles + (0 if cluster.decided is None else REOPENED_PRIORITY),
                score=round(cluster.lowest * MILLION),
                size=cluster.size,
                since=cluster.since,
                again=cluster.decided is not None,
                verdict=Verdict.DUPLICATE,
                exact=cluster.exact,
                contact=cluster.contact,
                author=cluster.authors,
                phrase=cluster.phrase == "yes",
                model=cluster.item_model,
                copied_by=cluster.copied_by,
            )
            yield Row(item, {cluster.leader_id, *members[cluster.pk]})


def copiers_around(
    stored: Iterable[OpenItem], clusters: Collection[int], using: str
) -> tuple[set[Copier], list[OpenItem]]:
    """Return the authors of exact copies among stored rows and clusters, and all stored rows of these authors."""
    copiers = {Copier(item.space_id, item.copied_by) for item in stored if item.copied_by}
    for chunk in filter_in_chunks(Cluster.objects.using(using).filter(exact=True), "pk", sorted(clusters)):
        columns = with_columns(open_clusters(chunk), has_phrases=False).exclude(copied_by="")
        copiers |= {Copier(*values) for values in columns.order_by().values_list("space_id", "copied_by")}
    authors = sorted({copier.author for copier in copiers})
    chunks = filter_in_chunks(OpenItem.objects.using(using), "copied_by", authors)
    items = [item for chunk in chunks for item in chunk]
    return copiers, [item for item in items if Copier(item.space_id, item.copied_by) in copiers]


def clusters_of_copies(items: Iterable[OpenItem], using: str) -> set[int]:
    """Return the clusters of the rows."""
    items = [*items]
    links = filter_in_chunks(
        OpenItem.documents.through.objects.using(using).values_list("document", flat=True),
        "openitem",
        sorted(item.pk for item in items if item.kind == Kind.COPIES),
    )
    documents = sorted({document for chunk in links for document in chunk})
    memberships = Membership.objects.using(using).filter(**IN_ACTIVE_SCHEME).values_list("cluster", flat=True)
    chunks = filter_in_chunks(memberships, "document", documents)
    return {item.number for item in items if item.kind == Kind.CLUSTER} | {
        pk for chunk in chunks for pk in chunk
    }


def joined_copies(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows, those of one author's copies as one row."""
    by_copier: defaultdict[Copier, list[Row]] = defaultdict(list)
    for row in rows:
        if row.item.copied_by:
            by_copier[Copier(row.item.space_id, row.item.copied_by)].append(row)
        else:
            yield row
    for copied in by_copier.values():
        if len(copied) < MIN_COPIED_CLUSTERS:
            yield from copied
        else:
            yield _joined_row(copied)


def _joined_row(rows: Sequence[Row]) -> Row:
    items = sorted((row.item for row in rows), key=lambda item: item.owner_id)
    first, is_again = items[0], any(item.again for item in items)
    contacts = {item.contact for item in items}
    priority = sum(item.priority - (REOPENED_PRIORITY if item.again else 0) for item in items)
    joined = OpenItem(
        scheme_id=first.scheme_id,
        space_id=first.space_id,
        part=Part.REVIEW,
        kind=Kind.COPIES,
        number=first.owner_id,
        owner_id=first.owner_id,
        copied_by=first.copied_by,
        priority=priority + (REOPENED_PRIORITY if is_again else 0),
        score=MILLION,
        size=sum(item.size for item in items),
        since=min(item.since for item in items),
        again=is_again,
        verdict=Verdict.DUPLICATE,
        exact=True,
        contact=next(value for value in ("same", "different", "none") if value in contacts),
        author="same",
        phrase=any(item.phrase for item in items),
        model=first.model,
    )
    return Row(joined, set().union(*(row.documents for row in rows)))

"""Rows of the review queue formed again, around documents that have changed, and the mark of open pairs.

The rows of an owner are formed together, from what is stored: so it does no harm to form them twice.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from django.db import IntegrityError
from django.db.models import QuerySet

from ...db.sql import filter_in_chunks
from ...exceptions import error_name
from ...models import (
    ChangedDocument,
    Cluster,
    Document,
    FamilyMember,
    Membership,
    OpenItem,
    Pair,
)
from ..locks import call_with_retries, space_lock
from .changes import log_changed_documents
from .cluster_rows import Copier, cluster_rows, clusters_of_copies, copiers_around, joined_copies
from .conditions import (
    newer_action_condition,
    open_pairs,
    pairs_of_families,
    pairs_to_review,
    with_copies,
)
from .pair_reader import IN_ACTIVE_SCHEME, PairReader
from .rows import Owner, Row

logger = logging.getLogger(__name__)

REFRESH_SECONDS = 5.0
"""How often a process that works off posts forms rows. After every batch it would cost as much as the batch."""

RESTS = 4
"""Such a process rests for so many times as long as it took. So a long backlog takes at most a fifth of its time."""

MAX_ENTRIES = 2000
"""Entries of the log that one call handles by default."""

BACKLOG_ENTRIES = 20_000
"""The same where the whole log is worked off. The rows of a family are formed once in a call, however many of its
members are logged."""

DOCUMENTS_PER_LOCK = 200
"""Documents whose rows are formed under one lock, unless one family has more. Workers must not wait long."""

Kind = OpenItem.Kind
KINDS_OF_CLUSTERS = (Kind.CLUSTER, Kind.COPIES)

STORED_COLUMNS = [
    field.attname for field in OpenItem._meta.concrete_fields if field.name not in ("id", "kind", "number")
]
"""What may change of a row."""


_due: dict[str, float] = {}
"""The time from which this process forms rows again, by database."""


def _ignore(count: int) -> None:
    pass


def refresh_open_items(
    using: str,
    limit: int = MAX_ENTRIES,
    newest_first: bool = False,
    on_handled: Callable[[int], object] = _ignore,
) -> int:
    """Form the rows around logged documents again. Return how many entries of the log were handled.

    Never call it inside a transaction.

    - ``newest_first``: begin with the newest entries, so that a decision made just now does not wait for a long
      backlog.
    - ``on_handled``: called now and then with the number of entries handled since.
    """
    log = ChangedDocument.objects.using(using)
    order = "-pk" if newest_first else "pk"
    entries = list(log.order_by(order).values_list("pk", "document")[:limit])
    if not entries:
        return 0
    documents = {document for _, document in entries}
    spaces = _mapping(Document.objects.using(using).values_list("pk", "space"), documents)
    by_space: defaultdict[int | None, list[int]] = defaultdict(list)
    for document in sorted(documents):
        by_space[spaces.get(document)].append(document)
    handled_count = 0
    for space, members in by_space.items():
        for chunk in _chunks_of_families(members, using):
            of_chunk = {*chunk}
            handled = [pk for pk, document in entries if document in of_chunk]
            # A document may have moved from another space, where its rows still stand.
            former = filter_in_chunks(
                OpenItem.objects.using(using).values_list("space", flat=True).distinct(), "documents", chunk
            )
            locked = {former_space for rows in former for former_space in rows}
            if space is not None:
                locked.add(space)
            try:
                count = len(handled) - call_with_retries(_refresh_documents, locked, handled, using)
            except IntegrityError as error:
                count = 0
                logger.info(
                    "neardup: rows of the review queue will be updated next time (%s)", error_name(error)
                )
            handled_count += count
            on_handled(count)
    return handled_count


def refresh_if_due(using: str) -> None:
    """Call ``refresh_open_items``, unless this process has done so within ``REFRESH_SECONDS``, or longer if it took
    long.
    """
    started = time.monotonic()
    if started >= _due.get(using, started):
        _due[using] = started + REFRESH_SECONDS
        refresh_open_items(using)
        ended = time.monotonic()
        _due[using] = max(_due[using], ended + RESTS * (ended - started))


def rebuild_open_items(using: str) -> None:
    """Delete all rows, and form them from what is stored."""
    Pair.objects.using(using).filter(open=True).update(open=False)
    OpenItem.objects.using(using).all().delete()
    ChangedDocument.objects.using(using).all().delete()
    log_all_documents(using)
    while refresh_open_items(using, BACKLOG_ENTRIES):
        pass


def log_all_documents(using: str) -> None:
    """Log every document that may have rows."""
    pairs = Pair.objects.using(using).filter(**IN_ACTIVE_SCHEME)
    clusters = Cluster.objects.using(using).filter(**IN_ACTIVE_SCHEME)
    documents = {*pairs.values_list("a", flat=True).distinct(), *clusters.values_list("leader", flat=True)}
    log_changed_documents(documents, using)


def _chunks_of_families(documents: Sequence[int], using: str) -> Iterator[list[int]]:
    """Split documents into chunks for one lock each. Documents with groups in one template family stay
    together.

    All rows of a family are formed at once. Without this order that would be repeated for each chunk with a member.
    """
    memberships = Membership.objects.using(using).filter(**IN_ACTIVE_SCHEME)
    leader_of = _mapping(memberships.values_list("document", "cluster__leader"), documents, "document")
    members = FamilyMember.objects.using(using).filter(**IN_ACTIVE_SCHEME).order_by("-leader")
    nodes = {*documents, *leader_of.values()}
    family_of = _mapping(members.values_list("document", "leader"), nodes, "document")
    by_family: defaultdict[int, list[int]] = defaultdict(list)
    for document in documents:
        leader = leader_of.get(document, document)
        by_family[family_of.get(leader, leader)].append(document)
    chunk: list[int] = []
    for _, family in sorted(by_family.items()):
        chunk += family
        if len(chunk) >= DOCUMENTS_PER_LOCK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _mapping(
    rows: QuerySet[Any, tuple[int, Any]], documents: Iterable[int], column: str = "pk"
) -> dict[int, Any]:
    """Return the second value of rows by the first, for rows with one of the documents in the column."""
    chunks = filter_in_chunks(rows, column, sorted(documents))
    return {key: value for chunk in chunks for key, value in chunk}


def _refresh_documents(spaces: Collection[int], entries: Sequence[int], using: str) -> int:
    """Form the rows around the documents of the entries. Return how many entries stay."""
    with space_lock(spaces, using):
        log = filter_in_chunks(ChangedDocument.objects.using(using), "pk", entries)
        # Another process may have handled them while this one waited for the lock.
        left = dict(row for rows in log for row in rows.values_list("pk", "document"))
        documents = {*left.values()}
        if documents:
            _form_again(documents, using)
        # A post that was acted on is in no row until the worker has processed it, which logs nothing.
        rows = filter_in_chunks(Document.objects.using(using), "pk", sorted(documents))
        acted_on = {
            pk
            for chunk in rows
            for pk in chunk.filter(newer_action_condition("", using)).values_list("pk", flat=True)
        }
        handled = [pk for pk, document in left.items() if document not in acted_on]
        for chunk in filter_in_chunks(ChangedDocument.objects.using(using), "pk", handled):
            chunk.delete()
    return len(left) - len(handled)


def _form_again(documents: set[int], using: str) -> None:
    reader = PairReader(using)
    _mark_open_pairs(reader.ids_of(sorted(documents)), using)
    stored = _stored_items(using, "documents", documents)
    memberships = filter_in_chunks(
        Membership.objects.using(using).filter(**IN_ACTIVE_SCHEME).values_list("cluster", "cluster__leader"),
        "document",
        sorted(documents),
    )
    clusters, leaders = {item.number for item in stored if item.kind == Kind.CLUSTER}, {*documents}
    for cluster, leader in (row for chunk in memberships for row in chunk):
        clusters.add(cluster)
        leaders.add(leader)
    copiers, of_copiers = copiers_around(stored, clusters, using)
    stored += of_copiers
    clusters |= clusters_of_copies(of_copiers, using)
    touching = reader.read(pairs_to_review, with_copies(leaders, using))
    touching += reader.read(pairs_of_families, sorted(leaders))
    owners = {
        Owner(item.owner_id, item.of_family) for item in stored if item.kind not in KINDS_OF_CLUSTERS
    } | reader.owners_of(touching)
    new_rows = [*joined_copies(cluster_rows(clusters, reader)), *reader.rows_of(owners)]
    stored += _stored_items(using, "owner", {owner.document for owner in owners})
    stored += _stored_items(using, "number", {*clusters, *(row.item.number for row in new_rows)})
    outdated = [item for item in stored if _is_formed_again(item, owners, clusters, copiers)]
    _store(new_rows, stored, outdated, using)


def _is_formed_again(
    item: OpenItem, owners: Collection[Owner], clusters: Collection[int], copiers: Collection[Copier]
) -> bool:
    if item.kind == Kind.CLUSTER:
        return item.number in clusters
    if item.kind == Kind.COPIES:
        return Copier(item.space_id, item.copied_by) in copiers
    return Owner(item.owner_id, item.of_family) in owners


def _mark_open_pairs(ids: Sequence[int], using: str) -> None:
    for pairs in filter_in_chunks(Pair.objects.using(using), "pk", ids):
        waiting = {*open_pairs(pairs).order_by().values_list("pk", flat=True)}
        marked = {*pairs.filter(open=True).values_list("pk", flat=True)}
        for is_open, changed in ((True, waiting - marked), (False, marked - waiting)):
            Pair.objects.using(using).filter(pk__in=changed).update(open=is_open)


def _stored_items(using: str, column: str, documents: Collection[int]) -> list[OpenItem]:
    chunks = filter_in_chunks(OpenItem.objects.using(using).distinct(), column, sorted(documents))
    return [item for chunk in chunks for item in chunk]


def _store(
    rows: Sequence[Row], stored: Iterable[OpenItem], formed_again: Iterable[OpenItem], using: str
) -> None:
    """Store rows and delete the former ones. Equal rows are not written."""
    stored_items = {item.item_key: item for item in stored}
    outdated = {item.item_key: item.pk for item in formed_again}
    new, changed, documents_of = [], [], {}
    for row in rows:
        item = stored_items.get(row.item.item_key)
        outdated.pop(row.item.item_key, None)
        if item is None:
            new.append(row.item)
            item = row.item
        elif any(getattr(item, name) != getattr(row.item, name) for name in STORED_COLUMNS):
            row.item.pk = item.pk
            changed.append(row.item)
        documents_of[row.item.item_key] = item, row.documents
    items = OpenItem.objects.using(using)
    for chunk in filter_in_chunks(items, "pk", sorted(outdated.values())):
        chunk.delete()
    items.bulk_create(new, batch_size=100)
    items.bulk_update(changed, [name.removesuffix("_id") for name in STORED_COLUMNS], batch_size=50)
    _store_documents(documents_of.values(), using)


def _store_documents(documents_of: Iterable[tuple[OpenItem, set[int]]], using: str) -> None:
    links: Any = OpenItem.documents.through
    wanted = {(item.pk, document) for item, documents in documents_of for document in documents}
    present: dict[tuple[int, int], int] = {}
    rows = links.objects.using(using).values_list("openitem_id", "document_id", "pk")
    for chunk in filter_in_chunks(rows, "openitem", sorted({item for item, _ in wanted})):
        present |= {(item, document): pk for item, document, pk in chunk}
    for chunk in filter_in_chunks(
        links.objects.using(using), "pk", [pk for link, pk in present.items() if link not in wanted]
    ):
        chunk.delete()
    links.objects.using(using).bulk_create(
        (links(openitem_id=item, document_id=document) for item, document in sorted(wanted - present.keys())),
        batch_size=400,
    )

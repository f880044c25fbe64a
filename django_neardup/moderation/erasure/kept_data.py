"""What the app keeps of deleted posts, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from ...db.sql import filter_in_chunks
from ...models import (
    Contact,
    Decision,
    DecisionMember,
    Document,
    FamilyMember,
    Fingerprint,
    Hold,
    KeyChange,
    Membership,
    MovedUrl,
    OpenItem,
    Pair,
)
from ...pipeline.content_objects import content_type_of
from .post_rows import DeletedPost, PostRows


def document_ids_of_posts(posts: Iterable[DeletedPost], using: str) -> list[int]:
    """Return the ids of the documents of posts."""
    ids_by_model: dict[Any, list[str]] = {}
    for post in posts:
        ids_by_model.setdefault(post.model, []).append(post.object_id)
    ids: list[int] = []
    for model, object_ids in ids_by_model.items():
        documents = Document.objects.using(using).filter(content_type=content_type_of(model, using))
        for rows in filter_in_chunks(documents.values_list("pk", flat=True), "object_id", object_ids):
            ids += rows
    return ids


def derived_rows(documents: Sequence[int], using: str) -> dict[str, QuerySet[Any]]:
    """Return the rows about documents that hold or derive something of their posts, by kind.

    At most ``PORTION`` documents: a statement names each of them twice.
    """
    pairs = Pair.objects.using(using).filter(Q(a__in=documents) | Q(b__in=documents))
    families = FamilyMember.objects.using(using)
    decisions = Decision.objects.using(using).filter(members__document__in=documents)
    return {
        "fingerprint": Fingerprint.objects.using(using).filter(document__in=documents),
        "changes for the key index": KeyChange.objects.using(using).filter(document__in=documents),
        "contacts": Contact.objects.using(using).filter(document__in=documents),
        "pairs": pairs,
        "group": Membership.objects.using(using).filter(document__in=documents),
        "template family": families.filter(Q(document__in=documents) | Q(leader__in=documents)),
        "hold": Hold.objects.using(using).filter(document__in=documents),
        "rows of the review queue": OpenItem.objects.using(using).filter(
            Q(owner__in=documents) | Q(documents__in=documents)
        ),
        "notes of decisions": decisions.exclude(note=""),
        "digests in decisions": DecisionMember.objects.using(using)
        .filter(document__in=documents)
        .exclude(digest=""),
        "author or former texts": Document.objects.using(using).filter(
            ~Q(author="") | Q(former_texts__isnull=False) | Q(unaligned__isnull=False), pk__in=documents
        ),
    }


def own_addresses(rows: PostRows) -> list[MovedUrl]:
    """Return the old addresses of posts."""
    chunks = filter_in_chunks(MovedUrl.objects.using(rows.using), "record", rows.own_record_ids)
    return [entry for chunk in chunks for entry in chunk]

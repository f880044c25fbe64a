"""What the app keeps of an author: found by the author's key, as ``Adapter.author`` returns it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import ForeignKey, Q

from ...adapters import Adapter, adapters_of, registered_adapters
from ...db.sql import filter_in_chunks
from ...models import Decision, Document, Hold, MergeRecord, MovedUrl, OpenItem, Pair
from ...pipeline.record_keys import loser_id_for_model
from ..admin_log import lines_with_names
from ..dependencies import ReferenceTarget
from ..journal.serialization import serialize_value
from ..relations import concrete_model, rows_of
from .post_rows import DeletedPost, PostRows

logger = logging.getLogger(__name__)

DOCUMENT_COLUMNS = (
    "state", "reason", "live", "author", "created", "text_since", "forget_at", "repeats_exactly",
)  # fmt: skip


def posts_of_author(author: str, using: str) -> list[DeletedPost]:
    """Return the posts that documents or merge records attribute to an author, deleted or not.

    Posts of models without an adapter are left out.
    """
    documents = Document.objects.using(using).filter(author=author)
    records = MergeRecord.objects.using(using).filter(author=author)
    posts = {
        *(_post(row.content_type, row.object_id) for row in documents.select_related("content_type")),
        *(_post_of_record(record) for record in records.select_related("loser_type")),
    }
    return sorted((post for post in posts if post is not None), key=str)


def deleted_accounts(author: str, using: str) -> list[ReferenceTarget]:
    """Return the rows that the posts' columns for the author point at with this key, if they are deleted."""
    accounts = []
    for adapter in registered_adapters().values():
        for field in adapter.model._meta.concrete_fields:
            if isinstance(field, ForeignKey) and (key := _account_key(adapter, field, author)) is not None:
                model, name = concrete_model(field.target_field.model), field.target_field.attname
                if not rows_of(model, using).filter(**{name: key}).exists():
                    accounts.append((model, name, serialize_value(field.target_field, key)))
    return accounts


def _account_key(adapter: Adapter, field: Any, author: str) -> Any:
    """Return the author's key if the adapter takes it from this column. Return None otherwise."""
    try:
        key = field.target_field.to_python(author)
        return key if str(adapter.author(adapter.model(**{field.attname: key}))) == author else None
    except Exception as error:  # code of the site, which may read what a new post does not have
        logger.info(
            "neardup: the author of %s cannot be read from %s: %s",
            adapter.model,
            field.name,
            type(error).__name__,
        )
        return None


def rows_with_author(author: str, using: str) -> dict[str, int]:
    """Return how many rows still hold an author's key, by kind. Kinds without rows are left out."""
    counts = {
        "documents": Document.objects.using(using).filter(author=author).count(),
        "merge records": MergeRecord.objects.using(using).filter(author=author).count(),
        "rows of the review queue": OpenItem.objects.using(using).filter(copied_by=author).count(),
    }
    return {kind: count for kind, count in counts.items() if count}


def author_data(author: str, using: str) -> dict[str, list[dict[str, Any]]]:
    """Return everything that the app keeps of an author in a database, as plain values by kind."""
    posts = posts_of_author(author, using)
    rows = PostRows(posts, using)
    of_author = Document.objects.using(using).filter(author=author)
    documents = {document.pk: document for document in of_author.select_related("content_type")}
    own_ids = of_author.values("pk")
    pairs = Pair.objects.using(using).filter(Q(a__in=own_ids) | Q(b__in=own_ids)).order_by("pk")
    decisions = Decision.objects.using(using).filter(members__document__in=own_ids).distinct()
    holds = Hold.objects.using(using).filter(document__in=own_ids).order_by("pk")
    of_author_records = MergeRecord.objects.using(using).filter(author=author).select_related("loser_type")
    records = {record.pk: record for record in [*of_author_records, *rows.own_records]}
    chunks = filter_in_chunks(MovedUrl.objects.using(using), "record", records)
    addresses = sorted((entry for chunk in chunks for entry in chunk), key=attrgetter("pk"))
    names = {pk: str(document) for pk, document in documents.items()}
    return {
        "documents": [_document_data(document) for _pk, document in sorted(documents.items())],
        "pairs": [
            {
                "posts": [names.get(pair.a_id, ""), names.get(pair.b_id, "")],
                **_values(pair, "verdict", "score", "classes", "evidence", "found"),
            }
            for pair in pairs
        ],
        "decisions": [
            _values(decision, "kind", "note", "by_name", "created", "withdrawn", "withdrawn_by")
            for decision in decisions.order_by("pk")
        ],
        "holds": [
            {
                "post": names[hold.document_id],
                **_values(hold, "state", "verdict", "exact", "own", "trust", "created"),
            }
            for hold in holds
        ],
        "merge_records": [
            {
                "post": f"{record.loser_type.app_label}.{record.loser_type.model} {record.loser_id}",
                **_values(
                    record, "action", "loser_text", "keeper_text", "author", "by_name", "created", "undone",
                    "undone_by", "emptied", "journal",
                ),
            }
            for _pk, record in sorted(records.items())
        ],
        "old_addresses": [_values(entry, "path", "created") for entry in addresses],
        "admin_log": [
            _values(line, "object_repr", "change_message", "action_time")
            for line in sorted(lines_with_names(rows.objects), key=attrgetter("pk"))
        ],
    }  # fmt: skip


def _document_data(document: Document) -> dict[str, Any]:
    fingerprints = document.fingerprints.order_by("scheme")
    return {
        "post": str(document),
        **_values(document, *DOCUMENT_COLUMNS),
        "fingerprints": [_values(row, "scheme_id", "word_count", "codes") for row in fingerprints],
        "contacts": document.contacts.count(),
    }


def _values(row: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _post(content_type: ContentType, object_id: str) -> DeletedPost | None:
    for adapter in _adapters(content_type):
        return DeletedPost(adapter.model, object_id)
    return None


def _post_of_record(record: MergeRecord) -> DeletedPost | None:
    for adapter in _adapters(record.loser_type):
        return DeletedPost(adapter.model, loser_id_for_model(record, adapter.model))
    return None


def _adapters(content_type: ContentType) -> Iterable[Any]:
    model = content_type.model_class()
    return adapters_of(model)[:1] if model is not None else []

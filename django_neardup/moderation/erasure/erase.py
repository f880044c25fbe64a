"""The erasure of deleted posts in one database: planned first, then done, then looked for again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db import router

from ...adapters import adapter_for
from ...conf import get_site_settings
from ...db.chunks import chunked
from ...db.sql import filter_in_chunks
from ...exceptions import IndexUnavailable
from ...index import ship_all
from ...models import Decision, DecisionMember, Document, Hold, MergeRecord, MovedUrl, OpenItem, UndoProof
from ...pipeline import call_with_retries, canonical_id
from ...pipeline.content_objects import content_type_of
from ...pipeline.deleted_posts import erase_now
from ...pipeline.locks import write_transaction
from ...pipeline.open_items import log_changed_documents
from ...pipeline.text_cache import forget_texts
from ...pipeline.work_queue import lease_row
from ...pipeline.worker import process_batch
from ...signals import addresses_changed
from .. import addresses
from ..admin_log import erase_names, lines_with_names
from ..dependencies import ReferenceTarget
from ..journal.serialization import find_model
from ..journal.stored_posts import post_from_journal
from ..relations import PORTION, ModelType
from ..url_paths import single_post_path
from .journal_cleaning import JournalCleaning, LostValue
from .kept_data import derived_rows, document_ids_of_posts, own_addresses
from .post_rows import DeletedPost, PostRows, object_of


@dataclass
class ErasurePlan:
    """What an erasure of posts would do in one database. Planning changes nothing.

    - ``kinds``: what is kept of the posts. Empty if there is nothing to erase.
    - ``record_ids``: the merge records with words of the posts.
    - ``last_undos``: records of the posts that can be undone now, and cannot afterwards.
    - ``losses``: what the undo of other posts' records does not restore afterwards.
    """

    posts: Sequence[DeletedPost]
    using: str
    cleaning: JournalCleaning
    kinds: list[str]
    record_ids: list[int]
    losses: list[LostValue]

    @property
    def last_undos(self) -> list[MergeRecord]:
        records = self.cleaning.posts.own_records
        return [record for record in records if record.undone is None and record.emptied is None]


def erase(model: ModelType, key: Any, using: str | None = None) -> list[str]:
    """Erase everything that the app keeps of a deleted post. Its merge records cannot be undone afterwards.

    Never call it inside a transaction. Return what is left, for example because a worker is processing the post:
    an empty list if nothing is.
    Raise ValueError if the post still exists, and NotRegistered if its model has no adapter.
    """
    post = deleted_post(model, key)
    using = using or router.db_for_write(post.model)
    if is_there(post, using):
        raise ValueError(f"{post} is not deleted: delete it first.")
    return erase_posts(plan_erasure([post], using))


def deleted_post(model: ModelType, key: Any) -> DeletedPost:
    """Return a post by a model and a key. Raise NotRegistered if the model has no adapter."""
    adapter_model = adapter_for(model).model
    return DeletedPost(adapter_model, canonical_id(adapter_model._meta.pk.to_python(key)))


def is_there(post: DeletedPost, using: str) -> bool:
    """Return whether a post still exists."""
    key = post.model._meta.pk.to_python(post.object_id)
    return post.model._base_manager.using(using).filter(pk=key).exists()


def plan_erasure(
    posts: Sequence[DeletedPost], using: str, accounts: Iterable[ReferenceTarget] = ()
) -> ErasurePlan:
    """Plan the erasure of deleted posts. This reads every merge record of the database.

    ``accounts``: deleted rows of authors. Rows that pointed at them go, too.
    """
    rows = PostRows(posts, using, accounts)
    cleaning = JournalCleaning(rows, [entry.path for entry in own_addresses(rows)])
    documents = document_ids_of_posts(posts, using)
    record_ids = list(_records_with_words(cleaning, using))
    losses = list(dict.fromkeys(cleaning.losses))
    return ErasurePlan(posts, using, cleaning, _kinds(documents, cleaning, record_ids), record_ids, losses)


def erase_posts(plan: ErasurePlan) -> list[str]:
    """Carry out an erasure. Return what is left of the posts, in words."""
    using, rows = plan.using, plan.cleaning.posts
    for post in plan.posts:
        erase_now(post.model, post.object_id, using)
    documents = document_ids_of_posts(plan.posts, using)
    for document in documents:
        _process(document, using)
    for portion in chunked(documents, PORTION):
        call_with_retries(_erase_derived_rows, portion, using)
    # An index outside the database still has their keys, and may have their words.
    with suppress(IndexUnavailable):
        ship_all(using)
    _erase_addresses(plan.cleaning)
    for pk in plan.record_ids:
        call_with_retries(_clean_record, pk, plan.cleaning, using)
    _forget_proofs(rows)
    erase_names(_lines_with_words(plan.cleaning))
    forget_texts()
    record_ids = list(_records_with_words(plan.cleaning, using))
    kinds = _kinds(documents, plan.cleaning, record_ids)
    names = ", ".join(map(str, plan.posts[:10])) + (" …" if len(plan.posts) > 10 else "")
    return [f"{names}: {', '.join(kinds)} remain in the database {using!r}."] if kinds else []


def _kinds(documents: Sequence[int], cleaning: JournalCleaning, record_ids: Sequence[int]) -> list[str]:
    """Return the kinds of data that are kept of the posts. ``record_ids``: the merge records with words of them."""
    others = {
        "merge records": record_ids,
        "old addresses": _addresses_with_words(cleaning),
        "lines of the admin's log": _lines_with_words(cleaning),
    }
    kinds = {
        kind: None
        for portion in chunked(documents, PORTION)
        for kind, rows in derived_rows(portion, cleaning.posts.using).items()
        if rows.exists()
    }
    return [*kinds, *(kind for kind, kept in others.items() if kept)]


def _lines_with_words(cleaning: JournalCleaning) -> list[Any]:
    """Return our lines of the admin's log that name the posts, or name other posts with copied words."""
    holders = {object_of(row_id) for row_id in cleaning.copy_holders if find_model(row_id[0]) is not None}
    named = lines_with_names(cleaning.posts.objects)
    return named + [
        line
        for line in lines_with_names(holders - cleaning.posts.objects)
        if not cleaning.without_copied_words(line.object_repr)
    ]


def _addresses_with_words(cleaning: JournalCleaning) -> list[int]:
    """Return the old addresses of the posts, and those of other posts that they had because of copied values."""
    using = cleaning.posts.using
    entries = [entry.pk for entry in own_addresses(cleaning.posts)]
    records = MergeRecord.objects.using(using).select_related("loser_type", "keeper_type")
    chunks = filter_in_chunks(records, "pk", cleaning.copied_post_ids)
    for record in (record for chunk in chunks for record in chunk):
        cleaning.clean(record)
        post = post_from_journal(record)
        urls = addresses.public_urls(post) if post is not None else []
        own_paths = {single_post_path(url) for url in urls}
        entries += [entry.pk for entry in record.moved_urls.using(using) if entry.path not in own_paths]
    return entries


def _records_with_words(cleaning: JournalCleaning, using: str) -> Iterator[int]:
    """Yield the records with words of the posts. What the cleaning changes in them is not saved."""
    records = MergeRecord.objects.using(using).select_related("keeper_type").order_by("pk")
    last_pk = 0
    # In portions: a driver may read all rows of a query at once, and journals are large.
    while portion := list(records.filter(pk__gt=last_pk)[:PORTION]):
        last_pk = portion[-1].pk
        yield from (record.pk for record in portion if cleaning.clean(record))


def _process(document: int, using: str) -> None:
    """Process the document of a deleted post: its pairs and its place in a group go."""
    row = lease_row(Document, document, using, get_site_settings().lease_seconds)
    if row is not None:
        process_batch([row], using)


def _erase_derived_rows(documents: Sequence[int], using: str) -> None:
    with write_transaction(using):
        rows = derived_rows(documents, using)
        items = list(rows["rows of the review queue"].values_list("pk", flat=True).distinct())
        links = OpenItem.documents.through._default_manager.using(using).values_list("document", flat=True)
        others = [other for rows in filter_in_chunks(links, "openitem", items) for other in rows]
        log_changed_documents([*others, *documents], using)
        for chunk in filter_in_chunks(OpenItem.objects.using(using), "pk", items):
            chunk.delete()
        Hold.objects.using(using).filter(document__in=documents).delete()
        for decision in Decision.objects.using(using).filter(members__document__in=documents).distinct():
            decision.note = ""
            decision.known = {
                pair: known
                for pair, known in decision.known.items()
                if not {*map(int, pair.split("-"))} & {*documents}
            }
            decision.save(using=using, update_fields=["note", "known"])
        DecisionMember.objects.using(using).filter(document__in=documents).update(digest="")


def _erase_addresses(cleaning: JournalCleaning) -> None:
    """Delete the old addresses of the posts. The receivers of ``seo`` delete their redirects with them."""
    rows = cleaning.posts
    for chunk in filter_in_chunks(MovedUrl.objects.using(rows.using), "pk", _addresses_with_words(cleaning)):
        chunk.delete()
    # Redirects of other posts' addresses may still lead to the address of an erased post.
    for content_type, object_id in rows.object_keys:
        entries = MovedUrl.objects.using(rows.using).filter(content_type=content_type, object_id=object_id)
        for entry in entries.exclude(record=None).select_related("record__loser_type"):
            addresses_changed.send(MovedUrl, paths=[entry.path], record=entry.record, using=rows.using)


def _clean_record(pk: int, cleaning: JournalCleaning, using: str) -> None:
    with write_transaction(using):
        # An undo may have amended the journal since the plan.
        for record in MergeRecord.objects.using(using).filter(pk=pk).select_for_update():
            if cleaning.clean(record):
                record.save(
                    using=using,
                    update_fields=["journal", "loser_text", "keeper_text", "author", "left", "emptied"],
                )


def _forget_proofs(rows: PostRows) -> None:
    """Forget why undos of such posts were refused: the sentences may name a post."""
    types = {content_type_of(model, rows.using).pk for model, _object_id in rows.objects}
    UndoProof.objects.using(rows.using).filter(content_type__in=types).update(reasons=[])

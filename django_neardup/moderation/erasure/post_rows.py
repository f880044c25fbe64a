"""The rows of erased posts, as journals, keepers of records and the admin's log name them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType

from ...models import MergeRecord
from ...pipeline import canonical_id
from ...pipeline.emptied_journals import own_rows_of
from ...pipeline.record_queries import records_of_posts_q
from ...querysets import pk_field
from ..dependencies import ReferenceTarget, offered_targets, referenced_targets
from ..journal.record_chains import model_family
from ..journal.serialization import RowId, deserialize_key, find_model, row_id_of, serialize_key, stored_key
from ..relations import ModelType, concrete_model, models_of_table

StoredRow = dict[str, Any]


class DeletedPost(NamedTuple):
    """A deleted post: the model of its adapter, and its canonical id."""

    model: ModelType
    object_id: str

    def __str__(self) -> str:
        return f"{self.model._meta.label} {self.object_id}"


class PostRows:
    """The rows of deleted posts in all their tables, and the records of these posts.

    ``objects`` are the posts by every model under which a record, a generic reference or the admin's log may
    name them. ``accounts``: deleted rows of authors. What pointed at them can no longer come back.
    """

    def __init__(
        self, posts: Collection[DeletedPost], using: str, accounts: Iterable[ReferenceTarget] = ()
    ) -> None:
        self.using = using
        self.own_records = list(_records_of(posts, using))
        self.row_ids: set[RowId] = {row_id for post in posts for row_id in _row_ids_of(post)}
        self.row_ids |= {row_id_of(row) for record in self.own_records for row in own_rows_of(record.journal)}
        self.row_ids = {row_id for row_id in self.row_ids if find_model(row_id[0]) is not None}
        self.objects = {object_of(row_id) for row_id in self.row_ids}
        content_types = ContentType.objects.db_manager(using)
        self.object_keys = {
            (content_types.get_for_model(model, for_concrete_model=False).pk, object_id)
            for row_model, object_id in self.objects
            for model in models_of_table(row_model)
        }
        self.targets: set[ReferenceTarget] = {
            target
            for label, key in self.row_ids
            for target in offered_targets({"model": label, "pk": stored_key(key), "fields": {}})
        } | {*accounts}

    @property
    def own_record_ids(self) -> set[int]:
        return {record.pk for record in self.own_records}

    def is_keeper_of(self, record: MergeRecord) -> bool:
        """Return whether one of the posts is the keeper of a record."""
        return (record.keeper_type_id, record.keeper_id) in self.object_keys

    def rows_in(self, rows: Iterable[StoredRow], kept_ids: Collection[RowId]) -> set[RowId]:
        """Return the ids of the posts' rows among stored rows, and of all rows that depend on them.

        The rows of ``kept_ids`` belong to another post. They are never among them.
        """
        rows_by_id = {
            row_id_of(row): row
            for row in rows
            if row_id_of(row) not in kept_ids and find_model(row["model"]) is not None
        }
        targets, result = set(self.targets), self.row_ids & rows_by_id.keys()
        pending = set(result)
        while True:
            targets |= {target for row_id in pending for target in offered_targets(rows_by_id[row_id])}
            pending = {
                row_id
                for row_id, row in rows_by_id.items()
                if row_id not in result
                and (targets & {target for _name, target in referenced_targets(row)} or self._is_about(row))
            }
            if not pending:
                return result
            result |= pending

    def _is_about(self, row: Mapping[str, Any]) -> bool:
        """Return whether a stored row has a generic reference to one of the posts."""
        model, fields = find_model(row["model"]), row["fields"]
        return model is not None and any(
            (fields.get(reference.ct_field), str(fields.get(reference.fk_field))) in self.object_keys
            for reference in model._meta.private_fields
            if isinstance(reference, GenericForeignKey)
        )


def _records_of(posts: Iterable[DeletedPost], using: str) -> Iterable[MergeRecord]:
    """Yield the records of the posts, also undone ones."""
    ids_by_model: dict[ModelType, list[str]] = {}
    for post in posts:
        ids_by_model.setdefault(post.model, []).append(post.object_id)
    for model, object_ids in ids_by_model.items():
        for start in range(0, len(object_ids), 100):
            condition = records_of_posts_q(model, object_ids[start : start + 100], using)
            records = MergeRecord.objects.using(using).filter(condition)
            yield from records.select_related("loser_type", "keeper_type").order_by("pk")


def _row_ids_of(post: DeletedPost) -> Iterable[RowId]:
    """Yield the ids of the post's rows in all tables in which it has the same key."""
    key = post.model._meta.pk.to_python(post.object_id)
    for model in model_family(post.model):
        if pk_field(model) == pk_field(post.model):
            yield concrete_model(model)._meta.label_lower, serialize_key(post.model, key)


def object_of(row_id: RowId) -> tuple[ModelType, str]:
    """Return the model and the canonical id of a row of a model that the site has."""
    model = find_model(row_id[0])
    assert model is not None
    return model, canonical_id(deserialize_key(model, stored_key(row_id[1])))

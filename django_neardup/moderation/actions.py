"""Merge, hide and delete: all or nothing, in one transaction under the spaces' locks, with a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from ..adapters import adapter_for, adapters_of
from ..db.transactions import call_after_commit
from ..exceptions import Conflict, MergeRefused, UndoIsInexact
from ..models import Cluster, MergeRecord, UndoProof
from ..pipeline import call_with_retries, documents_of
from ..pipeline.content_objects import pk_of
from ..pipeline.open_items import log_changed_documents, log_changed_posts
from ..querysets import existing_pks
from ..signals import post_merge, pre_merge
from . import addresses, admin_log
from .cascade import collect_cascade
from .journal.side_effects import journal_side_effects
from .journal.statement_watch import StatementWatch, watch_statements
from .journal.write import (
    ActionContext,
    create_delete_records,
    create_hide_records,
    create_merge_records,
)
from .locked_transaction import locked_transaction
from .package_data import drop_cached_texts, keys_of_posts, refresh
from .plan import MergePlan, plan_merge
from .proof import prove_undo, remember_outcome
from .refusals import check_refused_relations
from .relation_rules import AcceptedLoss, ignored_models
from .relations import ModelType, describe_object, rows_by_model, rows_of, short_name
from .row_updates import load_as_shared_model, move_rows, remove_rows, save_taken_values
from .sums import add_sums, recount
from .trees import check_leaves, move_children


def merge(
    keeper: models.Model,
    losers: Sequence[models.Model],
    context: ActionContext,
    values: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> list[MergeRecord]:
    """Move all references from the losers to the keeper, then delete the losers by their own ``delete()``.

    ``values`` maps columns to the primary keys of the posts with the values that the keeper takes. In other
    columns the keeper's value stays. If it is empty, it is filled if the losers agree. ``choices`` are the
    decisions on conflicts, by their keys. Return one record for each loser.

    Raise MergeRefused if the merge would break a rule of the database or lose data, if a decision is
    missing, or if a listener of ``pre_merge`` refuses. Raise Conflict if an object is gone or the case has
    changed. In both cases nothing changes.
    """
    with _remembering_refusals([keeper], context.using):
        return call_with_retries(_merge, keeper, losers, context, values, choices)


def hide(instances: Sequence[models.Model], context: ActionContext) -> list[MergeRecord]:
    """Unpublish each object by its adapter. Raise MergeRefused if an adapter cannot."""
    with _remembering_refusals(instances, context.using):
        return call_with_retries(_hide, instances, context)


def delete(
    instances: Sequence[models.Model],
    context: ActionContext,
    keeper: models.Model | None = None,
    redirects: bool = True,
) -> list[MergeRecord]:
    """Delete the objects by their own ``delete()``.

    Their addresses redirect to the keeper. If there is none, or if ``redirects`` is False, they are gone (410).

    Raise MergeRefused if one is protected, or if the keeper would be deleted with it.
    """
    with _remembering_refusals(instances, context.using):
        return call_with_retries(_delete, instances, context, keeper, redirects)


@contextmanager
def _remembering_refusals(posts: Sequence[models.Model], using: str) -> Iterator[None]:
    """Store that a proof has failed, after the action was rolled back."""
    try:
        yield
    except UndoIsInexact as error:
        remember_outcome(type(posts[0]), UndoProof.Outcome.REFUSED, error.reasons[1:], using)
        raise


def _merge(
    keeper: models.Model,
    losers: Sequence[models.Model],
    context: ActionContext,
    values: Mapping[str, Any] | None,
    choices: Mapping[str, str] | None,
) -> list[MergeRecord]:
    with _action_transaction([keeper, *losers], context) as fresh:
        fresh_losers = [fresh(loser) for loser in dict.fromkeys(losers)]
        plan = plan_merge(fresh(keeper), fresh_losers, context.using, values, choices)
        if plan.reasons:
            raise MergeRefused(plan.reasons)
        urls_by_loser = [addresses.public_urls(loser) for loser in plan.losers]
        records = create_merge_records(plan, context)
        with watch_statements(context.using, ignored_models([plan.keeper])) as watch:
            # What a receiver changes is part of the merge, so an undo takes it back.
            pre_merge.send(
                type(plan.keeper), keeper=plan.keeper, losers=plan.losers, plan=plan, using=context.using
            )
            _log_merge(plan, context)
            _apply_plan(plan, watch)
            # ``delete()`` and ``save()`` of the models may have done more than was planned.
            journal_side_effects(records, watch)
            for urls, record in zip(urls_by_loser, records, strict=True):
                addresses.redirect_to_keeper(urls, plan.keeper, record, context.using)
            prove_undo(records, watch, context, AcceptedLoss([plan.keeper]))
        for loser, record in zip(plan.losers, records, strict=True):
            _announce_merge(plan.keeper, loser, record, context.using)
    return records


def _apply_plan(plan: MergePlan, watch: StatementWatch) -> None:
    remove_rows(plan, watch)
    move_rows(plan)
    shared_models = set(rows_by_model(plan.keeper, plan.using))
    for watch.post_number, loser in enumerate(plan.losers):
        move_children(loser, plan.keeper, plan.using)
        _delete_post(load_as_shared_model(loser, shared_models, plan.using))
    add_sums(plan.sums, plan.using)
    # Other values that a ``save()`` sets are undone with the first value for which it was called.
    watch.post_number = min((value.loser_index for value in plan.taken_values), default=0)
    save_taken_values(plan)
    recount([plan.keeper, *plan.losers], plan.using)
    refresh(_changed_keys(plan), plan.using)
    drop_cached_texts([plan.keeper, *plan.losers], plan.using)


def _changed_keys(plan: MergePlan) -> dict[ModelType, list[Any]]:
    """Return the keys of the keeper and of the rows that have moved, by model."""
    keys = keys_of_posts([plan.keeper], plan.using)
    for move in plan.moves:
        key = move.new_value if move.reference.is_primary_key else move.pk
        keys.setdefault(move.reference.model, []).append(key)
    return keys


def _hide(instances: Sequence[models.Model], context: ActionContext) -> list[MergeRecord]:
    with _action_transaction(instances, context) as fresh:
        posts = [fresh(post) for post in instances]
        records = create_hide_records(posts, context, _live_posts(posts, context.using))
        admin_log.write_admin_log(context.user, posts, _("Hidden as a near-duplicate."), context.using)
        with watch_statements(context.using, ignored_models(posts)) as watch:
            for watch.post_number, post in enumerate(posts):
                adapter_for(post).hide(post)
            prove_undo(records, watch, context, AcceptedLoss(posts))
    return records


def _live_posts(posts: Sequence[models.Model], using: str) -> set[models.Model]:
    """Return the posts that are in ``live()`` of their adapters."""
    live_posts: set[models.Model] = set()
    for adapter in dict.fromkeys(map(adapter_for, posts)):
        posts_by_key = {pk_of(post, adapter.model): post for post in posts if adapter_for(post) is adapter}
        live_posts |= {posts_by_key[key] for key in existing_pks(adapter.live(), posts_by_key, using)}
    return live_posts


def _delete(
    instances: Sequence[models.Model], context: ActionContext, keeper: models.Model | None, redirects: bool
) -> list[MergeRecord]:
    with _action_transaction([*instances, *([keeper] if keeper else [])], context) as fresh:
        posts = [fresh(post) for post in instances]
        if refusals := [*check_refused_relations(posts, context.using), *check_leaves(posts)]:
            raise MergeRefused(refusals)
        cascades = {post: collect_cascade([post], context.using) for post in posts}
        if keeper is not None and any(keeper in cascade.deleted_rows for cascade in cascades.values()):
            raise MergeRefused(
                [_("%(keeper)s would be deleted with its duplicates.") % {"keeper": describe_object(keeper)}]
            )
        urls_by_post = [addresses.public_urls(post) for post in posts]
        twin = keeper if redirects else None
        records = create_delete_records(posts, context, cascades, twin)
        admin_log.write_admin_log(
            context.user, posts, _("Deleted as a near-duplicate."), context.using, is_deletion=True
        )
        with watch_statements(context.using, ignored_models(posts)) as watch:
            for watch.post_number, post in enumerate(posts):
                # An earlier deletion may have cascaded to this post.
                if rows_of(type(post), context.using).filter(pk=post.pk).exists():
                    _delete_post(post)
            recount(posts, context.using)
            drop_cached_texts(posts, context.using)
            journal_side_effects(records, watch)
            for urls, record in zip(urls_by_post, records, strict=True):
                if twin is None:
                    addresses.mark_gone(urls, record, context.using)
                else:
                    addresses.redirect_to_keeper(urls, twin, record, context.using)
            prove_undo(records, watch, context, AcceptedLoss(posts))
    return records


@contextmanager
def _action_transaction(
    instances: Sequence[models.Model], context: ActionContext
) -> Iterator[Callable[[models.Model], models.Model]]:
    """Lock the spaces and the objects, and yield a function that returns the current state of an object.

    Any error rolls everything back.
    """
    with locked_transaction(_spaces(instances, context.using), context.using):
        fresh = _lock_posts(instances, context.using)
        if context.check_unchanged is not None:
            context.check_unchanged()
        # Here the posts still have their keys. The rows of the queue are formed after the commit.
        log_changed_posts(instances, context.using)
        yield fresh
        if context.resolves_cluster and context.cluster_id is not None:
            clusters = Cluster.objects.using(context.using).filter(pk=context.cluster_id)
            log_changed_documents(clusters.values_list("leader", flat=True), context.using)
            clusters.update(state=Cluster.State.RESOLVED)


def _spaces(instances: Iterable[models.Model], using: str) -> set[int]:
    registered = [instance for instance in instances if adapters_of(instance)]
    return {
        document.space_id
        for document in documents_of(registered, using).values()
        if document.space_id is not None
    }


def _lock_posts(instances: Sequence[models.Model], using: str) -> Callable[[models.Model], models.Model]:
    """Lock the rows of the objects in the order of their keys.

    Return a function from an object to its current state. Raise Conflict if an object is gone.
    """
    fresh_objects: dict[models.Model, models.Model] = {}
    for model in dict.fromkeys(type(instance) for instance in instances):
        keys = sorted({instance.pk for instance in instances if type(instance) is model})
        rows = rows_of(model, using).filter(pk__in=keys).select_for_update().order_by("pk")
        fresh_objects |= {row: row for row in rows}
    missing = [instance for instance in instances if instance not in fresh_objects]
    if missing:
        raise Conflict(_("Already deleted: %(what)s.") % {"what": ", ".join(map(short_name, missing))})
    return fresh_objects.__getitem__


def _delete_post(instance: models.Model) -> None:
    key = instance.pk
    for adapter in adapters_of(instance)[:1]:
        adapter.before_delete(instance)
    instance.delete()
    # ``delete()`` clears the key, and listeners of ``post_merge`` get the post with its former key.
    instance.pk = key


def _announce_merge(keeper: models.Model, loser: models.Model, record: MergeRecord, using: str) -> None:
    arguments = {"keeper": keeper, "loser": loser, "record": record, "using": using}
    call_after_commit(using, post_merge.send_robust, sender=type(keeper), **arguments)
    for adapter in adapters_of(keeper)[:1]:
        call_after_commit(using, adapter.merged, loser, keeper, record)


def _log_merge(plan: MergePlan, context: ActionContext) -> None:
    keeper_name = admin_log.number_in_message(plan.keeper._meta.verbose_name, plan.keeper.pk)
    for loser in plan.losers:
        message = _("Merged into %(keeper)s as a near-duplicate.") % {"keeper": keeper_name}
        admin_log.write_admin_log(context.user, [loser], message, context.using, is_deletion=True)
    names = ", ".join(
        admin_log.number_in_message(loser._meta.verbose_name, loser.pk) for loser in plan.losers
    )
    admin_log.write_admin_log(
        context.user,
        [plan.keeper],
        _("Merged with near-duplicates: %(losers)s.") % {"losers": names},
        context.using,
    )

"""Merge, hide, delete: all or nothing, in one transaction under the space's lock, with a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from ..adapters import adapter_for, adapters_of
from ..exceptions import Conflict, MergeRefused
from ..models import Cluster, MergeRecord
from ..narrowing import keys_in
from ..pipeline import documents_of, retrying
from ..pipeline.committing import after_commit
from ..pipeline.objects import key_of
from ..signals import post_merge, pre_merge
from . import addresses, history
from .cascade import falling
from .journal import Case, record_delete, record_hide, record_merge
from .moving import deepest, drop_rows, move_rows, put_values
from .noting import note
from .plan import Plan, make_plan
from .relations import faces, named, rows_of
from .whole import whole


def merge(
    keeper: models.Model,
    losers: Sequence[models.Model],
    case: Case,
    values: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> list[MergeRecord]:
    """Let the keeper inherit all that points at the losers, then delete these by their own ``delete()``.

    ``values``, by column, are the primary keys of the posts whose value the keeper takes. Where none is named its own
    stays; an empty one is filled where the others agree. ``choices``: what was decided of each clash, by its key.
    ``MergeRefused`` where that would break a rule of the database or lose data, where a decision is wanting or a
    listener of ``pre_merge`` refuses, ``Conflict`` where an object is gone or the case has changed; nothing is
    changed then.
    """
    return retrying(_merge, keeper, losers, case, values, choices)


def hide(instances: Sequence[models.Model], case: Case) -> list[MergeRecord]:
    """Take the objects from publication, each by its adapter; ``MergeRefused`` where an adapter cannot."""
    return retrying(_hide, instances, case)


def delete(
    instances: Sequence[models.Model], case: Case, keep: models.Model | None = None
) -> list[MergeRecord]:
    """Delete the objects by their own ``delete()``.

    ``MergeRefused`` where one is protected, or would take ``keep`` with it.
    """
    return retrying(_delete, instances, case, keep)


def _merge(
    keeper: models.Model,
    losers: Sequence[models.Model],
    case: Case,
    values: Mapping[str, Any] | None,
    choices: Mapping[str, str] | None,
) -> list[MergeRecord]:
    with _transaction([keeper, *losers], case) as fresh:
        ours = [fresh(loser) for loser in dict.fromkeys(losers)]
        plan = make_plan(fresh(keeper), ours, case.using, values, choices)
        if plan.reasons:
            raise MergeRefused(plan.reasons)
        pre_merge.send(type(plan.keeper), keeper=plan.keeper, losers=plan.losers, plan=plan, using=case.using)
        paths = [addresses.of(loser) for loser in plan.losers]
        records = record_merge(plan, case)
        _log_merge(plan, case)
        drop_rows(plan)
        move_rows(plan)
        shared = set(faces(plan.keeper, case.using))
        for loser in plan.losers:
            _delete_one(deepest(loser, shared, case.using))
        put_values(plan)
        note(records, case.using)
        for loser, old, record in zip(plan.losers, paths, records, strict=True):
            addresses.move(old, plan.keeper, record, case.using)
            _tell(plan.keeper, loser, record, case.using)
    return records


def _hide(instances: Sequence[models.Model], case: Case) -> list[MergeRecord]:
    with _transaction(instances, case) as fresh:
        hidden = [fresh(each) for each in instances]
        records = record_hide(hidden, case, _published(hidden, case.using))
        history.log(case.by, hidden, _("Hidden as a near-duplicate."), case.using)
        for each in hidden:
            adapter_for(each).hide(each)
    return records


def _published(posts: Sequence[models.Model], using: str) -> set[models.Model]:
    """Those of the posts that ``live()`` holds."""
    found: set[models.Model] = set()
    for adapter in dict.fromkeys(map(adapter_for, posts)):
        own = {key_of(post, adapter.model): post for post in posts if adapter_for(post) is adapter}
        found |= {own[key] for key in keys_in(adapter.live(), own, using)}
    return found


def _delete(instances: Sequence[models.Model], case: Case, keep: models.Model | None) -> list[MergeRecord]:
    with _transaction([*instances, *([keep] if keep else [])], case) as fresh:
        doomed = [fresh(each) for each in instances]
        falls = {each: falling([each], case.using) for each in doomed}
        if keep is not None and any(keep in fall.rows for fall in falls.values()):
            raise MergeRefused(
                [_("%(keeper)s would be deleted with its duplicates.") % {"keeper": named(keep)}]
            )
        paths = [addresses.of(each) for each in doomed]
        records = record_delete(doomed, case, falls)
        history.log(case.by, doomed, _("Deleted as a near-duplicate."), case.using, deletion=True)
        for each in doomed:
            if rows_of(type(each), case.using).filter(pk=each.pk).exists():
                _delete_one(each)
        note(records, case.using)
        for old, record in zip(paths, records, strict=True):
            addresses.close(old, record, case.using)
    return records


@contextmanager
def _transaction(
    instances: Sequence[models.Model], case: Case
) -> Iterator[Callable[[models.Model], models.Model]]:
    """Everything under the spaces' locks, the objects locked and read afresh; a refusal undoes it all."""
    with whole(_spaces(instances, case.using), case.using):
        fresh = _locked(instances, case.using)
        if case.check is not None:
            case.check()
        yield fresh
        if case.resolves and case.cluster is not None:
            clusters = Cluster.objects.using(case.using).filter(pk=case.cluster)
            clusters.update(state=Cluster.State.RESOLVED)


def _spaces(instances: Iterable[models.Model], using: str) -> set[int]:
    known = [each for each in instances if adapters_of(each)]
    return {each.space_id for each in documents_of(known, using).values() if each.space_id is not None}


def _locked(instances: Sequence[models.Model], using: str) -> Callable[[models.Model], models.Model]:
    """The objects as they are now, their rows locked in key order; ``Conflict`` where one is gone."""
    found: dict[models.Model, models.Model] = {}
    for model in dict.fromkeys(type(each) for each in instances):
        keys = sorted({each.pk for each in instances if type(each) is model})
        rows = rows_of(model, using).filter(pk__in=keys).select_for_update().order_by("pk")
        found |= {each: each for each in rows}
    gone = [each for each in instances if each not in found]
    if gone:
        raise Conflict(
            _("It is gone already: %(what)s.") % {"what": ", ".join(str(each)[:100] for each in gone)}
        )
    return found.__getitem__


def _delete_one(instance: models.Model) -> None:
    key = instance.pk
    instance.delete()
    instance.pk = key


def _tell(keeper: models.Model, loser: models.Model, record: MergeRecord, using: str) -> None:
    told = {"keeper": keeper, "loser": loser, "record": record, "using": using}
    after_commit(using, post_merge.send_robust, sender=type(keeper), **told)
    for adapter in adapters_of(keeper)[:1]:
        after_commit(using, adapter.merged, loser, keeper, record)


def _log_merge(plan: Plan, case: Case) -> None:
    for loser in plan.losers:
        message = _("Merged into %(keeper)s as a near-duplicate.") % {"keeper": named(plan.keeper)}
        history.log(case.by, [loser], message, case.using, deletion=True)
    names = ", ".join(named(loser) for loser in plan.losers)
    history.log(
        case.by, [plan.keeper], _("Merged with near-duplicates: %(losers)s.") % {"losers": names}, case.using
    )

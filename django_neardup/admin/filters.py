"""Filters of the admin lists. The facet counts of a filter use the same conditions as the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db.models import Count, F, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ..adapters import registered_adapters
from ..models import Cluster, Document, Verdict
from ..pipeline.deleted_posts import is_any_remembered
from ..pipeline.open_items.columns import copied_by_one_author

FilterOption = tuple[str, "str | Promise", Q]


class ConditionFilter(admin.SimpleListFilter):
    """A filter with a choice of conditions. ``default_value`` applies if the user chose nothing."""

    default_value = "all"

    def options(self) -> list[FilterOption]:
        """Return the choices as (value, label, condition). If the list is empty, the filter is not shown."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        options = self.options()
        named: list[tuple[str, Any]] = [(value, label) for value, label, _condition in options]
        return [*named, ("all", _("All"))] if options else []

    def value(self) -> str:
        chosen_value = super().value()
        # Unknown values in the query string count as no choice.
        return chosen_value if chosen_value in dict(self.lookup_choices) else self.default_value

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(self._conditions().get(self.value(), Q()))

    def get_facet_counts(self, pk_attname: str, filtered_qs: Any) -> dict[str, Any]:
        conditions = self._conditions()
        # Django looks the counts up by these names, which contain the index of the choice.
        return {
            f"{index}__c": Count(pk_attname, filter=conditions.get(value))
            for index, (value, _label) in enumerate(self.lookup_choices)
        }

    def choices(self, changelist: Any) -> Iterator[Any]:
        # Django's own "All" would be a second one. It would also link to the default, which may show less.
        choices = super().choices(changelist)
        next(choices)
        yield from choices

    def _conditions(self) -> dict[str, Q]:
        return {value: condition for value, _label, condition in self.options()}


class ClusterStateFilter(ConditionFilter):
    title = _("state")
    parameter_name = "state"
    default_value = Cluster.State.OPEN

    def options(self) -> list[FilterOption]:
        return [(value, label, Q(state=value)) for value, label in Cluster.State.choices]


class ClusterSizeFilter(ConditionFilter):
    title = _("size")
    parameter_name = "size"

    def options(self) -> list[FilterOption]:
        return [
            ("2", "2", Q(size__lte=2)),
            ("3-5", "3–5", Q(size__range=(3, 5))),
            ("6-20", "6–20", Q(size__range=(6, 20))),
            ("more", _("more than 20"), Q(size__gt=20)),
        ]


class ScoreFilter(ConditionFilter):
    """Clusters by the lowest score of a member with the leader. A subclass can set another ``column``."""

    title = _("lowest score")
    parameter_name = "score"
    column = "lowest"

    def options(self) -> list[FilterOption]:
        return [
            ("90", _("90 % and above"), self._score_condition(0.9, None)),
            ("80", "80–89 %", self._score_condition(0.8, 0.9)),
            ("70", "70–79 %", self._score_condition(0.7, 0.8)),
            ("less", _("below 70 %"), self._score_condition(None, 0.7)),
        ]

    def _score_condition(self, minimum: float | None, upper_limit: float | None) -> Q:
        condition = Q()
        if minimum is not None:
            condition &= Q(**{f"{self.column}__gte": minimum})
        return condition if upper_limit is None else condition & Q(**{f"{self.column}__lt": upper_limit})


class ExactCopyFilter(ConditionFilter):
    title = _("exact copies")
    parameter_name = "exact"

    def options(self) -> list[FilterOption]:
        return [("yes", _("Yes"), Q(exact=True)), ("no", _("No"), Q(exact=False))]


class CopiedByFilter(ConditionFilter):
    """Exact copies by the author whom the address names. Without one the filter is not shown."""

    title = _("copies by one author")
    parameter_name = "copied_by"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self.author = request.GET.get(self.parameter_name, "")
        super().__init__(request, params, model, model_admin)

    def options(self) -> list[FilterOption]:
        if not self.author or "\0" in self.author:
            return []
        condition = Q(leader__author=self.author) & copied_by_one_author()
        return [(self.author, _("of this author"), condition)]


class ModelFilter(ConditionFilter):
    """Rows by model. The filter is not shown if the site compares only one model."""

    title = _("model")
    parameter_name = "model"
    column = "content_type"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        # ``super().__init__`` calls ``lookups``, and ``options`` then needs the database.
        self.using = model_admin.get_queryset(request).db
        super().__init__(request, params, model, model_admin)

    def options(self) -> list[FilterOption]:
        models = sorted(registered_adapters(), key=lambda model: model._meta.label_lower)
        if len(models) < 2:
            return []
        content_types = ContentType.objects.db_manager(self.using).get_for_models(*models)
        return [
            (
                model._meta.label_lower,
                model._meta.verbose_name_plural or "",
                self._content_type_condition(content_types[model].pk),
            )
            for model in models
        ]

    def _content_type_condition(self, content_type_id: int) -> Q:
        return Q(**{self.column: content_type_id})


class ClusterModelFilter(ModelFilter):
    column = "leader__content_type"


class PairModelFilter(ModelFilter):
    column = "a__content_type"

    def _content_type_condition(self, content_type_id: int) -> Q:
        return Q(a__content_type=content_type_id) | Q(b__content_type=content_type_id)


class VerdictFilter(ConditionFilter):
    title = _("verdict")
    parameter_name = "verdict"

    def options(self) -> list[FilterOption]:
        return [(value, label, Q(verdict=value)) for value, label in Verdict.choices]


class InForceFilter(ConditionFilter):
    """Decisions by whether they are in force or withdrawn."""

    title = _("in force")
    parameter_name = "force"

    def options(self) -> list[FilterOption]:
        return [("yes", _("Yes"), Q(withdrawn=None)), ("no", _("No"), Q(withdrawn__isnull=False))]


class WorkQueueFilter(ConditionFilter):
    """Documents by their state of processing: pending, quarantined or done."""

    title = _("work")
    parameter_name = "work"

    def options(self) -> list[FilterOption]:
        return [
            ("waits", _("pending"), Q(wanted__gt=F("done"))),
            ("quarantined", _("quarantined"), Q(state=Document.State.QUARANTINED)),
            ("done", _("done"), Q(wanted__lte=F("done"))),
        ]


class RepeatsFilter(ConditionFilter):
    """Posts that repeat a deleted one. The filter is not shown if no deleted posts are remembered."""

    title = _("repeats a deleted post")
    parameter_name = "repeats"

    def options(self) -> list[FilterOption]:
        if not is_any_remembered():
            return []
        repeats = Q(repeats__forget_at__gt=timezone.now())
        return [
            ("exact", _("word for word"), repeats & Q(repeats_exactly=True)),
            ("edited", _("with edits"), repeats & Q(repeats_exactly=False)),
            ("yes", _("Yes"), repeats),
        ]

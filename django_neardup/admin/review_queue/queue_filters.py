"""The filters of the queue, in one table for clusters and pairs, and the querysets that narrow the queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import (
    Case,
    CharField,
    DateTimeField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat, Greatest, Least
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ...models import Cluster, Contact, DecisionMember, Membership, Pair, Verdict
from ..text_format import VERDICT_SIGNS
from .open_items import opposite_members

LabelMap = Mapping[str, "str | Promise"]


@dataclass(frozen=True)
class QueueFilter:
    """A filter of the queue: an SQL expression for a cluster and one for a pair that each return the filter
    value.

    ``labels`` gives the values and their labels in display order. It is empty if the labels come from the
    site's own rows.
    """

    name: str
    title: str | Promise
    labels: LabelMap
    cluster_expression: Any
    pair_expression: Any

    @property
    def annotation_name(self) -> str:
        """Return the name of the query annotation."""
        return f"is_{self.name}"


YES_NO_LABELS: LabelMap = {"yes": _("Yes"), "no": _("No")}
VERDICT_LABELS: LabelMap = {
    verdict: format_lazy("{} {}", sign, verdict.label) for verdict, sign in VERDICT_SIGNS.items()
}
SCORE_LABELS: LabelMap = {"90": _("90 % and above"), "70": "70–89 %", "less": _("below 70 %")}
AGE_LABELS: LabelMap = {"day": _("up to a day"), "week": _("up to a week"), "more": _("longer")}
CONTACT_LABELS: LabelMap = {
    "same": pgettext_lazy("contacts", "The same"),
    "different": pgettext_lazy("contacts", "Different"),
    "none": pgettext_lazy("contacts", "Not stated"),
}
AUTHOR_LABELS: LabelMap = {
    "same": pgettext_lazy("authors", "The same"),
    "different": pgettext_lazy("authors", "Different"),
    "none": pgettext_lazy("authors", "Not known"),
}


def case_expression(*cases: tuple[Any, str], default: str) -> Case:
    """Return an expression with the text of the first true condition, otherwise the default."""
    whens = [When(condition, then=Value(text)) for condition, text in cases]
    return Case(*whens, default=Value(default), output_field=CharField())


def build_filters(using: str) -> list[QueueFilter]:
    """Return all filters. Ages are relative to the current time."""
    day, week = (timezone.now() - timedelta(days=days) for days in (1, 7))
    age = case_expression((Q(since__gte=day), "day"), (Q(since__gte=week), "week"), default="more")
    exact = case_expression((Q(exact=True), "yes"), default="no")
    reopened = case_expression((Q(decided__isnull=False), "yes"), default="no")
    return [
        QueueFilter("verdict", _("Verdict"), VERDICT_LABELS, Value(str(Verdict.DUPLICATE)), F("verdict")),
        QueueFilter(
            "contact",
            _("Contacts"),
            CONTACT_LABELS,
            _cluster_contact_expression(),
            _pair_contact_expression(),
        ),
        QueueFilter("exact", _("Exact copy"), YES_NO_LABELS, exact, exact),
        QueueFilter("again", _("Again"), YES_NO_LABELS, reopened, reopened),
        QueueFilter(
            "author", _("Authors"), AUTHOR_LABELS, _cluster_author_expression(), _pair_author_expression()
        ),
        QueueFilter("phrase", _("Key phrase"), YES_NO_LABELS, *_phrase_expressions(using)),
        QueueFilter(
            "model",
            _("What it is"),
            {},
            _as_text("leader__content_type_id"),
            _pair_model_expression(),
        ),
        QueueFilter("scope", _("Scope"), {}, _as_text("space_id"), _as_text("space_id")),
        QueueFilter(
            "score", _("Score"), SCORE_LABELS, _score_expression("lowest"), _score_expression("score")
        ),
        QueueFilter("age", _("Waits"), AGE_LABELS, age, age),
    ]


def annotate_waiting_time(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate the rows with ``decided`` and ``since``.

    ``decided`` is the time of the latest earlier decision on the row, for reopened rows. It is NULL for other
    rows. ``since`` is the time from which the row waits: ``decided``, otherwise the time when the row was
    created.
    """
    if queryset.model is Cluster:
        lookup = {"document__membership__cluster": OuterRef("pk")}
        other = {"document__membership__cluster": OuterRef("pk")}
        kind, found_at = {"decision__kind": "different"}, F("created")
    else:
        lookup, other = {"document": OuterRef("a")}, {"document": OuterRef("b")}
        kind, found_at = {}, F("found")
    # One call: a second one would join the other member again, and then any third member would do.
    effective = DecisionMember.objects.filter(
        opposite_members(),
        **lookup,
        **{f"decision__members__{name}": value for name, value in other.items()},
        **kind,
        decision__withdrawn=None,
    )
    latest = Subquery(effective.order_by("-decision").values("decision__created")[:1])
    # Most posts have no decision: for them this condition saves the subquery above.
    has_decision = Exists(DecisionMember.objects.filter(**lookup))
    decided = Case(When(has_decision, then=latest), output_field=DateTimeField())
    annotated: QuerySet[Any] = queryset.annotate(decided=decided, since=Coalesce(decided, found_at))
    return annotated


def filter_by_documents(queryset: QuerySet[Any], documents: QuerySet[Any] | None) -> QuerySet[Any]:
    """Return the clusters or pairs that contain one of the documents. Return all if ``documents`` is None."""
    if documents is None:
        return queryset
    if queryset.model is Pair:
        return queryset.filter(Q(a__in=documents) | Q(b__in=documents))
    clusters = Membership.objects.filter(document__in=documents).values("cluster")
    return queryset.filter(pk__in=clusters)


def _as_text(column: str) -> Any:
    return Cast(column, CharField())


def _score_expression(column: str) -> Case:
    return case_expression(
        (Q(**{f"{column}__gte": 0.9}), "90"), (Q(**{f"{column}__gte": 0.7}), "70"), default="less"
    )


def _pair_model_expression() -> Case:
    """Return the content type id of both posts.

    If they differ, return both ids, lower first, with a hyphen.
    """
    a, b = "a__content_type_id", "b__content_type_id"
    both = Concat(
        Cast(Least(a, b), CharField()),
        Value("-"),
        Cast(Greatest(a, b), CharField()),
        output_field=CharField(),
    )
    return Case(
        When(Q(a__content_type=F("b__content_type")), then=_as_text(a)),
        default=both,
        output_field=CharField(),
    )


def _contact_queryset(**conditions: Any) -> QuerySet[Contact]:
    return Contact.objects.filter(kind=Contact.Kind.CONTACT, **conditions)


def _pair_contact_expression() -> Case:
    other_hashes = _contact_queryset(document=OuterRef(OuterRef("b"))).values("hash")
    same = Exists(_contact_queryset(document=OuterRef("a"), hash__in=other_hashes))
    both_state_one = Q(Exists(_contact_queryset(document=OuterRef("a")))) & Q(
        Exists(_contact_queryset(document=OuterRef("b")))
    )
    return case_expression((Q(same), "same"), (both_state_one, "different"), default="none")


def _cluster_contact_expression() -> Case:
    """Compare the contacts of the leader with the contacts of the other members."""
    other = _contact_queryset(hash=OuterRef("hash"), document__membership__cluster=OuterRef(OuterRef("pk")))
    own = _contact_queryset(document=OuterRef("leader"))
    same = Exists(own.filter(Exists(other.exclude(document=OuterRef("document")))))
    rest = _contact_queryset(document__membership__cluster=OuterRef("pk")).exclude(
        document=OuterRef("leader")
    )
    return case_expression((Q(same), "same"), (Q(Exists(own)) & Q(Exists(rest)), "different"), default="none")


def _pair_author_expression() -> Case:
    unknown = Q(a__author="") | Q(b__author="")
    return case_expression((unknown, "none"), (Q(a__author=F("b__author")), "same"), default="different")


def _cluster_author_expression() -> Case:
    """Compare the author of the leader with the authors of the other members."""
    others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(document=OuterRef("leader"))
    same = Exists(others.filter(document__author=OuterRef("leader__author")))
    return case_expression((Q(leader__author=""), "none"), (Q(same), "same"), default="different")


def _phrase_expressions(using: str) -> tuple[Any, Any]:
    """Return the expressions for "one of the posts contains a key phrase", for clusters and for pairs."""
    phrases = Contact.objects.filter(kind=Contact.Kind.PHRASE)
    # Without any stored phrase, one query here replaces a subquery for every row.
    if not phrases.using(using).exists():
        return Value("no"), Value("no")
    inside = Exists(phrases.filter(document__membership__cluster=OuterRef("pk")))
    sides = Q(Exists(phrases.filter(document=OuterRef("a")))) | Q(
        Exists(phrases.filter(document=OuterRef("b")))
    )
    return case_expression((Q(inside), "yes"), default="no"), case_expression((sides, "yes"), default="no")

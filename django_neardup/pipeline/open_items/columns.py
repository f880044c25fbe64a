"""What the queue is sorted and filtered by, as SQL expressions over clusters and pairs."""

from __future__ import annotations

from typing import Any

from django.db.models import (
    BigIntegerField,
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

from ...models import Cluster, Contact, DecisionMember, Membership, Verdict
from .conditions import opposite_members

REOPENED_PRIORITY = 10**12
"""The priority that a reopened row gets in addition, above any other row."""


def with_waiting_time(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate clusters or pairs with ``decided`` and ``since``.

    ``decided`` is the time of the latest earlier decision, for reopened ones. It is NULL for the others. ``since`` is
    the time from which they wait: ``decided``, otherwise the time when they were found.
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


def with_columns(queryset: QuerySet[Any], has_phrases: bool) -> QuerySet[Any]:
    """Annotate clusters or pairs with what their rows are sorted and filtered by.

    These are ``decided``, ``since``, ``settles``, ``contact``, ``authors``, ``phrase``, ``item_model`` and
    ``copied_by``: the author of a cluster of exact copies by one author, otherwise empty.
    ``settles``: the number of posts that a decision removes, weighted with the certainty of the verdict in
    thousandths. Exact copies have certainty 1000. ``has_phrases``: whether any key phrase was found in any post.
    """
    is_cluster = queryset.model is Cluster
    phrase = Q(Exists(_cluster_phrases())) if is_cluster else _pair_phrases()
    annotated: QuerySet[Any] = with_waiting_time(queryset).annotate(
        settles=_cluster_settles() if is_cluster else _pair_settles(),
        contact=_cluster_contact() if is_cluster else _pair_contact(),
        authors=_cluster_author() if is_cluster else _pair_author(),
        phrase=case_expression((phrase, "yes"), default="no") if has_phrases else Value("no"),
        item_model=_as_text("leader__content_type_id") if is_cluster else _pair_model(),
        copied_by=_cluster_copied_by() if is_cluster else Value(""),
    )
    return annotated


def case_expression(*cases: tuple[Any, str], default: str) -> Case:
    """Return an expression with the text of the first true condition, otherwise the default."""
    whens = [When(condition, then=Value(text)) for condition, text in cases]
    return Case(*whens, default=Value(default), output_field=CharField())


def _as_bigint(expression: Any) -> Any:
    return Cast(expression, BigIntegerField())


def _as_text(column: str) -> Any:
    return Cast(column, CharField())


def _certainty(column: str) -> Any:
    """Return the certainty of a verdict in thousandths."""
    return Case(
        When(exact=True, then=Value(1000)),
        default=_as_bigint(F(column) * 1000),
        output_field=BigIntegerField(),
    )


def _cluster_settles() -> Any:
    return (_as_bigint(F("size")) - 1) * _certainty("lowest")


def _pair_settles() -> Any:
    return Case(
        When(verdict=Verdict.DUPLICATE, then=_certainty("score")),
        # Most pairs that are no duplicates are left as they are, so they count half.
        default=_as_bigint(_certainty("score") / 2),
        output_field=BigIntegerField(),
    )


def _pair_model() -> Case:
    """Return the content type id of both posts. If they differ, return both, lower first, with a hyphen."""
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


def _contacts(**conditions: Any) -> QuerySet[Contact]:
    return Contact.objects.filter(kind=Contact.Kind.CONTACT, **conditions)


def _pair_contact() -> Case:
    other_hashes = _contacts(document=OuterRef(OuterRef("b"))).values("hash")
    same = Exists(_contacts(document=OuterRef("a"), hash__in=other_hashes))
    both_state_one = Q(Exists(_contacts(document=OuterRef("a")))) & Q(
        Exists(_contacts(document=OuterRef("b")))
    )
    return case_expression((Q(same), "same"), (both_state_one, "different"), default="none")


def _cluster_contact() -> Case:
    """Compare the contacts of the leader with the contacts of the other members."""
    other = _contacts(hash=OuterRef("hash"), document__membership__cluster=OuterRef(OuterRef("pk")))
    own = _contacts(document=OuterRef("leader"))
    same = Exists(own.filter(Exists(other.exclude(document=OuterRef("document")))))
    rest = _contacts(document__membership__cluster=OuterRef("pk")).exclude(document=OuterRef("leader"))
    return case_expression((Q(same), "same"), (Q(Exists(own)) & Q(Exists(rest)), "different"), default="none")


def _pair_author() -> Case:
    unknown = Q(a__author="") | Q(b__author="")
    return case_expression((unknown, "none"), (Q(a__author=F("b__author")), "same"), default="different")


def _cluster_author() -> Case:
    """Compare the author of the leader with the authors of the other members."""
    others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(document=OuterRef("leader"))
    same = Exists(others.filter(document__author=OuterRef("leader__author")))
    return case_expression((Q(leader__author=""), "none"), (Q(same), "same"), default="different")


def copied_by_one_author() -> Q:
    """Return the condition that a cluster has only exact copies by the author of its leader."""
    members = Membership.objects.filter(cluster=OuterRef("pk"))
    others = members.exclude(document__author=OuterRef("leader__author"))
    return Q(exact=True) & ~Q(Exists(others))


def _cluster_copied_by() -> Any:
    return Case(
        When(copied_by_one_author(), then=F("leader__author")),
        default=Value(""),
        output_field=CharField(),
    )


def _cluster_phrases() -> QuerySet[Contact]:
    phrases = Contact.objects.filter(kind=Contact.Kind.PHRASE)
    return phrases.filter(document__membership__cluster=OuterRef("pk"))


def _pair_phrases() -> Q:
    phrases = Contact.objects.filter(kind=Contact.Kind.PHRASE)
    return Q(Exists(phrases.filter(document=OuterRef("a")))) | Q(
        Exists(phrases.filter(document=OuterRef("b")))
    )

"""The filters of the queue, one table for clusters and pairs alike, and the searches that narrow it."""

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
from ..words import SIGNS

Words = Mapping[str, "str | Promise"]


@dataclass(frozen=True)
class Filter:
    """What a group is told apart by: an expression that gives a text for a cluster and one for a pair.

    ``words`` names the texts in the order in which they are offered; empty where the site's own rows name them.
    """

    name: str
    title: str | Promise
    words: Words
    cluster: Any
    pair: Any

    @property
    def column(self) -> str:
        """The name of the annotation."""
        return f"is_{self.name}"


YES_NO: Words = {"yes": _("Yes"), "no": _("No")}
VERDICTS: Words = {verdict: format_lazy("{} {}", sign, verdict.label) for verdict, sign in SIGNS.items()}
SCORES: Words = {"90": _("90 % and above"), "70": "70–89 %", "less": _("below 70 %")}
AGES: Words = {"day": _("up to a day"), "week": _("up to a week"), "more": _("longer")}
CONTACTS: Words = {
    "same": pgettext_lazy("contacts", "The same"),
    "different": pgettext_lazy("contacts", "Different"),
    "none": pgettext_lazy("contacts", "Not stated"),
}
AUTHORS: Words = {
    "same": pgettext_lazy("authors", "The same"),
    "different": pgettext_lazy("authors", "Different"),
    "none": pgettext_lazy("authors", "Not known"),
}


def choice(*cases: tuple[Any, str], default: str) -> Case:
    """The text of the first condition that holds."""
    whens = [When(condition, then=Value(text)) for condition, text in cases]
    return Case(*whens, default=Value(default), output_field=CharField())


def filters(using: str) -> list[Filter]:
    """The table, with times reckoned from now."""
    day, week = (timezone.now() - timedelta(days=days) for days in (1, 7))
    age = choice((Q(since__gte=day), "day"), (Q(since__gte=week), "week"), default="more")
    exact = choice((Q(exact=True), "yes"), default="no")
    again = choice((Q(decided__isnull=False), "yes"), default="no")
    return [
        Filter("verdict", _("Verdict"), VERDICTS, Value(str(Verdict.DUPLICATE)), F("verdict")),
        Filter("contact", _("Contacts"), CONTACTS, _contact_of_cluster(), _contact_of_pair()),
        Filter("exact", _("Exact copy"), YES_NO, exact, exact),
        Filter("again", _("Again"), YES_NO, again, again),
        Filter("author", _("Authors"), AUTHORS, _author_of_cluster(), _author_of_pair()),
        Filter("phrase", _("Key phrase"), YES_NO, *_phrase(using)),
        Filter("model", _("What it is"), {}, _text("representative__content_type_id"), _model_of_pair()),
        Filter("scope", _("Scope"), {}, _text("space_id"), _text("space_id")),
        Filter("score", _("Score"), SCORES, _score("lowest"), _score("score")),
        Filter("age", _("Waits"), AGES, age, age),
    ]


def with_age(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """The same rows with ``decided``, when a decision that holds no more was made on them, and ``since``, from when
    they wait: since then, else since they were found."""
    members = DecisionMember.objects.filter(_unlike(), decision__withdrawn=None)
    if queryset.model is Cluster:
        inside = {"document__membership__cluster": OuterRef("pk")}
        both = {f"decision__members__{name}": place for name, place in inside.items()}
        standing, found = members.filter(**inside, **both, decision__kind="different"), F("created")
    else:
        inside = {"document": OuterRef("a")}
        standing, found = members.filter(**inside, decision__members__document=OuterRef("b")), F("found")
    latest = Subquery(standing.order_by("-decision").values("decision__created")[:1])
    spoken_of = Exists(DecisionMember.objects.filter(**inside))  # of most posts nobody has decided anything
    decided = Case(When(spoken_of, then=latest), output_field=DateTimeField())
    aged: QuerySet[Any] = queryset.annotate(decided=decided, since=Coalesce(decided, found))
    return aged


def narrowed(queryset: QuerySet[Any], documents: QuerySet[Any] | None) -> QuerySet[Any]:
    """Those clusters or pairs in which one of the documents takes part; all where there is nothing to ask for."""
    if documents is None:
        return queryset
    if queryset.model is Pair:
        return queryset.filter(Q(a__in=documents) | Q(b__in=documents))
    found = Membership.objects.filter(document__in=documents).values("cluster")
    return queryset.filter(pk__in=found)


def _unlike() -> Q:
    """Members of a decision for which it holds: on unlike sides, or one on side 0."""
    other = F("decision__members__side")
    unlike = Q(side__lt=other) | Q(side__gt=other) | Q(side=0)
    return unlike & (
        Q(document__lt=F("decision__members__document")) | Q(document__gt=F("decision__members__document"))
    )


def _text(column: str) -> Any:
    return Cast(column, CharField())


def _score(column: str) -> Case:
    return choice((Q(**{f"{column}__gte": 0.9}), "90"), (Q(**{f"{column}__gte": 0.7}), "70"), default="less")


def _model_of_pair() -> Case:
    """The content type of both, or the two of them."""
    a, b = "a__content_type_id", "b__content_type_id"
    both = Concat(
        Cast(Least(a, b), CharField()),
        Value("-"),
        Cast(Greatest(a, b), CharField()),
        output_field=CharField(),
    )
    return Case(
        When(Q(a__content_type=F("b__content_type")), then=_text(a)), default=both, output_field=CharField()
    )


def _contacts(**where: Any) -> QuerySet[Contact]:
    return Contact.objects.filter(kind=Contact.Kind.CONTACT, **where)


def _contact_of_pair() -> Case:
    theirs = _contacts(document=OuterRef(OuterRef("b"))).values("hash")
    same = Exists(_contacts(document=OuterRef("a"), hash__in=theirs))
    both = Q(Exists(_contacts(document=OuterRef("a")))) & Q(Exists(_contacts(document=OuterRef("b"))))
    return choice((Q(same), "same"), (both, "different"), default="none")


def _contact_of_cluster() -> Case:
    """Of the representative and any other member."""
    other = _contacts(hash=OuterRef("hash"), document__membership__cluster=OuterRef(OuterRef("pk")))
    own = _contacts(document=OuterRef("representative"))
    same = Exists(own.filter(Exists(other.exclude(document=OuterRef("document")))))
    rest = _contacts(document__membership__cluster=OuterRef("pk")).exclude(
        document=OuterRef("representative")
    )
    return choice((Q(same), "same"), (Q(Exists(own)) & Q(Exists(rest)), "different"), default="none")


def _author_of_pair() -> Case:
    unknown = Q(a__author="") | Q(b__author="")
    return choice((unknown, "none"), (Q(a__author=F("b__author")), "same"), default="different")


def _author_of_cluster() -> Case:
    """Of the representative and any other member."""
    others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(document=OuterRef("representative"))
    same = Exists(others.filter(document__author=OuterRef("representative__author")))
    return choice((Q(representative__author=""), "none"), (Q(same), "same"), default="different")


def _phrase(using: str) -> tuple[Any, Any]:
    """Of any of the posts; nothing is asked of each where no post holds any."""
    phrases = Contact.objects.filter(kind=Contact.Kind.PHRASE)
    if not phrases.using(using).exists():
        return Value("no"), Value("no")
    inside = Exists(phrases.filter(document__membership__cluster=OuterRef("pk")))
    sides = Q(Exists(phrases.filter(document=OuterRef("a")))) | Q(
        Exists(phrases.filter(document=OuterRef("b")))
    )
    return choice((Q(inside), "yes"), default="no"), choice((sides, "yes"), default="no")

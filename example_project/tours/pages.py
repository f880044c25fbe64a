"""The addresses of the steps: fixed pages, and pages of posts that are looked up by what they say."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from board.models import Ad, live_ads
from django.db.models import Model, QuerySet
from django.urls import reverse
from forum.models import Post, live_posts
from news.models import live_articles

from django_neardup.models import Hold, Membership, Pair

QUEUE = "admin:neardup_queue_changelist"


class MissingPostError(LookupError):
    """The post that a step is about was deleted, hidden or merged, or is not compared yet."""


def address(name: str, *arguments: Any, **query: Any) -> str:
    return reverse(name, args=arguments) + (f"?{urlencode(query)}" if query else "")


def search_piles() -> str:
    return address("board:search", q="сваи")


def search_piles_one_by_one() -> str:
    return address("board:search", q="сваи", similar="all")


def similar_piles() -> str:
    grouped = _grouped(live_ads().filter(title__contains="С140.35-10"))
    return address("neardup:similar", "board.ad", _first(grouped.order_by("created")).pk)


def pile_with_variants() -> str:
    return str(_first(_piles()).get_absolute_url())


def news() -> str:
    return address("news:front")


def reprint() -> str:
    reprints = _grouped(live_articles().filter(headline__startswith="Трещины в опорах"))
    return str(_first(reprints).get_absolute_url())


def repeated_message() -> str:
    return address("forum:topic", _repeated_message().topic_id)


def reply() -> str:
    return f"{repeated_message()}#reply"


def own_adverts() -> str:
    return address("board:mine")


def another_seller_s_text() -> str:
    return address("board:publish", like=_first(_piles()).pk)


def own_text() -> str:
    own = live_ads().filter(user__username="demo").order_by("created")
    return address("board:publish", like=_first(own).pk)


def agency_s_report() -> str:
    reports = live_articles().filter(outlet__slug="iset-inform", headline__startswith="Отопление")
    return address("news:write", like=_first(reports).pk)


def asked_before() -> str:
    message = _repeated_message()
    return address("forum:begin", message.topic.section.slug, like=message.pk)


def appeal() -> str:
    held = Hold.objects.filter(document__content_type__model="ad").values_list(
        "document__object_id", flat=True
    )
    return address("board:appeal", _first(Ad.objects.filter(user__username="demo", pk__in=list(held))).pk)


def queue() -> str:
    return address(QUEUE)


def evidence() -> str:
    pairs = Pair.objects.filter(a__content_type__model="ad", verdict="variant", classes__contains="code")
    return address("admin:neardup_pair_change", _first(pairs.order_by("-score", "pk")).pk)


def group_of_cars() -> str:
    return address("admin:neardup_cluster_change", _cluster_of_cars())


def merge_plan() -> str:
    return f"{address(QUEUE)}decide/merge/?id=c{_cluster_of_cars()}"


def held_posts() -> str:
    return address("admin:neardup_hold_changelist")


def families() -> str:
    return address(QUEUE, show="families")


def article_list() -> str:
    return address("admin:news_article_changelist")


def decided() -> str:
    return address(QUEUE, tab="decided")


def _piles() -> QuerySet[Ad]:
    return live_ads().filter(title__contains="С90.30-8").order_by("created")


def _repeated_message() -> Post:
    opening = live_posts().filter(topic__title__startswith="Минус тридцать пять").order_by("created")
    return _first(opening.select_related("topic__section"))


def _cluster_of_cars() -> int:
    cars = live_ads().filter(title__startswith="Лада").values_list("pk", flat=True)
    members = Membership.objects.filter(document__content_type__model="ad", object_key__in=list(cars))
    return _first(members.order_by("-cluster__size", "pk")).cluster_id


def _grouped(posts: QuerySet[Any]) -> QuerySet[Any]:
    """Return the posts that belong to a group."""
    members = Membership.objects.filter(document__content_type__model=posts.model._meta.model_name)
    return posts.filter(pk__in=list(members.values_list("object_key", flat=True)))


def _first(found: QuerySet[Any]) -> Any:
    """Return the first row. Raise ``MissingPostError`` if there is none."""
    row: Model | None = found.first()
    if row is None:
        raise MissingPostError(found.model._meta.verbose_name)
    return row

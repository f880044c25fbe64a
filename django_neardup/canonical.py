"""Which of the posts that say the same is the one for search engines, and its address."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Case, F, Model, When
from django.http import HttpRequest
from django.utils.encoding import iri_to_uri
from django.utils.html import format_html
from django.utils.safestring import SafeString

from .adapters import adapters_of
from .models import Membership
from .pipeline.objects import content_type_of
from .similar import address_of
from .visible import Key, Querysets, Visible, key_of

PORTION = 500
"""Members looked at together; nearly always the first of them is the one."""


def canonical_link(instance: Model, visible: Querysets, request: HttpRequest | None = None) -> SafeString:
    """``<link rel="canonical">`` for the head of the post's page; empty where there is no such address."""
    url = canonical_url(instance, visible, request)
    return format_html('<link rel="canonical" href="{}">', url) if url else SafeString()


def canonical_url(instance: Model, visible: Querysets, request: HttpRequest | None = None) -> str:
    """The address of the cluster's representative or, that hidden, of its earliest member; of a post alone its own.

    ``visible``: the queryset of all that the visitor may see, or several, one for each model. With a request the
    address is absolute. Empty where none of the posts may be seen, where the first has no address of the web, or where
    the profile's ``SEO`` does not speak of "canonical". Two queries, and one more where it is another post.
    """
    if instance.pk is None or not any("canonical" in each.settings.seo for each in adapters_of(instance)[:1]):
        return ""
    first = _first(instance, Visible(visible))
    url = iri_to_uri(address_of(first)) if first is not None else ""
    return request.build_absolute_uri(url) if url and request is not None else url or ""


def _first(instance: Model, visible: Visible) -> Model | None:
    using, own = instance._state.db or "default", key_of(instance)
    for portion in _portions(own, visible.registered, using):
        held = visible.held(portion, using)
        first = next((key for key in portion if key in held), None)
        if first is not None:
            return instance if first == own else visible.fetch([first], using).get(first)
    return None


def _portions(own: Key, models: list[type[Model]], using: str) -> Iterator[list[Key]]:
    """The members of the object's cluster: the representative, then as first seen; a post alone is one of one."""
    kinds = {content_type_of(model, using).pk: model for model in models}
    places = Membership.objects.using(using)
    mine = places.filter(content_type=content_type_of(own[0], using), object_id=own[1])
    rows = (
        places.filter(cluster__in=mine.values("cluster"), document__content_type__in=kinds)
        .order_by(
            Case(When(cluster__representative=F("document"), then=0), default=1),
            "document__first_seen",
            "document",
        )
        .values_list("document__content_type", "document__object_id")
    )
    start, found = 0, PORTION
    while found == PORTION:
        portion = [(kinds[kind], object_id) for kind, object_id in rows[start : start + PORTION]]
        start, found = start + PORTION, len(portion)
        yield portion or ([] if start > PORTION else [own])

"""The canonical post of a cluster for search engines, and its address."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Case, F, Model, When
from django.http import HttpRequest
from django.utils.encoding import iri_to_uri
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..adapters import adapters_of
from ..models import Membership
from ..pipeline.availability import is_active
from ..pipeline.content_objects import content_type_of
from ..similar_posts import public_url
from ..visibility import ObjectKey, Querysets, VisibilityFilter, object_key

PORTION = 500
"""Members checked in one query. The first one is nearly always the canonical post."""


def canonical_link(instance: Model, visible: Querysets, request: HttpRequest | None = None) -> SafeString:
    """Return ``<link rel="canonical">`` for the head of the post's page.

    Return "" if there is no such address.
    """
    url = canonical_url(instance, visible, request)
    return format_html('<link rel="canonical" href="{}">', url) if url else SafeString()


def canonical_url(instance: Model, visible: Querysets, request: HttpRequest | None = None) -> str:
    """Return the address of the cluster's leader, or of its earliest visible member if the leader is hidden.

    A post without a cluster has its own address. ``visible`` is the queryset of all posts that the visitor
    may see, or one for each model. With a request the address is absolute. This takes two queries, and a
    third one if another post is canonical.

    Return "" if no post of the cluster is visible, if the canonical post has no web address, or if the
    profile's ``SEO`` lacks "canonical".
    """
    if instance.pk is None or not any(
        "canonical" in adapter.settings.seo for adapter in adapters_of(instance)[:1]
    ):
        return ""
    canonical_post = _first_visible_member(instance, VisibilityFilter(visible))
    url = iri_to_uri(public_url(canonical_post)) if canonical_post is not None else ""
    return request.build_absolute_uri(url) if url and request is not None else url or ""


def _first_visible_member(instance: Model, visible: VisibilityFilter) -> Model | None:
    using, own_key = instance._state.db or "default", object_key(instance)
    for portion in _member_portions(own_key, visible.registered_models, using):
        visible_keys = visible.visible_keys(portion, using)
        first_key = next((key for key in portion if key in visible_keys), None)
        if first_key is not None:
            return (
                instance if first_key == own_key else visible.fetch_objects([first_key], using).get(first_key)
            )
    return None


def _member_portions(own_key: ObjectKey, models: list[type[Model]], using: str) -> Iterator[list[ObjectKey]]:
    """Yield the members of the object's cluster: the leader first, then the oldest text first.

    Without a cluster, or if the app is not active, yield only the object's own key.
    """
    if not is_active(using):
        yield [own_key]
        return
    models_by_content_type = {content_type_of(model, using).pk: model for model in models}
    memberships = Membership.objects.using(using)
    own_memberships = memberships.filter(
        content_type=content_type_of(own_key[0], using), object_id=own_key[1]
    )
    rows = (
        memberships.filter(
            cluster__in=own_memberships.values("cluster"), document__content_type__in=models_by_content_type
        )
        .order_by(
            Case(When(cluster__leader=F("document"), then=0), default=1),
            "document__text_since",
            "document__first_seen",
            "document",
        )
        .values_list("document__content_type", "document__object_id")
    )
    start, size = 0, PORTION
    while size == PORTION:
        portion = [
            (models_by_content_type[content_type_id], object_id)
            for content_type_id, object_id in rows[start : start + PORTION]
        ]
        start, size = start + PORTION, len(portion)
        yield portion or ([] if start > PORTION else [own_key])

"""Sitemaps that name one post of each cluster: the one that ``rel=canonical`` names."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.contrib.sitemaps import Sitemap
from django.db.models import Exists, F, IntegerField, Max, Model, OuterRef, Q, QuerySet
from django.utils.encoding import iri_to_uri

from .adapters import Adapter, adapter_for
from .collapsing.keys import Kind, Read, kind_of_key, of_membership
from .merging.paths import path_of
from .models import Membership
from .narrowing import narrowable
from .similar import address_of, signed_out


class NeardupSitemap(Sitemap):  # type: ignore[type-arg]
    """The posts of a registered model: ``NeardupSitemap(Ad)``, or a subclass with ``model = Ad``, or with ``items()``.

    Posts that a signed-out visitor may not see (``Adapter.visible``) are left out, and so are those without a page of
    their own; where the profile's ``SEO`` holds "sitemap", so are those that another of the list stands for.
    ``date_field``: the field that tells when a post was changed, for ``lastmod``.
    """

    model: ClassVar[type[Model] | None] = None
    date_field: ClassVar[str | None] = None

    def __init__(self, model: type[Model] | None = None) -> None:
        self._model = model or self.model

    def items(self) -> QuerySet[Any]:
        """The posts to choose from: ``live()`` of the adapter, in the order of their keys."""
        if self._model is None:
            raise TypeError(
                "Which posts? Write NeardupSitemap(Ad), or a subclass with model = Ad or with items()."
            )
        return narrowable(adapter_for(self._model).live()).order_by("pk")

    def visible(self, adapter: Adapter) -> QuerySet[Any]:
        """What a signed-out visitor may see; to be overridden where ``Adapter.visible`` asks more of a request."""
        return adapter.visible(signed_out())

    def location(self, item: Any) -> str:
        """The post's path; empty where it has none, or where only a fragment tells it from others."""
        url = address_of(item)
        parts = urlsplit(url)
        if not path_of(url) or parts.fragment:
            return ""
        return iri_to_uri(parts._replace(scheme="", netloc="").geturl())

    def lastmod(self, item: Any) -> date | datetime | None:
        """When the post was changed, if ``date_field`` says."""
        return getattr(item, self.date_field) if self.date_field else None

    def get_latest_lastmod(self) -> datetime | None:
        if self.date_field is None:
            return None
        found = self._shown().order_by().aggregate(latest=Max(self.date_field))
        latest: datetime | None = found["latest"]
        return latest

    def get_urls(self, page: Any = 1, site: Any = None, protocol: str | None = None) -> list[dict[str, Any]]:
        bare = f"{self.get_protocol(protocol)}://{self.get_domain(site)}"
        return [url for url in super().get_urls(page, site, protocol) if url["location"] != bare]

    def _items(self) -> Any:
        """What Django makes pages of; with ``i18n`` each in every language."""
        found = self._shown()
        if not self.i18n:
            return found
        return [(item, code) for item in found for code in self.get_languages_for_item(item)]

    def _shown(self) -> QuerySet[Any]:
        queryset = narrowable(self.items())
        adapter = adapter_for(queryset.model)
        if not self._is_ours(adapter):
            queryset = queryset.filter(pk__in=self.visible(adapter).values("pk"))
        if not queryset.ordered:
            queryset = queryset.order_by("pk")
        return _represented(queryset, adapter.model) if "sitemap" in adapter.settings.seo else queryset

    def _is_ours(self, adapter: Adapter) -> bool:
        """Whether ``items`` and ``visible`` both come to the adapter's ``live()``."""
        own = type(self)
        told = own.items, own.visible, type(adapter).visible
        return told == (NeardupSitemap.items, NeardupSitemap.visible, Adapter.visible)


def _represented(queryset: QuerySet[Any], root: type[Model]) -> QuerySet[Any]:
    """Without posts of whose cluster another is held that stands before them: its representative, or one seen earlier.

    Few clusters lack their representative, so that most members are settled by one look at it."""
    held = queryset.order_by()
    followers = Membership.objects.filter(**of_membership(root, OuterRef(root._meta.pk.attname)))
    followers = followers.exclude(cluster__representative=F("document"))
    led = Exists(held.filter(**_post(root, "cluster__representative")))
    leading = Q(cluster__representative__content_type=Kind(root)) & led
    earlier = Membership.objects.filter(
        Q(document__first_seen__lt=OuterRef("document__first_seen"))
        | Q(document__first_seen=OuterRef("document__first_seen"), document__lt=OuterRef("document")),
        Exists(held.filter(**_post(root, "document"))),
        cluster=OuterRef("cluster"),
        document__content_type=Kind(root),
    )
    return queryset.filter(~Exists(followers.filter(leading | Exists(earlier))))


def _post(root: type[Model], document: str) -> dict[str, Any]:
    """What a post must fulfil to be that of the outer row's document."""
    if kind_of_key(root) is IntegerField:
        return {root._meta.pk.attname: OuterRef(f"{document}__object_key")}
    return {root._meta.pk.attname: Read(OuterRef(f"{document}__object_id"), root)}

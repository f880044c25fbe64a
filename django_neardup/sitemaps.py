"""Sitemaps that list one post of each cluster: the one in ``rel=canonical``."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from django.contrib.sitemaps import Sitemap
from django.db.models import Exists, F, IntegerField, Max, Model, OuterRef, Q, QuerySet
from django.utils.encoding import iri_to_uri

from .adapters import Adapter, adapter_for
from .listing.key_expressions import ContentTypeId, PostKey, key_field_type, membership_filter
from .models import Membership
from .moderation.url_paths import path_of
from .pipeline.availability import is_active
from .querysets import filterable
from .similar_posts import anonymous_request, public_url

# Django's class is generic for type checkers only.
if TYPE_CHECKING:
    SitemapBase = Sitemap[Any]
else:
    SitemapBase = Sitemap


class NeardupSitemap(SitemapBase):
    """The posts of a registered model: ``NeardupSitemap(Ad)``, or a subclass with ``model = Ad`` or with
    ``items()``.

    Posts that a signed-out visitor may not see (``Adapter.visible``) are left out. So are posts without a
    page. If the profile's ``SEO`` holds "sitemap", posts that another post of the list represents are left
    out too.

    ``date_field`` is the field with the time of the last change, for ``lastmod``.
    """

    model: ClassVar[type[Model] | None] = None
    date_field: ClassVar[str | None] = None

    def __init__(self, model: type[Model] | None = None) -> None:
        self._model = model or self.model

    def items(self) -> QuerySet[Any]:
        """Return the posts to choose from: ``live()`` of the adapter, ordered by primary key."""
        if self._model is None:
            raise TypeError(
                "The sitemap has no model. Write NeardupSitemap(Ad), or a subclass with model = Ad or items()."
            )
        return filterable(adapter_for(self._model).live()).order_by("pk")

    def visible(self, adapter: Adapter) -> QuerySet[Any]:
        """Return the posts that a signed-out visitor may see.

        Override it if ``Adapter.visible`` needs more of a request.
        """
        return adapter.visible(anonymous_request())

    def location(self, item: Any) -> str:
        """Return the post's path.

        Return an empty string if it has none, or if only a fragment distinguishes it from other pages.
        """
        url = public_url(item)
        parts = urlsplit(url)
        if not path_of(url) or parts.fragment:
            return ""
        return iri_to_uri(parts._replace(scheme="", netloc="").geturl())

    def lastmod(self, item: Any) -> date | datetime | None:
        """Return the time of the last change. Return None without ``date_field``."""
        return getattr(item, self.date_field) if self.date_field else None

    def get_latest_lastmod(self) -> datetime | None:
        if self.date_field is None:
            return None
        result = self._public_items().order_by().aggregate(latest=Max(self.date_field))
        latest: datetime | None = result["latest"]
        return latest

    def get_urls(self, page: Any = 1, site: Any = None, protocol: str | None = None) -> list[dict[str, Any]]:
        site_root = f"{self.get_protocol(protocol)}://{self.get_domain(site)}"
        # A post without a path has an empty location: Django would list the root of the site.
        return [url for url in super().get_urls(page, site, protocol) if url["location"] != site_root]

    def _items(self) -> Any:
        """Return the entries that Django paginates.

        With ``i18n``, there is one for each language of a post.
        """
        posts = self._public_items()
        if not self.i18n:
            return posts
        return [(item, code) for item in posts for code in self.get_languages_for_item(item)]

    def _public_items(self) -> QuerySet[Any]:
        queryset = filterable(self.items())
        adapter = adapter_for(queryset.model)
        # A condition that changes nothing would only slow the query down.
        if not self._is_live_only(adapter):
            queryset = queryset.filter(pk__in=self.visible(adapter).values("pk"))
        if not queryset.ordered:
            queryset = queryset.order_by("pk")
        leaves_out = "sitemap" in adapter.settings.seo and is_active(queryset.db)
        return _without_represented(queryset, adapter.model) if leaves_out else queryset

    def _is_live_only(self, adapter: Adapter) -> bool:
        """Return whether ``items`` and ``visible`` both equal the adapter's ``live()``."""
        sitemap_class = type(self)
        methods = sitemap_class.items, sitemap_class.visible, type(adapter).visible
        return methods == (NeardupSitemap.items, NeardupSitemap.visible, Adapter.visible)


def _without_represented(queryset: QuerySet[Any], root: type[Model]) -> QuerySet[Any]:
    """Leave out posts that another post of the queryset represents.

    That is the representative of the cluster, or a member with an older text.
    """
    listed = queryset.order_by()
    followers = Membership.objects.filter(**membership_filter(root, OuterRef(root._meta.pk.attname)))
    followers = followers.exclude(cluster__leader=F("document"))
    leader_listed = Exists(listed.filter(**_post_filter(root, "cluster__leader")))
    has_leader = Q(cluster__leader__content_type=ContentTypeId(root)) & leader_listed
    same_time = Q(document__text_since=OuterRef("document__text_since"))
    same_number = same_time & Q(document__first_seen=OuterRef("document__first_seen"))
    earlier = Membership.objects.filter(
        Q(document__text_since__lt=OuterRef("document__text_since"))
        | same_time & Q(document__first_seen__lt=OuterRef("document__first_seen"))
        | same_number & Q(document__lt=OuterRef("document")),
        Exists(listed.filter(**_post_filter(root, "document"))),
        cluster=OuterRef("cluster"),
        document__content_type=ContentTypeId(root),
    )
    # The leader is tested first: few clusters lack it, so one look settles most members.
    return queryset.filter(~Exists(followers.filter(has_leader | Exists(earlier))))


def _post_filter(root: type[Model], document_lookup: str) -> dict[str, Any]:
    """Return the condition that a post belongs to the document of the outer row."""
    if key_field_type(root) is IntegerField:
        return {root._meta.pk.attname: OuterRef(f"{document_lookup}__object_key")}
    return {root._meta.pk.attname: PostKey(OuterRef(f"{document_lookup}__object_id"), root)}

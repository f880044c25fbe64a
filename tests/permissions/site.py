"""A site of two tenants whose ModelAdmin withholds posts. Its URLconf holds every address of the app.

A post belongs to the tenant in ``Ad.sku``. Its standing is in ``Ad.phone``: see ``STANDINGS``. The site shows it to
everybody if ``Ad.published`` is set and it is not hidden.
"""

from __future__ import annotations

import re
from typing import Any

from django.contrib import admin
from django.urls import include, path

from django_neardup.admin.mixins import NearDuplicatesMixin
from tests.testapp.models import Ad, Comment
from tests.testapp.neardup import AdNeardup

TENANTS = ("1", "2")
HIDDEN = -1
"""``Ad.hits`` of a hidden post."""

STANDINGS = {
    "plain": True,
    "commented": True,  # a comment moves or goes with the post
    "guarded": True,  # the ModelAdmin lets staff see it, but not change or delete it
    "hidden": False,
    "withheld": False,  # the ModelAdmin does not list it
    "withheld-public": True,
    "barred": False,  # the ModelAdmin lists it, but lets nobody open it
}
"""The standings of posts, and whether the site publishes them."""


def tenants_of(request: Any) -> set[str]:
    """Return the tenants of a request: those in the name of the user, or in the host if nobody is signed in."""
    user = getattr(request, "user", None)
    signed_in = user is not None and user.is_authenticated
    return set(re.findall(r"\d", user.get_username() if signed_in else request.get_host()))


class TenantNeardup(AdNeardup):
    contacts, identity, scope = [], [], ["sku"]

    def url(self, ad):
        return f"/ads/{ad.title}/"

    def live(self):
        """All posts but hidden ones are compared and in the queue, also those that only staff may see."""
        return Ad.objects.exclude(hits=HIDDEN)

    def view_count(self, ad):
        return 0

    def hide(self, ad):
        ad.hits = HIDDEN
        ad.save(update_fields=["hits"])

    def show(self, ad):
        ad.hits = 0
        ad.save(update_fields=["hits"])

    def visible(self, request):
        return self.live().filter(published=True, sku__in=tenants_of(request))

    def visible_spaces(self, user):
        if user.is_superuser:
            return None
        return [(tenant,) for tenant in re.findall(r"\d", user.get_username())]


class TenantAdmin(NearDuplicatesMixin, admin.ModelAdmin):
    def get_queryset(self, request):
        posts = super().get_queryset(request)
        if request.user.is_superuser:
            return posts
        return posts.filter(sku__in=tenants_of(request)).exclude(phone__in=["withheld", "withheld-public"])

    def has_view_permission(self, request, obj=None):
        return super().has_view_permission(request, obj) and self._is_open(request, obj, "barred")

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and self._is_open(
            request, obj, "barred", "guarded"
        )

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and self._is_open(
            request, obj, "barred", "guarded"
        )

    def _is_open(self, request, obj, *closed):
        return obj is None or request.user.is_superuser or obj.phone not in closed


site = admin.AdminSite("admin")
for model, model_admin in admin.site._registry.items():
    if model._meta.app_label == "neardup":
        site.register(model, type(model_admin))
site.register(Ad, TenantAdmin)
site.register(Comment)
urlpatterns = [path("admin/", site.urls), path("similar/", include("django_neardup.urls"))]

from board.models import Ad
from django.contrib import admin

from django_neardup.admin import register_pages
from django_neardup.admin.mixins import NearDuplicatesFilter, NearDuplicatesMixin

site = admin.AdminSite(name="staff")
register_pages(site)


@admin.register(Ad, site=site)
class AdAdmin(NearDuplicatesMixin, admin.ModelAdmin[Ad]):
    list_display = ["title", "created"]
    list_filter = [NearDuplicatesFilter, "published"]

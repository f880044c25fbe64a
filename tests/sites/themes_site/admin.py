from django.conf import settings
from django.contrib import admin

from django_neardup.admin.mixins import NearDuplicatesMixin
from tests.sites.themes_site.models import Advert

if "unfold" in settings.THEMES:
    from unfold.admin import ModelAdmin
else:
    ModelAdmin = admin.ModelAdmin


@admin.register(Advert)
class AdvertAdmin(NearDuplicatesMixin, ModelAdmin):
    list_display = ["title", "city", "author"]
    list_filter = ["city"]
    search_fields = ["title", "text"]

"""The pages of posts with near-duplicates."""

from django.conf import settings
from django.contrib import admin

from django_neardup.admin.mixins import NearDuplicatesMixin

from . import translated

if "parler" in settings.PACKAGES:
    from parler.admin import TranslatableAdmin

    @admin.register(translated.TranslatedPost)
    class TranslatedPostAdmin(NearDuplicatesMixin, TranslatableAdmin):
        list_display = ("title",)

"""The pages of posts with near-duplicates, by the ModelAdmin of each package."""

from django.conf import settings
from django.contrib import admin

from django_neardup.admin.mixins import NearDuplicatesMixin

from . import kept_history, kinds, soft, tagged, translated

if "parler" in settings.PACKAGES:
    from parler.admin import TranslatableAdmin

    @admin.register(translated.TranslatedPost)
    class TranslatedPostAdmin(NearDuplicatesMixin, TranslatableAdmin):
        list_display = ("title",)


if "modeltranslation" in settings.PACKAGES:
    from modeltranslation.admin import TranslationAdmin

    @admin.register(translated.ColumnPost)
    class ColumnPostAdmin(NearDuplicatesMixin, TranslationAdmin):
        list_display = ("title",)


if "simple_history" in settings.PACKAGES:
    from simple_history.admin import SimpleHistoryAdmin

    @admin.register(kept_history.HistoryPost)
    class HistoryPostAdmin(NearDuplicatesMixin, SimpleHistoryAdmin):
        list_display = ("title",)


if "polymorphic" in settings.PACKAGES:
    from polymorphic.admin import PolymorphicChildModelAdmin, PolymorphicParentModelAdmin

    @admin.register(kinds.Book)
    class BookAdmin(NearDuplicatesMixin, PolymorphicChildModelAdmin):
        base_model = kinds.Item

    @admin.register(kinds.Item)
    class ItemAdmin(NearDuplicatesMixin, PolymorphicParentModelAdmin):
        base_model = kinds.Item
        child_models = (kinds.Book,)
        list_display = ("title",)


if "safedelete" in settings.PACKAGES:
    from safedelete.admin import SafeDeleteAdmin

    @admin.register(soft.SoftPost)
    class SoftPostAdmin(NearDuplicatesMixin, SafeDeleteAdmin):
        list_display = ("title",)


if "taggit" in settings.PACKAGES:

    @admin.register(tagged.TaggedPost)
    class TaggedPostAdmin(NearDuplicatesMixin, admin.ModelAdmin):
        list_display = ("title",)

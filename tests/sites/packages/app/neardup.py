"""The adapters of the posts that are compared."""

from django.conf import settings

import django_neardup as neardup

from . import cached, kept_history, kinds, listed_by_api, soft, tagged, translated

if "parler" in settings.PACKAGES:

    @neardup.register(translated.TranslatedPost)
    class TranslatedPostNeardup(neardup.Adapter):
        fields = ("title", "text")
        language = "ru"


if "modeltranslation" in settings.PACKAGES:

    @neardup.register(translated.ColumnPost)
    class ColumnPostNeardup(neardup.Adapter):
        fields = ("title", "text")
        language = "ru"


if "safedelete" in settings.PACKAGES:

    @neardup.register(soft.SoftPost)
    class SoftPostNeardup(neardup.Adapter):
        fields = ("title",)
        watch = ("deleted",)

        def live(self):
            return soft.SoftPost.objects.all()


if "cacheops" in settings.PACKAGES:

    @neardup.register(cached.CachedPost)
    class CachedPostNeardup(neardup.Adapter):
        fields = ("title",)
        sum_fields = ("visits",)


@neardup.register(listed_by_api.ApiPost)
class ApiPostNeardup(neardup.Adapter):
    fields = ("text",)
    watch = ("published",)

    def live(self):
        return listed_by_api.ApiPost.objects.filter(published=True)


if "simple_history" in settings.PACKAGES:

    @neardup.register(kept_history.HistoryPost)
    class HistoryPostNeardup(neardup.Adapter):
        fields = ("title", "text")


if "polymorphic" in settings.PACKAGES:

    @neardup.register(kinds.Item)
    class ItemNeardup(neardup.Adapter):
        fields = ("title",)


if "taggit" in settings.PACKAGES:

    @neardup.register(tagged.TaggedPost)
    class TaggedPostNeardup(neardup.Adapter):
        fields = ("title",)

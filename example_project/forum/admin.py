from django.contrib import admin

from django_neardup.admin.mixins import NearDuplicatesMixin
from forum.models import Post, Section, Topic


@admin.register(Section)
class SectionAdmin(admin.ModelAdmin):
    list_display = ["title", "position", "slug"]
    prepopulated_fields = {"slug": ["title"]}


@admin.register(Topic)
class TopicAdmin(admin.ModelAdmin):
    list_display = ["title", "section", "author", "created"]
    list_filter = ["section"]
    list_select_related = ["section", "author"]
    search_fields = ["title"]
    raw_id_fields = ["author"]


@admin.register(Post)
class PostAdmin(NearDuplicatesMixin, admin.ModelAdmin):
    list_display = ["__str__", "neardup_similar", "topic", "author", "published", "created"]
    list_filter = ["published", "topic__section"]
    list_select_related = ["topic", "author"]
    search_fields = ["text"]
    date_hierarchy = "created"
    raw_id_fields = ["topic", "author"]

from django.contrib import admin

from board.models import Ad, AdReport, Category, Favorite, Note, Photo
from django_neardup.admin.mixins import NearDuplicatesMixin


@admin.register(Category)
class CategoryAdmin(admin.ModelAdmin):
    list_display = ["name", "parent", "slug"]
    prepopulated_fields = {"slug": ["name"]}


class PhotoInline(admin.TabularInline):
    model = Photo
    extra = 0


@admin.register(Ad)
class AdAdmin(NearDuplicatesMixin, admin.ModelAdmin):
    list_display = ["title", "neardup_similar", "price", "city", "user", "published", "created", "hits"]
    list_filter = ["published", "categories", "city"]
    list_select_related = ["user"]
    search_fields = ["title", "text", "phone", "email"]
    date_hierarchy = "created"
    raw_id_fields = ["user"]
    filter_horizontal = ["categories"]
    inlines = [PhotoInline]


@admin.register(Favorite)
class FavoriteAdmin(admin.ModelAdmin):
    list_display = ["user", "ad"]
    list_select_related = ["user", "ad"]
    raw_id_fields = ["user", "ad"]


@admin.register(AdReport)
class AdReportAdmin(admin.ModelAdmin):
    list_display = ["ad", "reason", "user", "created"]
    list_filter = ["reason"]
    list_select_related = ["user", "ad"]
    raw_id_fields = ["user", "ad"]


@admin.register(Note)
class NoteAdmin(admin.ModelAdmin):
    list_display = ["text", "content_type", "object_id", "author", "created"]
    list_select_related = ["author", "content_type"]


@admin.register(Photo)
class PhotoAdmin(admin.ModelAdmin):
    list_display = ["caption", "ad"]
    list_select_related = ["ad"]
    raw_id_fields = ["ad"]

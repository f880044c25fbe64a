from django.contrib import admin

from django_neardup.admin.mixins import NearDuplicatesMixin
from news.models import Article, Outlet


@admin.register(Outlet)
class OutletAdmin(admin.ModelAdmin):
    list_display = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Article)
class ArticleAdmin(NearDuplicatesMixin, admin.ModelAdmin):
    list_display = ["headline", "neardup_similar", "outlet", "author", "published", "created"]
    list_filter = ["published", "outlet"]
    list_select_related = ["outlet", "author"]
    search_fields = ["headline", "body"]
    date_hierarchy = "created"
    raw_id_fields = ["author"]

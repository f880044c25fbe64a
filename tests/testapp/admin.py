"""Some models are in the admin and some are not."""

from django.contrib import admin

from tests.testapp.models import Ad, Comment


@admin.register(Ad)
class AdAdmin(admin.ModelAdmin):
    """Nobody but superusers touches adverts of "the house"; drafts of others are not even listed."""

    list_display = ["title", "text", "published"]

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and self._may(request, obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and self._may(request, obj)

    def _may(self, request, obj):
        return obj is None or request.user.is_superuser or obj.phone != "house"

    def get_queryset(self, request):
        queryset = super().get_queryset(request)
        return queryset if request.user.is_superuser else queryset.exclude(sku="secret")


@admin.register(Comment)
class CommentAdmin(admin.ModelAdmin):
    pass

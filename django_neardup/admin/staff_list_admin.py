"""The base class of the lists that staff keep, for one profile or for all."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Field
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..conf import get_aliases
from .base import ReadOnlyAdmin, non_atomic_requests


class StaffListAdmin(ReadOnlyAdmin):
    """A list of ``StaffEntry`` rows, newest first.

    People who review near-duplicates may view it. Changes need Django's own model permissions.
    """

    list_per_page = 50
    ordering = ("-pk",)
    readonly_fields: ClassVar[tuple[str, ...]] = ("by_name", "created")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    @admin.display(description=gettext_lazy("profile"), ordering="profile")
    def profile_name(self, row: Any) -> str:
        return row.profile or _("every profile")

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name != "profile":
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        aliases = [(alias, alias) for alias in get_aliases()]
        return forms.ChoiceField(
            label=capfirst(str(db_field.verbose_name)),
            required=False,
            choices=[("", _("every profile")), *aliases],
        )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save an entry. A new one names the user who wrote it."""
        if not change:
            obj.by, obj.by_name = str(request.user.pk), str(request.user)[:255]
        obj.save(using=self.get_queryset(request).db)

    @non_atomic_requests
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, extra_context)

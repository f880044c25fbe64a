"""The admin of passages to ignore: boilerplate that staff list, with a preview of what a passage would change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Field, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..conf import get_aliases, get_profile
from ..judge.boilerplate_snapshot import RUN_WORDS
from ..models import IgnoredPassage, Pair
from ..pipeline.boilerplate_preview import preview_passage
from ..text.canonical_text import CanonicalText as Text
from .base import ReadOnlyAdmin, non_atomic_requests
from .visible_objects import load_displayed_posts

MAX_EXAMPLES = 20


class IgnoredPassageForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of a passage: one of fewer than ``RUN_WORDS`` words would be found nowhere."""

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"]).strip()
        if len(Text(text)) < RUN_WORDS:
            message = ngettext(
                "A passage has at least %(count)d word.", "A passage has at least %(count)d words.", RUN_WORDS
            )
            raise ValidationError(message, params={"count": RUN_WORDS})
        return text


@admin.register(IgnoredPassage)
class IgnoredPassageAdmin(ReadOnlyAdmin):
    """The list of passages to ignore, newest first.

    People who review near-duplicates may view it. Changes need Django's own model permissions.
    """

    form = IgnoredPassageForm
    change_form_template = "neardup/admin/passage_form.html"
    list_display = ("beginning", "profile_name", "note", "by_name", "created")
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("text", "note", "by_name")
    search_help_text = gettext_lazy("Passage, note, who wrote it")
    fields = ("text", "profile", "note", "by_name", "created")
    readonly_fields = ("by_name", "created")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def get_urls(self) -> list[URLPattern]:
        view, name = self.admin_site.admin_view(self.preview_view), "neardup_ignoredpassage_preview"
        return [
            path("add/preview/", view, name=f"{name}_new"),
            path("<int:pk>/preview/", view, name=name),
            *super().get_urls(),
        ]

    @admin.display(description=gettext_lazy("passage"), ordering="text")
    def beginning(self, row: IgnoredPassage) -> str:
        return str(row)

    @admin.display(description=gettext_lazy("profile"), ordering="profile")
    def profile_name(self, row: IgnoredPassage) -> str:
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

    def save_model(self, request: HttpRequest, obj: IgnoredPassage, form: Any, change: bool) -> None:
        if not change:
            obj.by, obj.by_name = str(request.user.pk), str(request.user)[:255]
        obj.save(using=self.get_queryset(request).db)
        self._tell_next_step(request)

    def delete_model(self, request: HttpRequest, obj: IgnoredPassage) -> None:
        super().delete_model(request, obj)
        self._tell_next_step(request)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[IgnoredPassage]) -> None:
        super().delete_queryset(request, queryset)
        self._tell_next_step(request)

    def _tell_next_step(self, request: HttpRequest) -> None:
        messages.info(
            request,
            _(
                "Posts are judged by the new list from now on. Pairs that are stored already are judged again by "
                "“neardup_index --rejudge”."
            ),
        )

    @non_atomic_requests
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, extra_context)

    def preview_view(self, request: HttpRequest, pk: int | None = None) -> HttpResponse:
        """Show what the passage of the form would change. Nothing is stored."""
        request.current_app = self.admin_site.name
        passages = self.get_queryset(request)
        passage = None if pk is None else get_object_or_404(passages, pk=pk)
        may_write = (
            self.has_add_permission(request)
            if passage is None
            else self.has_change_permission(request, passage)
        )
        if not may_write:
            raise PermissionDenied
        form_url = (
            reverse(f"{self.admin_site.name}:neardup_ignoredpassage_add")
            if passage is None
            else reverse(f"{self.admin_site.name}:neardup_ignoredpassage_change", args=[passage.pk])
        )
        form_class = self.get_form(request, passage, change=passage is not None)
        form = form_class(request.POST or None, instance=passage)
        preview = None
        if form.is_valid():
            chosen = form.cleaned_data["profile"]
            profiles = [get_profile(alias) for alias in ([chosen] if chosen else get_aliases())]
            preview = preview_passage(profiles, form.cleaned_data["text"], passages.db, pk)
            self._attach_posts(request, preview.changed[:MAX_EXAMPLES], passages.db)
        return TemplateResponse(
            request,
            "neardup/admin/passage_preview.html",
            {
                **self.site_context(request),
                "title": _("What the passage would change"),
                "opts": self.opts,
                "media": self.media + form.media,
                "list_url": reverse(f"{self.admin_site.name}:neardup_ignoredpassage_changelist"),
                "form": form,
                "form_url": form_url,
                "preview": preview,
                "examples": preview.changed[:MAX_EXAMPLES] if preview else [],
            },
        )

    def _attach_posts(self, request: HttpRequest, pairs: Sequence[Pair], using: str) -> None:
        """Set ``posts`` on each pair: its two posts, the earlier one first, as this person may see them."""
        displayed = load_displayed_posts(
            [side for pair in pairs for side in (pair.a, pair.b)], request, self.admin_site, using
        )
        for pair in pairs:
            sides = sorted((pair.a, pair.b), key=lambda document: document.static_order)
            pair.posts = [displayed[document.pk] for document in sides]  # type: ignore[attr-defined]

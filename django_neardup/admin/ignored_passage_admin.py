"""The admin of passages to ignore: boilerplate that staff list, with a preview of what a passage would change."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..conf import get_aliases, get_profile
from ..judge.boilerplate_snapshot import RUN_WORDS
from ..models import IgnoredPassage, Pair
from ..pipeline.boilerplate_preview import preview_passage
from ..text.canonical_text import CanonicalText as Text
from .staff_list_admin import StaffListAdmin
from .visible_objects import attach_pair_posts, hidden_document_ids
from .visible_spaces import in_visible_spaces

MAX_EXAMPLES = 20


class IgnoredPassageForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of a passage. A passage of fewer than ``RUN_WORDS`` words would never be found."""

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"]).strip()
        if len(Text(text)) < RUN_WORDS:
            message = ngettext(
                "A passage has at least %(count)d word.", "A passage has at least %(count)d words.", RUN_WORDS
            )
            raise ValidationError(message, params={"count": RUN_WORDS})
        return text


@admin.register(IgnoredPassage)
class IgnoredPassageAdmin(StaffListAdmin):
    """The list of passages to ignore, newest first."""

    form = IgnoredPassageForm
    change_form_template = "neardup/admin/passage_form.html"
    list_display = ("beginning", "profile_name", "note", "by_name", "created")
    search_fields = ("text", "note", "by_name")
    search_help_text = gettext_lazy("Passage, note, who wrote it")
    fields = ("text", "profile", "note", "by_name", "created")

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

    def save_model(self, request: HttpRequest, obj: IgnoredPassage, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
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
                "New posts are judged with the new list. To judge stored pairs again, run “neardup_index --rejudge”."
            ),
        )

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
            preview = preview_passage(
                profiles,
                form.cleaned_data["text"],
                in_visible_spaces(Pair.objects.using(passages.db), request),
                partial(hidden_document_ids, request=request, site=self.admin_site, using=passages.db),
                pk,
            )
            attach_pair_posts(preview.changed[:MAX_EXAMPLES], request, self.admin_site, passages.db)
        return TemplateResponse(
            request,
            "neardup/admin/passage_preview.html",
            {
                **self.site_context(request),
                "title": _("Effect of the passage"),
                "opts": self.opts,
                "media": self.media + form.media,
                "list_url": reverse(f"{self.admin_site.name}:neardup_ignoredpassage_changelist"),
                "form": form,
                "form_url": form_url,
                "preview": preview,
                "examples": preview.changed[:MAX_EXAMPLES] if preview else [],
            },
        )

"""The admin of key phrases: words that staff look for in posts.

Staff add them, switch them on and off, and search existing posts for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, override

from ..conf import get_aliases
from ..db.transactions import call_after_commit
from ..models import Contact, KeyPhrase, Scheme
from ..pipeline.hash_secrets import secret_of
from ..pipeline.key_phrases import normalize_phrase, request_phrase_search
from ..pipeline.source_properties import contact_hash
from ..queues import notify_worker
from ..text.canonical_text import CanonicalText as Text
from .change_list import PreparedListAdmin
from .staff_list_admin import StaffListAdmin
from .visible_spaces import in_visible_spaces

ALL_PROFILES = "*"


class KeyPhraseForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of a key phrase.

    A phrase has at least one word, and is not a single stop word. Equivalent phrases of one profile are
    refused.
    """

    def clean_text(self) -> str:
        text = " ".join(str(self.cleaned_data["text"]).split())
        parsed = Text(text)
        if not parsed.word_count:
            raise ValidationError(_("It has no words."))
        if parsed.word_count == 1 and not parsed.content_word_count:
            raise ValidationError(_("Most texts contain this word: add others to it."))
        return text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        equivalent = self._find_equivalent(cleaned.get("text", ""), cleaned.get("profile", ""))
        if equivalent is not None:
            message = _("A phrase in the list already matches the same texts: %(phrase)s")
            self.add_error("text", ValidationError(message, params={"phrase": equivalent}))
        return cleaned

    def _find_equivalent(self, text: str, profile: str) -> KeyPhrase | None:
        """Return another phrase of the profile with the same matches. Return None if there is none.

        Case and inflected forms of words make no difference.
        """
        others = KeyPhrase.objects.filter(profile=profile).exclude(pk=self.instance.pk)
        words = _token_keys(text)
        return next((phrase for phrase in others if words and _token_keys(phrase.text) == words), None)


def _token_keys(phrase: str) -> list[str]:
    return [token.key for token in Text(phrase).tokens]


class ProfileFilter(admin.SimpleListFilter):
    """A filter by the profile of a phrase. It is absent if there is only one profile."""

    title = gettext_lazy("profile")
    parameter_name = "profile"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        aliases = get_aliases()
        return (
            [(ALL_PROFILES, _("every profile")), *((alias, alias) for alias in aliases)]
            if aliases[1:]
            else []
        )

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return (
            queryset if chosen is None else queryset.filter(profile="" if chosen == ALL_PROFILES else chosen)
        )


@admin.register(KeyPhrase)
class KeyPhraseAdmin(StaffListAdmin, PreparedListAdmin):
    """The list of key phrases, newest first."""

    form = KeyPhraseForm
    list_display = ("text", "profile_name", "active", "post_count", "note", "by_name", "created")
    list_filter = ("active", ProfileFilter)
    search_fields = ("text", "note", "by_name")
    search_help_text = gettext_lazy("Phrase, note, who wrote it")
    actions = ("search_posts", "switch_on", "switch_off")
    fields = ("text", "profile", "active", "note", "by_name", "created")

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Set ``post_count``, the number of posts that contain the phrase, on each row: two queries a page."""
        rows_by_hash: dict[int, list[Any]] = {}
        for row in rows:
            row.post_count = 0
        for scheme in Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE).only("profile", "secret"):
            # The hash of a phrase depends on the scheme's secret: a phrase has one hash for each scheme.
            secret = secret_of(scheme)
            for row in rows:
                if row.profile in ("", scheme.profile):
                    rows_by_hash.setdefault(
                        contact_hash(Contact.Kind.PHRASE, normalize_phrase(row.text), secret), []
                    ).append(row)
        counts = (
            in_visible_spaces(
                Contact.objects.using(using).filter(hash__in=list(rows_by_hash)), request, "document__space"
            )
            .order_by()
            .values_list("hash")
        )
        for phrase_hash, count in counts.annotate(posts=Count("document")):
            for row in rows_by_hash[phrase_hash]:
                row.post_count += count

    @admin.display(description=gettext_lazy("posts"))
    def post_count(self, row: Any) -> int:
        return int(row.post_count)

    def save_model(self, request: HttpRequest, obj: KeyPhrase, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if obj.active and (not change or form.changed_data):
            messages.info(
                request,
                _("New posts are searched for it. For older posts use “Search existing posts”."),
            )

    @admin.action(description=gettext_lazy("Search existing posts"), permissions=["change"])
    def search_posts(self, request: HttpRequest, queryset: QuerySet[KeyPhrase]) -> None:
        """Mark the posts of the phrases' profiles as pending: the worker searches them for every active
        phrase.
        """
        count = request_phrase_search(queryset, queryset.db)
        call_after_commit(queryset.db, notify_worker, queryset.db)
        words = ngettext(
            "%(count)d post is marked: the worker will look for the key phrases in it.",
            "%(count)d posts are marked: the worker will look for the key phrases in them.",
            count,
        )
        messages.success(request, words % {"count": count})

    @admin.action(description=gettext_lazy("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[KeyPhrase]) -> None:
        self._set_active(request, queryset, True)

    @admin.action(description=gettext_lazy("Switch off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[KeyPhrase]) -> None:
        self._set_active(request, queryset, False)

    def _set_active(self, request: HttpRequest, queryset: QuerySet[KeyPhrase], active: bool) -> None:
        changed = list(queryset.exclude(active=active))
        # Django stores field names in the log untranslated and translates them on display.
        with override(None):
            label = capfirst(str(KeyPhrase._meta.get_field("active").verbose_name))
        for phrase in changed:
            phrase.active = active
            phrase.save(using=queryset.db, update_fields=["active"])
            self.log_change(request, phrase, [{"changed": {"fields": [label]}}])
        words = (
            ngettext(
                "%(count)d key phrase was switched on.",
                "%(count)d key phrases were switched on.",
                len(changed),
            )
            if active
            else ngettext(
                "%(count)d key phrase was switched off.",
                "%(count)d key phrases were switched off.",
                len(changed),
            )
        )
        messages.success(request, words % {"count": len(changed)})

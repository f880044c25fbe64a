"""What was merged, hidden and deleted, by whom. The journals themselves hold whole posts and are not shown."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import MergeRecord
from .base import ReadOnlyAdmin
from .words import percent


@admin.register(MergeRecord)
class MergeRecordAdmin(ReadOnlyAdmin):
    """Records, the newest first."""

    list_display = ("loser_text", "action", "keeper_text", "score_words", "by_name", "created", "undone")
    list_filter = ("action",)
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("loser_text", "keeper_text", "by_name", "=loser_id", "=keeper_id")
    fields = readonly_fields = (
        "action", "loser_text", "loser_type", "loser_id", "keeper_text", "keeper_type", "keeper_id", "score_words",
        "verdict", "summary", "by_name", "created", "batch", "undone", "undone_by",
    )  # fmt: skip

    @admin.display(description=gettext_lazy("score"), ordering="score")
    def score_words(self, row: MergeRecord) -> str | None:
        return None if row.score is None else percent(row.score)

    @admin.display(description=gettext_lazy("journal"))
    def summary(self, row: MergeRecord) -> str:
        """How much the journal holds."""
        counts = {name: len(row.journal.get(name, ())) for name in ("rows", "moves")}
        return _("%(rows)d rows kept, %(moves)d moved") % counts

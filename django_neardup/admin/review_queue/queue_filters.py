"""The filters of the queue. A site adds its own to ``QueueAdmin.filters``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Case, CharField, F, Q
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ...pipeline.open_items.columns import case_expression
from ...pipeline.open_items.rows import MILLION
from ..text_format import VERDICT_SIGNS

LabelMap = Mapping[str, "str | Promise"]


@dataclass(frozen=True)
class Filter:
    """A filter of the queue.

    - ``name``: its parameter in the address.
    - ``expression``: an SQL expression over ``OpenItem`` that returns the filter value as text, or a function that
      returns such an expression for the present time.
    - ``labels``: the values and their labels in display order. It is empty if the labels come from rows of the
      database: see ``QueuePage``.
    """

    name: str
    title: str | Promise
    labels: LabelMap
    expression: Any | Callable[[], Any]

    @property
    def annotation_name(self) -> str:
        """Return the name of the query annotation."""
        return f"is_{self.name}"

    @property
    def annotation(self) -> Any:
        return self.expression if hasattr(self.expression, "resolve_expression") else self.expression()


YES_NO_LABELS: LabelMap = {"yes": _("Yes"), "no": _("No")}
VERDICT_LABELS: LabelMap = {
    verdict: format_lazy("{} {}", sign, verdict.label) for verdict, sign in VERDICT_SIGNS.items()
}
SCORE_LABELS: LabelMap = {"90": _("90 % and above"), "70": "70–89 %", "less": _("below 70 %")}
AGE_LABELS: LabelMap = {"day": _("up to a day"), "week": _("up to a week"), "more": _("longer")}
CONTACT_LABELS: LabelMap = {
    "same": pgettext_lazy("contacts", "The same"),
    "different": pgettext_lazy("contacts", "Different"),
    "none": pgettext_lazy("contacts", "Not given"),
}
AUTHOR_LABELS: LabelMap = {
    "same": pgettext_lazy("authors", "The same"),
    "different": pgettext_lazy("authors", "Different"),
    "none": pgettext_lazy("authors", "Not known"),
}


def _yes_no(column: str) -> Case:
    return case_expression((Q(**{column: True}), "yes"), default="no")


def _age() -> Case:
    day, week = (timezone.now() - timedelta(days=days) for days in (1, 7))
    return case_expression((Q(since__gte=day), "day"), (Q(since__gte=week), "week"), default="more")


def _score() -> Case:
    bounds = (Q(score__gte=MILLION * 9 // 10), "90"), (Q(score__gte=MILLION * 7 // 10), "70")
    return case_expression(*bounds, default="less")


FILTERS = (
    Filter("verdict", _("Verdict"), VERDICT_LABELS, F("verdict")),
    Filter("contact", _("Contacts"), CONTACT_LABELS, F("contact")),
    Filter("exact", _("Exact copy"), YES_NO_LABELS, _yes_no("exact")),
    Filter("again", _("Reopened"), YES_NO_LABELS, _yes_no("again")),
    Filter("author", _("Authors"), AUTHOR_LABELS, F("author")),
    Filter("phrase", _("Key phrase"), YES_NO_LABELS, _yes_no("phrase")),
    Filter("model", _("Kind"), {}, F("model")),
    Filter("scope", _("Scope"), {}, Cast("space_id", CharField())),
    Filter("score", _("Score"), SCORE_LABELS, _score),
    Filter("age", _("Waiting"), AGE_LABELS, _age),
)
"""The filters of every queue, in their order on the page."""

"""The reasons why documents are not compared, in words for staff."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ..pipeline.source_properties import NOT_COMPARED, TOO_LONG, TOO_SHORT

SKIP_REASON_LABELS = {
    NOT_COMPARED: _("left out by compared()"),
    TOO_SHORT: _("too short to be compared"),
    TOO_LONG: _("too long to be compared"),
}

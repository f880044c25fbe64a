"""What staff look for in texts."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from .fields import ExactCharField


class KeyPhrase(models.Model):
    """A phrase that staff want to know of: posts whose text holds it, in whatever form of its words, are told by it.

    ``profile`` is the alias whose posts are searched, empty for those of every profile. ``revision`` counts the
    changes of the row, so that workers notice each of them.
    """

    text = models.CharField(_("phrase"), max_length=200)
    profile = models.CharField(
        _("profile"), max_length=100, blank=True, default="", help_text=_("empty: every profile")
    )
    active = models.BooleanField(_("looked for"), default=True)
    note = models.TextField(_("note"), blank=True, default="")
    by = ExactCharField(_("user id"), max_length=255, blank=True, default="", editable=False)
    by_name = models.CharField(_("by"), max_length=255, blank=True, default="", editable=False)
    created = models.DateTimeField(_("when"), auto_now_add=True)
    revision = models.PositiveIntegerField(_("revision"), default=0, editable=False)

    class Meta:
        app_label = "neardup"
        verbose_name = _("key phrase")
        verbose_name_plural = _("key phrases")

    def __str__(self) -> str:
        return self.text

    def save(self, **options: Any) -> None:
        """Count the change; two that come at once count as two."""
        present = not self._state.adding
        if present:
            self.revision = F("revision") + 1
            if (names := options.get("update_fields")) is not None:
                options["update_fields"] = {*names, "revision"}
        super().save(**options)
        if present:
            self.refresh_from_db(using=options.get("using"), fields=["revision"])

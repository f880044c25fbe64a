"""What staff look for in texts."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import ExactCharField


class KeyPhrase(models.Model):
    """A phrase that staff want to know of: posts whose text holds it, in whatever form of its words, are told by it.

    ``profile`` is the alias whose posts are searched, empty for those of every profile. Workers notice every change of
    the list at their next turn, however it was made.
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

    class Meta:
        app_label = "neardup"
        verbose_name = _("key phrase")
        verbose_name_plural = _("key phrases")

    def __str__(self) -> str:
        return self.text

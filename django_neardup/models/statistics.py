"""Frozen statistics of a site's posts."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import DigestField


class TermStatistics(models.Model):
    """How rare words are among the posts of a profile, at one time. Rows are never changed.

    ``packed`` is what ``signatures.statistics.TermStatistics`` packs, ``digest`` the name that a scheme calls it by.
    ``words`` are those that more than one post holds, ``average_length`` is in words a post.
    """

    profile = models.CharField(_("profile"), max_length=100)
    number = models.PositiveIntegerField(_("number"), default=1)
    documents = models.PositiveIntegerField(_("posts"), default=0)
    average_length = models.FloatField(_("words a post"), default=0.0)
    words = models.PositiveIntegerField(_("words"), default=0)
    digest = DigestField(_("digest"))
    packed = models.BinaryField(_("packed"), default=bytes)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("statistics of words")
        verbose_name_plural = _("statistics of words")
        constraints = [
            models.UniqueConstraint(fields=["profile", "number"], name="neardup_statistics_number"),
        ]

    def __str__(self) -> str:
        return f"{self.profile} {self.number}"

"""Where posts that are no more used to be, so that their addresses go on working."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import DigestField, ExactCharField
from .merge import MergeRecord


class MovedUrl(models.Model):
    """An old address and the post that answers for it now; without one it is gone for good.

    ``path`` is the address without scheme, host and query, percent-decoded; ``digest``, of the whole path, finds it,
    whatever its length and letters. ``record`` says which merge or deletion left it.
    """

    digest = DigestField(_("digest of the path"), unique=True, blank=False)
    path = models.TextField(_("old path"))
    content_type = models.ForeignKey(
        ContentType, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("model")
    )
    object_id = ExactCharField(_("object id"), max_length=255, blank=True, default="")
    record = models.ForeignKey(
        MergeRecord,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="moved_urls",
        verbose_name=_("merge record"),
    )
    created = models.DateTimeField(_("since"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("moved address")
        verbose_name_plural = _("moved addresses")
        indexes = [models.Index(fields=["content_type", "object_id"], name="neardup_moved_to")]

    def __str__(self) -> str:
        return self.path[:200]

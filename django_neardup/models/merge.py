"""The journal of what staff did to posts."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import ExactCharField


class MergeRecord(models.Model):
    """One post that was merged into a keeper, hidden or deleted, with all that an undo needs.

    ``journal`` holds the rows before the change: ``{"rows": serialised objects, "moves": [{"model", "pk", "field",
    "from", "to"}], "m2m": …, "hold": …}``. Records of one confirmation share ``batch``. Score, verdict and ``exact``
    are what the person saw; ``author`` is the post's when it was last compared. ``left`` says, in words, what an undo
    could not bring back.
    """

    class Action(models.TextChoices):
        MERGE = "merge", _("merged")
        HIDE = "hide", _("hidden")
        DELETE = "delete", _("deleted")

    action = models.CharField(_("action"), max_length=10, choices=Action.choices)
    batch = models.UUIDField(_("batch"), db_index=True)
    cluster = models.BigIntegerField(_("cluster"), null=True, blank=True)
    keeper_type = models.ForeignKey(
        ContentType,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("model of the keeper"),
    )
    keeper_id = ExactCharField(_("id of the keeper"), max_length=255, blank=True, default="")
    keeper_text = models.CharField(_("keeper"), max_length=200, blank=True, default="")
    loser_type = models.ForeignKey(ContentType, models.CASCADE, related_name="+", verbose_name=_("model"))
    loser_id = ExactCharField(_("object id"), max_length=255)
    loser_text = models.CharField(_("post"), max_length=200, blank=True, default="")
    author = ExactCharField(_("author"), max_length=255, blank=True, default="")
    score = models.FloatField(_("score"), null=True, blank=True)
    verdict = models.CharField(_("verdict"), max_length=10, blank=True, default="")
    exact = models.BooleanField(_("exact copy"), default=False)
    journal = models.JSONField(_("journal"), default=dict)
    by = ExactCharField(_("user id"), max_length=255, blank=True, default="")
    by_name = models.CharField(_("by"), max_length=255, blank=True, default="")
    created = models.DateTimeField(_("when"), auto_now_add=True)
    undone = models.DateTimeField(_("undone"), null=True, blank=True)
    undone_by = models.CharField(_("undone by"), max_length=255, blank=True, default="")
    left = models.JSONField(_("not restored"), default=list, blank=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("merge record")
        verbose_name_plural = _("merge records")
        indexes = [
            models.Index(fields=["loser_type", "loser_id"], name="neardup_merge_loser"),
            models.Index(fields=["author"], name="neardup_merge_author"),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.loser_id}"

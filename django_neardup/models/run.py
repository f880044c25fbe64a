"""Which part of a model ``neardup_index`` has come through, and who is at which part of the rest."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import ExactCharField
from .scheme import Scheme


class IndexRange(models.Model):
    """A stretch of a model's objects in primary key order, worked off by one process at a time.

    Its keys lie after ``after`` (None: from the first) up to ``last``. Its objects are numbered from ``first_seen`` on.
    ``token`` names the claim that has it until ``leased_until`` (milliseconds since 1970 by the database's clock);
    ``done`` of its ``posts`` are through.
    """

    scheme = models.ForeignKey(
        Scheme, models.CASCADE, related_name="+", db_constraint=False, verbose_name=_("scheme")
    )
    label = models.CharField(_("model"), max_length=200)
    number = models.PositiveIntegerField(_("number"))
    after = ExactCharField(_("after this object id"), max_length=255, null=True, blank=True)
    last = ExactCharField(_("up to this object id"), max_length=255)
    first_seen = models.BigIntegerField(_("first-seen number"))
    posts = models.PositiveIntegerField(_("posts"))
    done = models.PositiveIntegerField(_("done"), default=0)
    finished = models.BooleanField(_("finished"), default=False)
    token = models.CharField(_("claim"), max_length=32, blank=True, default="")
    leased_until = models.BigIntegerField(_("leased until"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)

    class Meta:
        app_label = "neardup"
        verbose_name = _("range of an index run")
        verbose_name_plural = _("ranges of index runs")
        constraints = [
            models.UniqueConstraint(fields=["scheme", "label", "number"], name="neardup_range_number"),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.number}"

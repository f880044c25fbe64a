"""Groups of duplicates: derived from pairs and decisions, they can be rebuilt at any time."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from .document import Document, Ledger
from .fields import DigestField, ExactCharField
from .scheme import Scheme, Space


class Cluster(Ledger):
    """Two or more documents, each verified with the representative. ``wanted`` above ``done`` asks for a repair."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        RESOLVED = "resolved", _("resolved")

    wanted = models.BigIntegerField(_("wanted"), default=0)
    space = models.ForeignKey(
        Space, models.CASCADE, related_name="clusters", db_constraint=False, verbose_name=_("space")
    )
    representative = models.OneToOneField(
        Document, models.CASCADE, related_name="leads", db_constraint=False, verbose_name=_("representative")
    )
    size = models.PositiveIntegerField(_("size"), default=0)
    lowest = models.FloatField(_("lowest score"), default=1.0, help_text=_("with the representative"))
    weakest = models.FloatField(_("weakest known pair"), default=1.0)
    exact = models.BooleanField(_("exact copies"), default=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.OPEN)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("cluster")
        verbose_name_plural = _("clusters")
        permissions = [
            ("review", _("Can decide on near-duplicates")),
            ("merge_cluster", _("Can merge near-duplicates")),
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.size}"


class Queue(Cluster):
    """All that waits for a person, clusters and pairs, as one list of the admin. It has no rows of its own."""

    class Meta:
        app_label = "neardup"
        proxy = True
        default_permissions = ()
        verbose_name = _("queue")
        verbose_name_plural = _("queue")


class Membership(models.Model):
    """A document's place in a cluster; ``reason`` says what holds it there.

    It repeats whose document it is, so that lists of posts find their clusters without reading documents."""

    class Reason(models.TextChoices):
        REPRESENTATIVE = "representative", _("representative")
        DUPLICATE = "duplicate", _("duplicate of the representative")
        DECISION = "decision", _("a person's decision")

    document = models.OneToOneField(
        Document, models.CASCADE, related_name="membership", db_constraint=False, verbose_name=_("document")
    )
    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="memberships", db_constraint=False, verbose_name=_("cluster")
    )
    content_type = models.ForeignKey(
        ContentType,
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
        verbose_name=_("model"),
    )
    object_id = ExactCharField(_("object id"), max_length=255)
    object_key = models.BigIntegerField(_("object id as a number"), null=True, blank=True)
    score = models.FloatField(_("score"), default=1.0)
    reason = models.CharField(_("reason"), max_length=14, choices=Reason.choices)
    exact = models.BooleanField(_("exact"), default=False)
    scheme = models.ForeignKey(
        Scheme,
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
        verbose_name=_("scheme"),
    )
    digest = DigestField(_("source digest"))

    class Meta:
        app_label = "neardup"
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        indexes = [
            models.Index(fields=["content_type", "object_key"], name="neardup_membership_key"),
            models.Index(fields=["content_type", "object_id"], name="neardup_membership_object"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} in {self.cluster_id}"

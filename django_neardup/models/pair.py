"""Facts about two documents, and what people decided."""

from __future__ import annotations

from uuid import uuid4

from django.db import models
from django.utils.translation import gettext_lazy as _

from .document import Document
from .fields import DigestField, ExactCharField
from .scheme import Scheme, Space


class Verdict(models.TextChoices):
    """What verification says of two texts; "none" is never stored."""

    DUPLICATE = "duplicate", _("duplicate")
    VARIANT = "variant", _("variant")
    CONTAINED = "contained", _("contained")
    RELATED = "related", _("related")


class Decision(models.Model):
    """A person's word on documents: the same thing, or different ones.

    It holds for every two members on unlike sides; side 0 stands against every other member. ``known`` keeps the
    verdict and the classes of each pair at that time, ``"a-b": [verdict, classes, score]``. The newest wins; a
    withdrawn one counts no more. Decisions of one confirmation share ``batch``.
    """

    class Kind(models.TextChoices):
        SAME = "same", _("the same")
        DIFFERENT = "different", _("not duplicates")

    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    space = models.ForeignKey(Space, models.CASCADE, related_name="decisions", verbose_name=_("space"))
    known = models.JSONField(_("verdicts at that time"), default=dict)
    note = models.TextField(_("note"), blank=True, default="")
    batch = models.UUIDField(_("batch"), default=uuid4, db_index=True)
    by = ExactCharField(_("user id"), max_length=255, blank=True, default="")
    by_name = models.CharField(_("by"), max_length=255, blank=True, default="")
    created = models.DateTimeField(_("when"), auto_now_add=True)
    withdrawn = models.DateTimeField(_("withdrawn"), null=True, blank=True)
    withdrawn_by = models.CharField(_("withdrawn by"), max_length=255, blank=True, default="")

    class Meta:
        app_label = "neardup"
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.by_name}"


class DecisionMember(models.Model):
    """A document that a decision speaks of, and the source digest that it had then."""

    decision = models.ForeignKey(Decision, models.CASCADE, related_name="members", verbose_name=_("decision"))
    document = models.ForeignKey(
        Document, models.CASCADE, related_name="decisions", db_constraint=False, verbose_name=_("document")
    )
    side = models.PositiveSmallIntegerField(_("side"), default=0)
    digest = DigestField(_("source digest"))

    class Meta:
        app_label = "neardup"
        verbose_name = _("member of a decision")
        verbose_name_plural = _("members of a decision")
        constraints = [
            models.UniqueConstraint(fields=["decision", "document"], name="neardup_decision_document"),
        ]


class Pair(models.Model):
    """A verified pair, ``a < b``. It counts only while both digests are those of the fingerprints.

    ``decision`` is the decision in force on this pair, if any: derived, renewed whenever the pair is written.
    """

    a = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
        verbose_name=_("first"),
    )
    b = models.ForeignKey(
        Document, models.CASCADE, related_name="+", db_constraint=False, verbose_name=_("second")
    )
    scheme = models.ForeignKey(
        Scheme,
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
        verbose_name=_("scheme"),
    )
    space = models.ForeignKey(
        Space,
        models.CASCADE,
        related_name="pairs",
        db_constraint=False,
        db_index=False,
        verbose_name=_("space"),
    )
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict.choices)
    exact = models.BooleanField(_("exact"), default=False)
    score = models.FloatField(_("score"))
    containment_a = models.FloatField(_("share of the first in the second"))
    containment_b = models.FloatField(_("share of the second in the first"))
    classes = models.CharField(_("deciding differences"), max_length=200, blank=True, default="")
    evidence = models.JSONField(_("evidence"), default=dict)
    digest_a = DigestField(_("source digest of the first"))
    digest_b = DigestField(_("source digest of the second"))
    decision = models.ForeignKey(
        Decision,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
        verbose_name=_("decision"),
    )
    found = models.DateTimeField(_("found"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("pair")
        verbose_name_plural = _("pairs")
        constraints = [
            models.UniqueConstraint(fields=["a", "b", "scheme"], name="neardup_pair_documents"),
            models.CheckConstraint(condition=models.Q(a__lt=models.F("b")), name="neardup_pair_order"),
        ]
        indexes = [models.Index(fields=["space", "verdict"], name="neardup_pair_verdict")]

    def __str__(self) -> str:
        return f"{self.a_id} – {self.b_id}: {self.get_verdict_display()}"

    def other(self, document: int) -> int:
        """The id of the pair's other document."""
        return self.b_id if self.a_id == document else self.a_id

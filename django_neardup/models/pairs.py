"""Clusters, decisions and pairs.

Clusters are derived from pairs and decisions and can be rebuilt at any time.
"""

from __future__ import annotations

from uuid import uuid4

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import DigestField, ExactCharField
from .index import Document, Scheme, Space, WorkQueueRow


class Cluster(WorkQueueRow):
    """Two or more documents, each verified with the leader.

    If ``wanted`` is above ``done``, a repair is pending.
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        RESOLVED = "resolved", _("resolved")

    wanted = models.BigIntegerField(_("wanted"), default=0)
    space = models.ForeignKey(
        Space, models.CASCADE, related_name="clusters", db_constraint=False, verbose_name=_("space")
    )
    leader = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="leads",
        db_constraint=False,
        db_index=False,
        verbose_name=_("main post"),
    )
    scheme = models.ForeignKey(
        Scheme,
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
        verbose_name=_("scheme"),
    )
    size = models.PositiveIntegerField(_("size"), default=0)
    lowest = models.FloatField(_("lowest score"), default=1.0, help_text=_("with the main post"))
    weakest = models.FloatField(_("weakest known pair"), default=1.0)
    exact = models.BooleanField(_("exact copies"), default=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.OPEN)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("group")
        verbose_name_plural = _("groups")
        constraints = [
            models.UniqueConstraint(fields=["leader", "scheme"], name="neardup_cluster_leader"),
        ]
        permissions = [
            ("review", _("Can decide on near-duplicates")),
            ("merge_cluster", _("Can merge near-duplicates")),
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.size}"


class Queue(Cluster):
    """The review queue of the admin: clusters and pairs in one list. It stores no rows."""

    class Meta:
        app_label = "neardup"
        proxy = True
        default_permissions = ()
        verbose_name = _("queue")
        verbose_name_plural = _("queue")


class Membership(models.Model):
    """A document's membership in a cluster.

    ``reason`` names why the document belongs to it. Content type and object id are repeated here, so that
    lists of posts find their clusters without reading documents.
    """

    class Reason(models.TextChoices):
        LEADER = "leader", _("main post")
        DUPLICATE = "duplicate", _("duplicate of the main post")
        DECISION = "decision", _("a moderator's decision")

    document = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="memberships",
        related_query_name="membership",
        db_constraint=False,
        db_index=False,
        verbose_name=_("document"),
    )
    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="memberships", db_constraint=False, verbose_name=_("group")
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
        constraints = [
            models.UniqueConstraint(fields=["document", "scheme"], name="neardup_membership_document"),
        ]
        indexes = [
            models.Index(fields=["content_type", "object_key"], name="neardup_membership_key"),
            models.Index(fields=["content_type", "object_id"], name="neardup_membership_object"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} in {self.cluster_id}"


class FamilyMember(models.Model):
    """A member of a template family: it was offered beside the family's leader, and is no duplicate of it.

    Leaders of clusters and documents in no cluster have families. The leader has no row. It is in no family
    itself, so chains never form. Families are derived from pairs and clusters and can be rebuilt at any time.

    - ``doubtful``: the pair with the leader is a doubt: it may be the same item.
    """

    document = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="families",
        db_constraint=False,
        db_index=False,
        verbose_name=_("document"),
    )
    leader = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="family_members",
        db_constraint=False,
        verbose_name=_("main post"),
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
        related_name="family_members",
        db_constraint=False,
        db_index=False,
        verbose_name=_("space"),
    )
    doubtful = models.BooleanField(_("doubtful"), default=False)

    class Meta:
        app_label = "neardup"
        verbose_name = _("member of a family")
        verbose_name_plural = _("members of families")
        constraints = [
            models.UniqueConstraint(fields=["document", "scheme"], name="neardup_family_document"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} beside {self.leader_id}"


class Verdict(models.TextChoices):
    """The verdict of a verification of two texts. "none" is never stored."""

    DUPLICATE = "duplicate", _("duplicate")
    VARIANT = "variant", _("variant")
    CONTAINED = "contained", _("contained")
    RELATED = "related", _("related")


class Decision(models.Model):
    """A moderator's decision: the documents are the same, or they are different.

    It covers every two members on different sides. Side 0 is paired with every other member, including those
    on side 0. The newest decision wins, and a withdrawn one has no effect.

    - ``known``: verdict, difference classes and score of each pair at that time, ``"a-b": [verdict, classes,
      score]``. If a later judge gave another verdict, this verdict and its classes follow.
    - ``batch``: shared by the decisions of one confirmation.
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
    """A document that a decision covers, with its source digest at that time."""

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
    """A verified pair, ``a < b``.

    It is current only while both digests equal those of the fingerprints. ``decision`` is the decision in
    force on this pair. It is derived, and renewed whenever the pair is written.

    - ``doubtful``: a variant that may be the same item, or a related pair that may be (``judge/certainty.py``).
    - ``judge_version``: the version of the judge that gave the verdict. It is 0 if it is unknown.
    - ``snapshot``: the digest of the snapshot of boilerplate that the judge used, or empty.
    - ``open``: whether it waits for a moderator. It is derived, and renewed with the rows of the queue
      (``pipeline.open_items``).
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
    doubtful = models.BooleanField(_("doubtful"), default=False)
    score = models.FloatField(_("score"))
    containment_a = models.FloatField(_("share of the first in the second"))
    containment_b = models.FloatField(_("share of the second in the first"))
    classes = models.CharField(_("deciding differences"), max_length=200, blank=True, default="")
    evidence = models.JSONField(_("evidence"), default=dict)
    digest_a = DigestField(_("source digest of the first"))
    digest_b = DigestField(_("source digest of the second"))
    judge_version = models.PositiveSmallIntegerField(_("version of the judge"), default=0)
    snapshot = DigestField(_("snapshot of boilerplate"))
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
    open = models.BooleanField(_("open"), default=False, db_default=False)

    class Meta:
        app_label = "neardup"
        verbose_name = _("pair")
        verbose_name_plural = _("pairs")
        constraints = [
            models.UniqueConstraint(fields=["a", "b", "scheme"], name="neardup_pair_documents"),
            models.CheckConstraint(condition=models.Q(a__lt=models.F("b")), name="neardup_pair_order"),
        ]
        indexes = [
            models.Index(fields=["space", "verdict"], name="neardup_pair_verdict"),
            models.Index(fields=["scheme", "judge_version", "snapshot"], name="neardup_pair_judge"),
            models.Index(fields=["open", "-score", "id"], name="neardup_pair_open"),
        ]

    def __str__(self) -> str:
        return f"{self.a_id} – {self.b_id}: {self.get_verdict_display()}"

    def other_id(self, document: int) -> int:
        """Return the id of the pair's other document."""
        return self.b_id if self.a_id == document else self.a_id

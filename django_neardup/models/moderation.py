"""Held posts, merge records with their journals, moved addresses, and the lists that staff keep."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from .fields import DigestField, ExactCharField
from .index import Document, Scheme, Space
from .pairs import Verdict

MAX_SHOWN_CHARACTERS = 60
"""Characters of a passage that name it in a list."""


class Hold(models.Model):
    """A post held back from publication when it was saved, until its check or a moderator's review.

    - ``verdict``, ``exact``, ``own``: of the most similar post for which the rules held it. Empty during the
      check.
    - ``trust``: how far the rules trusted the user that saved it.
    - ``digest``: the judged source digest. If the post is edited, it is judged again.
    - ``created``: the start of the hold. For a post that staff had hidden, the time when it was hidden.
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("being checked")
        REVIEW = "review", _("waiting for a moderator")
        REFUSED = "refused", _("refused")

    document = models.OneToOneField(
        Document, models.CASCADE, related_name="hold", db_constraint=False, verbose_name=_("document")
    )
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.CHECKING)
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict.choices, blank=True, default="")
    exact = models.BooleanField(_("exact"), default=False)
    own = models.BooleanField(_("of the same author"), default=False)
    trust = models.CharField(_("trust"), max_length=100, blank=True, default="")
    digest = DigestField(_("source digest"))
    created = models.DateTimeField(pgettext_lazy("held post", "since"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("held post")
        verbose_name_plural = _("held posts")
        indexes = [models.Index(fields=["state", "created"], name="neardup_hold_state")]

    def __str__(self) -> str:
        return f"{self.document}: {self.get_state_display()}"


class OpenItem(models.Model):
    """A row of the review queue: what waits for a moderator, and what the list is sorted and filtered by.

    Rows are derived from pairs, clusters, families and decisions, and can be rebuilt at any time. ``ChangedDocument``
    says around which documents they are outdated.

    - ``kind``, ``number``: a cluster or a pair by its id, a family or a shortlist by the document of its post, groups
      of exact copies by one author by the earliest leader's document.
    - ``owner``: the document that the row belongs to: the leader of a cluster or a family, the youngest post of
      pairs. The rows of an owner are formed together. ``of_family``: the owner is the leader of a family.
    - ``copied_by``: the author, if all posts of the row are exact copies by one author, otherwise empty. The rows of
      such an author are formed together.
    - ``documents``: the posts that the row depends on, the members of a cluster among them.
    - ``priority``: what a decision settles, weighted with the certainty in thousandths.
    - ``score``: in millionths. For a cluster the lowest one, for several pairs the highest.
    - ``size``: the number of posts.
    - ``since``: the start of the waiting time. ``again``: it was decided before.
    - ``verdict``, ``exact``, ``contact``, ``author``, ``phrase``, ``model``: see the filters of the queue.
    """

    class Kind(models.TextChoices):
        CLUSTER = "c", _("group")
        PAIR = "p", _("pair")
        FAMILY = "f", _("family")
        SHORTLIST = "s", _("post like several")
        COPIES = "x", _("copies by one author")

    class Part(models.TextChoices):
        REVIEW = "review", _("To review")
        FAMILIES = "families", _("Families")

    scheme = models.ForeignKey(
        Scheme, models.CASCADE, related_name="+", db_constraint=False, verbose_name=_("scheme")
    )
    space = models.ForeignKey(
        Space, models.CASCADE, related_name="open_items", db_constraint=False, verbose_name=_("space")
    )
    part = models.CharField(_("part"), max_length=8, choices=Part.choices)
    kind = models.CharField(_("kind"), max_length=1, choices=Kind.choices)
    number = models.BigIntegerField(_("number"))
    owner = models.ForeignKey(
        Document, models.CASCADE, related_name="owned_items", db_constraint=False, verbose_name=_("owner")
    )
    of_family = models.BooleanField(_("of a family"), default=False)
    copied_by = ExactCharField(_("copied by"), max_length=255, blank=True, default="")
    documents = models.ManyToManyField(
        Document, related_name="open_items", db_constraint=False, verbose_name=_("documents")
    )
    priority = models.BigIntegerField(_("priority"))
    score = models.BigIntegerField(_("score"))
    size = models.PositiveIntegerField(_("size"))
    since = models.DateTimeField(_("waiting since"))
    again = models.BooleanField(_("reopened"), default=False)
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict.choices)
    exact = models.BooleanField(_("exact"), default=False)
    contact = models.CharField(_("contacts"), max_length=9)
    author = models.CharField(_("authors"), max_length=9)
    phrase = models.BooleanField(_("key phrase"), default=False)
    model = models.CharField(_("model"), max_length=50)

    class Meta:
        app_label = "neardup"
        default_permissions = ()
        verbose_name = _("row of the queue")
        verbose_name_plural = _("rows of the queue")
        constraints = [models.UniqueConstraint(fields=["number", "kind"], name="neardup_item_source")]
        indexes = [
            # One for each order of the list.
            models.Index(fields=["part", "-priority", "since", "id"], name="neardup_item_priority"),
            models.Index(fields=["part", "-score", "since", "id"], name="neardup_item_score"),
            models.Index(fields=["part", "-size", "since", "id"], name="neardup_item_size"),
            models.Index(fields=["part", "since", "id"], name="neardup_item_since"),
            models.Index(fields=["copied_by"], name="neardup_item_copied_by"),
        ]

    def __str__(self) -> str:
        return self.item_key

    @property
    def item_key(self) -> str:
        """Return the key in forms and addresses, for example "c12"."""
        return f"{self.kind}{self.number}"


class ChangedDocument(models.Model):
    """A document around which rows of the review queue must be formed again.

    Every change of its pairs, its cluster or its family adds one, in the same transaction.
    """

    document = models.BigIntegerField(_("document"))

    class Meta:
        app_label = "neardup"
        default_permissions = ()
        verbose_name = _("changed document")
        verbose_name_plural = _("changed documents")

    def __str__(self) -> str:
        return str(self.document)


class MergeRecord(models.Model):
    """A post that was merged into a keeper, hidden or deleted, with all data for an undo.

    - ``journal``: the rows before the change, ``{"rows": serialised objects, "moves": [{"model", "pk",
      "field", "from", "to"}], "m2m": …, "hold": …}``.
    - ``batch``: shared by the records of one confirmation.
    - ``space``: where the post was compared. Empty if it never was.
    - ``score``, ``verdict``, ``exact``: the values that the moderator was shown.
    - ``author``: the post's author at its last comparison.
    - ``left``: sentences about what an undo could not restore.
    - ``emptied``: the time when the journal was emptied. Its undo is not possible since then.
    """

    class Action(models.TextChoices):
        MERGE = "merge", _("merged")
        HIDE = "hide", _("hidden")
        DELETE = "delete", _("deleted")

    action = models.CharField(_("action"), max_length=10, choices=Action.choices)
    batch = models.UUIDField(_("batch"), db_index=True)
    space = models.ForeignKey(
        Space,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
        verbose_name=_("space"),
    )
    cluster = models.BigIntegerField(_("group"), null=True, blank=True)
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
    emptied = models.DateTimeField(_("journal emptied"), null=True, blank=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("merge record")
        verbose_name_plural = _("merge records")
        indexes = [
            models.Index(fields=["loser_type", "loser_id"], name="neardup_merge_loser"),
            models.Index(fields=["author"], name="neardup_merge_author"),
            models.Index(fields=["emptied", "created"], name="neardup_merge_emptied"),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.loser_id}"


class UndoProof(models.Model):
    """What came of the last try to undo an action on posts of a model, before the action was committed.

    - ``reasons``: sentences about what would not have come back.
    """

    class Outcome(models.TextChoices):
        DONE = "done", _("everything was restored")
        ACCEPTED = "accepted", _("a loss was accepted")
        REFUSED = "refused", _("refused")

    content_type = models.OneToOneField(
        ContentType, models.CASCADE, related_name="+", verbose_name=_("model")
    )
    outcome = models.CharField(_("outcome"), max_length=10, choices=Outcome.choices)
    reasons = models.JSONField(_("reasons"), default=list, blank=True)
    created = models.DateTimeField(_("when"), auto_now=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("tried undo")
        verbose_name_plural = _("tried undos")

    def __str__(self) -> str:
        return f"{self.content_type}: {self.get_outcome_display()}"


class MovedUrl(models.Model):
    """An old address and the post that replaces it.

    Without a post the address is permanently gone.

    - ``path``: the address without scheme, host and query, percent-decoded.
    - ``digest``: of the whole path. Look-ups use it, so length and letters of the path do not matter.
    - ``record``: the merge or deletion that the address comes from.
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


class StaffEntry(models.Model):
    """An entry of a list that staff keep for one profile or for all.

    ``profile`` is the alias of the profile. If it is empty, the entry is for every profile.
    """

    profile = models.CharField(
        _("profile"), max_length=100, blank=True, default="", help_text=_("empty: every profile")
    )
    note = models.TextField(_("note"), blank=True, default="")
    by = ExactCharField(_("user id"), max_length=255, blank=True, default="", editable=False)
    by_name = models.CharField(_("by"), max_length=255, blank=True, default="", editable=False)
    created = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        abstract = True


class IgnoredPassage(StaffEntry):
    """A passage that staff have listed as boilerplate: a footer, a rule of the site, a usual offer.

    Two posts are no variants of one another because both have it.
    """

    text = models.TextField(_("passage"))

    class Meta:
        app_label = "neardup"
        verbose_name = _("passage to ignore")
        verbose_name_plural = _("passages to ignore")

    def __str__(self) -> str:
        return Truncator(self.text).chars(MAX_SHOWN_CHARACTERS)


class KeyPhrase(StaffEntry):
    """A phrase that staff want to be notified of.

    Any form of its words matches. Workers read the list again at their next turn after any change, however it was
    made.
    """

    text = models.CharField(_("phrase"), max_length=200)
    active = models.BooleanField(_("active"), default=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("key phrase")
        verbose_name_plural = _("key phrases")

    def __str__(self) -> str:
        return self.text

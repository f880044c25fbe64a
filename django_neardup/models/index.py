"""Schemes, spaces, documents and what the index stores of them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from ..conf import KEYS
from ..db.timezones import to_database
from .fields import DigestField, ExactCharField


class Scheme(models.Model):
    """A generation of a profile's signatures.

    It has an algorithm, parameters, a version of the canonicalization and a hash secret. Signatures and pairs
    are comparable only inside one scheme.

    - ``options``: the arguments of the algorithm.
    - ``parameters``: the algorithm's own description, with the digests of the statistics and synonyms that it
      uses, and with ``candidates`` unless that is "keys".
    - ``synonyms``: the word classes of the profile's file at that time.
    - ``progress``: the progress of ``neardup_index`` by model label. ``"pass"`` is the number of the current
      pass over the model, ``"finished"`` whether it is finished, ``"again"`` whether an earlier pass was, and
      ``"completed"`` the scheme of the last one that was.
      ``"torn"`` lists the key ranges in which earlier passes were interrupted.
    """

    class State(models.TextChoices):
        BUILDING = "building", _("building")
        ACTIVE = "active", _("active")
        RETIRED = "retired", _("retired")

    profile = models.CharField(_("profile"), max_length=100)
    generation = models.PositiveIntegerField(_("generation"), default=1)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.ACTIVE)
    algorithm = models.CharField(_("algorithm"), max_length=100)
    options = models.JSONField(_("options"), default=dict, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict)
    canonisation = models.CharField(_("canonicalization version"), max_length=50)
    language = models.CharField(_("language"), max_length=20)
    synonyms = models.JSONField(_("synonyms"), default=list, blank=True)
    secret = models.CharField(_("hash secret"), max_length=64)
    progress = models.JSONField(_("progress"), default=dict, blank=True)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("scheme")
        verbose_name_plural = _("schemes")
        constraints = [
            models.UniqueConstraint(fields=["profile", "generation"], name="neardup_scheme_generation"),
        ]

    def __str__(self) -> str:
        return f"{self.profile} {self.generation}: {self.algorithm}"

    @property
    def candidates(self) -> str:
        """The value of the setting CANDIDATES with which the scheme was built."""
        return str(self.parameters.get("candidates", KEYS))


class Space(models.Model):
    """Documents that are compared with each other.

    A space consists of a profile, the models joined by ``compare_with``, and a scope. Its row is the lock for
    changes of pairs and clusters. ``lock`` counts how often the lock was taken.
    """

    digest = DigestField(_("digest"), unique=True)
    profile = models.CharField(_("profile"), max_length=100)
    labels = models.TextField(_("models"))
    scope = models.TextField(_("scope"), blank=True)
    lock = models.BigIntegerField(_("lock"), default=0)

    class Meta:
        app_label = "neardup"
        verbose_name = _("space")
        verbose_name_plural = _("spaces")

    def __str__(self) -> str:
        return f"{self.labels} {self.scope}".strip()


LIVE_FIRST_SEEN = 2**62
"""First-seen number of objects that were first processed live.

It is above all numbers of the first backfill. Such objects are ordered by id.
"""


class WorkQueueRow(models.Model):
    """Pending work: ``wanted`` counts the requests, ``done`` the answered ones.

    Both only grow. Times are milliseconds since 1970 by the database's clock. ``pending_since`` is empty if
    nothing is pending. ``leased_until`` of a quarantined document is the time at which it was given up because
    its workers died.
    """

    # Counters and not a flag: a worker that has read an older text would clear the flag of a newer edit.
    wanted = models.BigIntegerField(_("wanted"), default=1)
    done = models.BigIntegerField(_("done"), default=0)
    pending_since = models.BigIntegerField(_("pending since"), null=True, blank=True, db_index=True)
    leased_until = models.BigIntegerField(_("leased until"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)

    class Meta:
        abstract = True


class Document(WorkQueueRow):
    """A site's object.

    Its columns hold the state of its processing, from the save to the verdicts. The static order is
    ``(text_since, first_seen, id)``. The document of a deleted object stays with the state ``gone``, so that
    its counters never restart. If deleted posts are remembered, it keeps keys and fingerprint until
    ``forget_at``.

    - ``text_since``: the time at which the text was saved, in milliseconds since 1970 by the database's
      clock. It is 0 for objects of the first backfill, unless the adapter names the time of the last edit.
      See ``pipeline.text_age``.
    - ``save_time``: the time of the last unprocessed save.
    - ``edit_time``: the time at which the stored text was saved, if it is not compared yet.
    - ``save_begun``: the time at which a save began that its mark has not ended yet, or at which a worker marked
      it, and ``open_saves``: how often a worker is to mark such saves. See ``pipeline.open_saves``.
    - ``former_texts``: ``[exact digest, text_since]`` of earlier texts, newest last. None if there are none.
    - ``unaligned``: candidates that later turns are to align, with the text, scheme and version that they were
      found for and the number of such turns. None if there are none. See ``pipeline.later_turns``.
    - ``version``: the newest ``wanted`` with a written signature. It is the fence at which an older turn
      stops.
    - ``repeats``: the deleted post that this post repeats.
    - ``repeats_exactly``: whether it repeats that post word for word.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("waiting")
        INDEXED = "indexed", _("indexed")
        SKIPPED = "skipped", _("skipped")
        QUARANTINED = "quarantined", _("quarantined")
        GONE = "gone", _("gone")

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
    space = models.ForeignKey(
        Space,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="documents",
        db_constraint=False,
        db_index=False,
        verbose_name=_("space"),
    )
    author = ExactCharField(_("author"), max_length=255, blank=True, default="")
    live = models.BooleanField(_("live"), default=False)
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.PENDING)
    reason = models.CharField(_("reason"), max_length=200, blank=True, default="")
    recheck = models.BooleanField(_("recheck"), default=False)
    version = models.BigIntegerField(_("version"), default=0)
    first_seen = models.BigIntegerField(_("first-seen number"), default=LIVE_FIRST_SEEN)
    created = models.DateTimeField(_("first seen"), auto_now_add=True)
    text_since = models.BigIntegerField(_("text since"), default=0)
    save_time = models.BigIntegerField(_("time of the last save"), null=True, blank=True)
    edit_time = models.BigIntegerField(_("time of the last edit"), null=True, blank=True)
    save_begun = models.BigIntegerField(_("save begun"), null=True, blank=True, db_index=True)
    open_saves = models.PositiveIntegerField(_("unmarked saves"), default=0, db_default=0)
    former_texts = models.JSONField(_("former texts"), null=True, blank=True)
    unaligned = models.JSONField(_("candidates for later turns"), null=True, blank=True)
    forget_at = models.DateTimeField(_("remembered until"), null=True, blank=True)
    repeats = models.ForeignKey(
        "self",
        models.DO_NOTHING,
        null=True,
        blank=True,
        related_name="repeated_by",
        db_constraint=False,
        db_index=False,
        verbose_name=_("repeats a deleted post"),
    )
    repeats_exactly = models.BooleanField(_("word for word"), null=True, blank=True)

    class Meta:
        app_label = "neardup"
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        constraints = [
            models.UniqueConstraint(fields=["content_type", "object_id"], name="neardup_document_object"),
        ]
        indexes = [
            models.Index(fields=["content_type", "object_key"], name="neardup_document_key"),
            models.Index(fields=["state"], name="neardup_document_state"),
        ]

    def __str__(self) -> str:
        return f"{self.content_type.app_label}.{self.content_type.model} {self.object_id}"

    @property
    def text_age(self) -> tuple[int, int, int]:
        """The position of the text by age, oldest first."""
        return self.text_since, self.first_seen, self.pk

    @property
    def static_order(self) -> tuple[bool, int, int, int]:
        """The order of leaders: live documents first, then the oldest text first."""
        return (not self.live, *self.text_age)

    @property
    def edited_at(self) -> datetime | None:
        """The time of the edit that made the text younger than the post. Return None without such an edit."""
        if not self.former_texts or self.text_since <= self.former_texts[0][1]:
            return None
        return to_database(datetime.fromtimestamp(self.text_since / 1000, timezone.utc))


class Fingerprint(models.Model):
    """The stored reduction of a document's text under a scheme.

    The text itself is not stored.

    - ``keys``: the document's rows of the key table, as sorted signed 64-bit integers. So they can be removed
      without an index on the document.
    - ``version``: the ``wanted`` of the turn that wrote this row. That turn is complete if ``done`` of the
      indexed document is at least as high.
    """

    document = models.ForeignKey(
        Document,
        models.CASCADE,
        related_name="fingerprints",
        db_constraint=False,
        db_index=False,
        verbose_name=_("document"),
    )
    scheme = models.ForeignKey(
        Scheme,
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
        verbose_name=_("scheme"),
    )
    version = models.BigIntegerField(_("version"))
    source_digest = DigestField(_("source digest"))
    exact_digest = DigestField(_("exact digest"))
    word_count = models.PositiveIntegerField(_("words"), default=0)
    payload = models.BinaryField(_("payload"), default=bytes)
    keys = models.BinaryField(_("keys"), default=bytes)
    codes = models.TextField(_("codes"), blank=True, default="")

    class Meta:
        app_label = "neardup"
        verbose_name = _("fingerprint")
        verbose_name_plural = _("fingerprints")
        constraints = [
            models.UniqueConstraint(fields=["document", "scheme"], name="neardup_fingerprint_document"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id}: {self.word_count}"


class Contact(models.Model):
    """A link between documents in addition to their text, as a keyed 64-bit hash of kind and value.

    It is a contact that the adapter declares or the text contains, a person's name, or a key phrase found in
    the text.
    """

    class Kind(models.TextChoices):
        CONTACT = "contact", _("contact")
        NAME = "name", _("name")
        PHRASE = "phrase", _("key phrase")

    pk: Any = models.CompositePrimaryKey("hash", "document")
    hash = models.BigIntegerField(_("hash"))
    kind = models.CharField(_("kind"), max_length=7, choices=Kind.choices, default=Kind.CONTACT)
    document = models.ForeignKey(
        Document, models.CASCADE, related_name="contacts", db_constraint=False, verbose_name=_("document")
    )

    class Meta:
        app_label = "neardup"
        verbose_name = _("contact")
        verbose_name_plural = _("contacts")


class Key(models.Model):
    """One row of the index: a key of a signature and a document that has it. The row holds only this pair."""

    pk: Any = models.CompositePrimaryKey("key", "document")
    key = models.BigIntegerField(_("key"))
    document = models.BigIntegerField(_("document"))

    class Meta:
        app_label = "neardup"
        verbose_name = _("key")
        verbose_name_plural = _("keys")


class RemovedKey(models.Model):
    """A key that a document no longer has, while an index outside the database may still return the document for it."""

    pk: Any = models.CompositePrimaryKey("key", "document")
    key = models.BigIntegerField(_("key"))
    document = models.BigIntegerField(_("document"))

    class Meta:
        app_label = "neardup"
        verbose_name = _("removed key")
        verbose_name_plural = _("removed keys")


class KeyChange(models.Model):
    """A change of a document's keys that an index outside the database may not return yet.

    Its id is the version of the document in that index. ``removed``: the keys that the change removed, packed.
    ``since``: the time of the change, in milliseconds since 1970 by the database's clock. ``is_bulk``: the added
    keys are only in the fingerprint. A worker sends the change before it looks for candidates.
    """

    document = models.BigIntegerField(_("document"))
    removed = models.BinaryField(_("removed keys"), default=bytes)
    since = models.BigIntegerField(_("time of the change"))
    is_bulk = models.BooleanField(_("sent in bulk"), default=False)

    class Meta:
        app_label = "neardup"
        indexes = [models.Index(fields=["is_bulk", "id"], name="neardup_keychange_bulk")]
        verbose_name = _("change of keys")
        verbose_name_plural = _("changes of keys")

    def __str__(self) -> str:
        return f"{self.pk}: {self.document}"


class KeyIndexState(models.Model):
    """An index outside the database, by its name there.

    - ``owner``: a random text, which the index carries too. So two databases cannot share one.
    - ``counter``: how often a process has claimed to send changes. Each batch carries it into the index. So an
      index with a higher number has seen a later state of this database.
    - ``in_use``, ``building``: the names of the index that answers and of the one that is to replace it.
    - ``leased_until``: one process at a time sends changes.
    - ``problem``: why the index must not be used. Empty if it may.
    """

    name = ExactCharField(_("name"), max_length=200, unique=True)
    owner = models.CharField(_("owner"), max_length=32)
    counter = models.BigIntegerField(_("counter"), default=0)
    in_use = models.CharField(_("in use"), max_length=220, blank=True, default="")
    building = models.CharField(_("being built"), max_length=220, blank=True, default="")
    built_up_to = models.BigIntegerField(_("built up to this document"), default=0)
    leased_until = models.BigIntegerField(_("leased until"), null=True, blank=True)
    problem = models.TextField(_("problem"), blank=True, default="")

    class Meta:
        app_label = "neardup"
        verbose_name = _("key index")
        verbose_name_plural = _("key indexes")

    def __str__(self) -> str:
        return str(self.name)


class IndexRange(models.Model):
    """A range of a model's objects in primary key order.

    One process at a time works on it.

    - ``after``, ``last``: its primary keys are above ``after`` (None: no lower bound) and at most ``last``.
    - ``first_seen``: the number of its first object.
    - ``token``: the claim that owns it until ``leased_until``, in milliseconds since 1970 by the database's
      clock.
    - ``signed``, ``done``: how many of its ``posts`` are signed, and how many are compared too.
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
    signed = models.PositiveIntegerField(_("signed"), default=0)
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


class Snapshot(models.Model):
    """What was learnt from the posts of a profile at one time. Rows never change.

    - ``number``: 1 for the first snapshot of the profile.
    - ``digest``: the name by which a scheme refers to it.
    - ``packed``: its contents.
    """

    profile = models.CharField(_("profile"), max_length=100)
    number = models.PositiveIntegerField(_("number"), default=1)
    digest = DigestField(_("digest"))
    packed = models.BinaryField(_("packed"), default=bytes)
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.profile} {self.number}"


class Boilerplate(Snapshot):
    """Passages that many authors, or many posts of one author, share.

    - ``packed``: the packed ``judge.boilerplate_snapshot.BoilerplateSnapshot``.
    - ``runs``: the number of hashed runs of words.
    """

    runs = models.PositiveIntegerField(_("word sequences"), default=0)

    class Meta:
        app_label = "neardup"
        verbose_name = _("boilerplate")
        verbose_name_plural = _("boilerplate")
        constraints = [
            models.UniqueConstraint(fields=["profile", "number"], name="neardup_boilerplate_number"),
        ]


class TermStatistics(Snapshot):
    """How rare words are among the posts.

    - ``packed``: the packed ``algorithms.statistics.TermStatistics``.
    - ``documents``: the number of posts.
    - ``words``: the number of words that more than one post contains.
    - ``average_length``: in words a post.
    """

    documents = models.PositiveIntegerField(_("posts"), default=0)
    average_length = models.FloatField(_("words per post"), default=0.0)
    words = models.PositiveIntegerField(_("words"), default=0)

    class Meta:
        app_label = "neardup"
        verbose_name = _("statistics of words")
        verbose_name_plural = _("statistics of words")
        constraints = [
            models.UniqueConstraint(fields=["profile", "number"], name="neardup_statistics_number"),
        ]


class PeriodicSearch(models.Model):
    """A search that workers repeat, and when it is due next, in milliseconds since 1970.

    The row keeps workers and jobs from doing it at the same time, or too often.
    """

    name = ExactCharField(_("name"), max_length=50, unique=True)
    due = models.BigIntegerField(_("due"), default=0)

    class Meta:
        app_label = "neardup"
        verbose_name = _("periodic search")
        verbose_name_plural = _("periodic searches")

    def __str__(self) -> str:
        return str(self.name)

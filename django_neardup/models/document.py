"""The ledger: a site's objects as the app knows them, and what was computed of them."""

from __future__ import annotations

from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext_lazy as _

from .fields import DigestField, ExactCharField, KeysField
from .scheme import Scheme, Space

LIVE_NUMBER = 2**62
"""First-seen number of every object met while live: above all that the first backfill gives, then told apart by id."""


class Ledger(models.Model):
    """Work that waits: ``wanted`` counts the requests, ``done`` those answered; both only ever grow.

    Times are milliseconds since 1970 by the database's clock. ``pending_since`` is empty where nothing waits.
    """

    wanted = models.BigIntegerField(_("wanted"), default=1)
    done = models.BigIntegerField(_("done"), default=0)
    pending_since = models.BigIntegerField(_("pending since"), null=True, blank=True, db_index=True)
    leased_until = models.BigIntegerField(_("leased until"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)

    class Meta:
        abstract = True


class Document(Ledger):
    """A site's object: the way from a save to its verdicts is kept in its columns.

    ``version`` is the newest ``wanted`` whose signature was written (the fence: an older turn stops there).
    Static order is ``(first_seen, id)``. A deleted object's document stays as ``gone``, so that its counters
    never start again; where deleted posts are remembered, with keys and fingerprint until ``forget_at``. ``repeats`` is
    the deleted post that this one says again, ``repeats_exactly`` whether word for word.
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
    first_seen = models.BigIntegerField(_("first-seen number"), default=LIVE_NUMBER)
    created = models.DateTimeField(_("first seen"), auto_now_add=True)
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
    def order(self) -> tuple[bool, int, int]:
        """Who comes first in a cluster: live before the rest, then first seen, then id."""
        return (not self.live, self.first_seen, self.pk)


class Fingerprint(models.Model):
    """What a document's text was reduced to under a scheme. No text is kept.

    ``keys`` are the document's own rows of the key table, sorted signed 64-bit integers, so that they can be removed
    without an index on the document. ``version`` is the ``wanted`` of the turn that wrote this row: that
    turn came to its end where the indexed document's ``done`` is not less.
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
    """What ties a document to others beside its text, as a keyed 64-bit hash of the kind and the value.

    A contact that its adapter declares or its text holds, a person's name or a key phrase of the staff found in it.
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
    """One row of the index: a signature's key and a document that has it. The pair is the whole row."""

    pk: Any = models.CompositePrimaryKey("key", "document")
    key = models.BigIntegerField(_("key"))
    document = models.BigIntegerField(_("document"))

    class Meta:
        app_label = "neardup"
        verbose_name = _("key")
        verbose_name_plural = _("keys")


class KeyArray(models.Model):
    """All keys of a document in one row: the index on PostgreSQL where STORAGE is "array", else empty."""

    document = models.BigIntegerField(_("document"), primary_key=True)
    keys = KeysField(_("keys"))

    class Meta:
        app_label = "neardup"
        db_table = "neardup_keyarray"
        verbose_name = _("array of keys")
        verbose_name_plural = _("arrays of keys")

from __future__ import annotations

from django.conf import settings
from django.contrib.contenttypes.fields import GenericForeignKey, GenericRelation
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Category(models.Model):
    """A shelf of the board; shelves may stand inside one another."""

    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(unique=True)
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="children", verbose_name=_("inside")
    )

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("board:category", args=[self.slug])


class Ad(models.Model):
    """An advert. Visitors may post without an account: then nobody is its user.

    A draft is published when its author says so; any other that is not published waits for staff, or was hidden by it.
    """

    title = models.CharField(_("title"), max_length=120)
    text = models.TextField(_("text"))
    price = models.PositiveIntegerField(_("price, ₽"), null=True, blank=True)
    city = models.CharField(_("city"), max_length=60)
    phone = models.CharField(_("phone"), max_length=30, blank=True)
    email = models.EmailField(_("e-mail"), blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="ads",
        verbose_name=_("author"),
    )  # fmt: skip
    categories = models.ManyToManyField(Category, related_name="ads", verbose_name=_("categories"))
    published = models.BooleanField(_("published"), default=True)
    draft = models.BooleanField(_("draft"), default=False)
    created = models.DateTimeField(_("created"), default=timezone.now, db_index=True)
    hits = models.PositiveIntegerField(_("visits"), default=0)
    notes = GenericRelation("board.Note")

    class Meta:
        verbose_name = _("advert")
        verbose_name_plural = _("adverts")
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("board:ad", args=[self.pk])

    @property
    def mailbox(self) -> str:
        """Where its author reads mail; empty where nowhere."""
        return (self.user.email if self.user else "") or self.email


def live_ads() -> QuerySet[Ad]:
    """What everybody may see, the newest first."""
    return Ad.objects.filter(published=True).order_by("-created", "-pk")


class Photo(models.Model):
    """A photo's caption; the example keeps no files."""

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="photos", verbose_name=_("advert"))
    caption = models.CharField(_("caption"), max_length=120)

    class Meta:
        verbose_name = _("photo")
        verbose_name_plural = _("photos")
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.caption


class Favorite(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="favorites", verbose_name=_("user")
    )
    ad = models.ForeignKey(Ad, models.CASCADE, related_name="favorites", verbose_name=_("advert"))

    class Meta:
        verbose_name = _("favourite")
        verbose_name_plural = _("favourites")
        constraints = [models.UniqueConstraint(fields=["user", "ad"], name="board_favorite_once")]

    def __str__(self) -> str:
        return f"{self.user}: {self.ad}"


class AdReport(models.Model):
    """A reader's complaint about an advert, or its author's objection to what became of it."""

    class Reason(models.TextChoices):
        SOLD = "sold", _("already sold")
        WRONG = "wrong", _("wrong category")
        FRAUD = "fraud", _("looks like fraud")
        REPEAT = "repeat", pgettext_lazy("reason", "posted many times")
        APPEAL = "appeal", _("the author objects")

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="reports", verbose_name=_("advert"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, verbose_name=_("user")
    )
    reason = models.CharField(_("reason"), max_length=10, choices=Reason)
    text = models.TextField(_("text"), blank=True)
    created = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.ad}"


class Note(models.Model):
    """What moderators wrote down about an advert or a forum post."""

    content_type = models.ForeignKey(ContentType, models.CASCADE)
    object_id = models.PositiveBigIntegerField()
    about = GenericForeignKey()
    text = models.TextField(_("text"))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, verbose_name=_("author")
    )
    created = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["created"]
        indexes = [models.Index(fields=["content_type", "object_id"], name="board_note_about")]

    def __str__(self) -> str:
        return self.text

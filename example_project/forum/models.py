from __future__ import annotations

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from forum.bbcode import own_words


class Section(models.Model):
    title = models.CharField(_("title"), max_length=80)
    slug = models.SlugField(unique=True)
    position = models.PositiveSmallIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("section")
        verbose_name_plural = _("sections")
        ordering = ["position", "title"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("forum:section", args=[self.slug])


class Topic(models.Model):
    title = models.CharField(_("title"), max_length=120)
    section = models.ForeignKey(Section, models.CASCADE, related_name="topics", verbose_name=_("section"))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="topics",
        verbose_name=_("author"),
    )  # fmt: skip
    created = models.DateTimeField(_("created"), default=timezone.now, db_index=True)

    class Meta:
        verbose_name = _("topic")
        verbose_name_plural = _("topics")
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("forum:topic", args=[self.pk])


class Post(models.Model):
    """One message; the text is BBCode with quotations of earlier messages."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="posts", verbose_name=_("topic"))
    text = models.TextField(_("text"), max_length=20_000)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="posts",
        verbose_name=_("author"),
    )  # fmt: skip
    created = models.DateTimeField(_("created"), default=timezone.now, db_index=True)
    published = models.BooleanField(_("published"), default=True)
    notes = GenericRelation("board.Note")

    class Meta:
        verbose_name = pgettext_lazy("forum", "post")
        verbose_name_plural = pgettext_lazy("forum", "posts")
        ordering = ["created", "pk"]

    def __str__(self) -> str:
        return Truncator(own_words(self.text)).words(10, truncate="…")

    def get_absolute_url(self) -> str:
        return f"{reverse('forum:topic', args=[self.topic_id])}#post-{self.pk}"


def live_posts() -> QuerySet[Post]:
    """What everybody may see, in the order of a conversation."""
    return Post.objects.filter(published=True)


def live_topics() -> QuerySet[Topic]:
    """Topics in which everybody may read something, the newest first."""
    return Topic.objects.filter(Exists(live_posts().filter(topic=OuterRef("pk")))).order_by("-created", "-pk")

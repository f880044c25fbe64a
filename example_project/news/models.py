from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Outlet(models.Model):
    """A news agency, a newspaper or a portal."""

    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(unique=True)

    class Meta:
        verbose_name = _("outlet")
        verbose_name_plural = _("outlets")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("news:outlet", args=[self.slug])


class Article(models.Model):
    """An article of an outlet, or of a reader: then it has none."""

    headline = models.CharField(_("headline"), max_length=120)
    body = models.TextField(_("text"))
    outlet = models.ForeignKey(
        Outlet, models.CASCADE, null=True, blank=True, related_name="articles", verbose_name=_("outlet")
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="articles",
        verbose_name=_("author"),
    )  # fmt: skip
    created = models.DateTimeField(_("created"), default=timezone.now, db_index=True)
    edited = models.DateTimeField(_("edited"), null=True, blank=True)
    published = models.BooleanField(_("published"), default=True)

    class Meta:
        verbose_name = _("article")
        verbose_name_plural = _("articles")
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return self.headline

    def get_absolute_url(self) -> str:
        return reverse("news:article", args=[self.pk])


def live_articles() -> QuerySet[Article]:
    """What everybody may read, the newest first."""
    return Article.objects.filter(published=True).select_related("outlet", "author")

"""Posts in several languages."""

from django.conf import settings
from django.db import models

if "parler" in settings.PACKAGES:
    from parler.models import TranslatableModel, TranslatedFields

    class TranslatedPost(TranslatableModel):
        """Its texts are rows of another table, one a language."""

        place = models.CharField(max_length=100, blank=True, default="")
        translations = TranslatedFields(
            title=models.CharField(max_length=200), text=models.TextField(blank=True, default="")
        )

        def __str__(self):
            return self.safe_translation_getter("title", any_language=True) or ""

    class TranslatedComment(models.Model):
        post = models.ForeignKey(TranslatedPost, models.CASCADE)
        text = models.TextField()


if "modeltranslation" in settings.PACKAGES:

    class ColumnPost(models.Model):
        """Its texts are columns, one a language (see ``translation``)."""

        title = models.CharField(max_length=200)
        text = models.TextField(blank=True, default="")
        slug = models.SlugField(null=True, unique=True)

        def __str__(self):
            return self.title

    class ColumnComment(models.Model):
        post = models.ForeignKey(ColumnPost, models.CASCADE)
        text = models.TextField()

    class Banner(models.Model):
        """It shows another post in each language."""

        post = models.ForeignKey(ColumnPost, models.SET_NULL, null=True)

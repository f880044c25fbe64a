"""Posts with a history of their changes."""

from django.conf import settings
from django.db import models

if "simple_history" in settings.PACKAGES:
    from simple_history.models import HistoricalRecords

    class HistoryTag(models.Model):
        name = models.CharField(max_length=100)

    class HistoryPost(models.Model):
        title = models.CharField(max_length=100)
        text = models.TextField(blank=True, default="")
        tags = models.ManyToManyField(HistoryTag)
        history = HistoricalRecords(m2m_fields=[tags])

        def __str__(self):
            return self.title

    class HistoryComment(models.Model):
        """It has a history too, under a name of the site's own. Its rows point at posts."""

        post = models.ForeignKey(HistoryPost, models.CASCADE)
        text = models.TextField()
        history = HistoricalRecords(custom_model_name="CommentChange")

        def __str__(self):
            return self.text

"""Posts whose changes are logged."""

from django.conf import settings
from django.db import models

if "auditlog" in settings.PACKAGES:
    from auditlog.models import AuditlogHistoryField
    from auditlog.registry import auditlog

    class AuditTag(models.Model):
        name = models.CharField(max_length=100)

    class AuditPost(models.Model):
        title = models.CharField(max_length=100)
        tags = models.ManyToManyField(AuditTag)
        history = AuditlogHistoryField()

        def __str__(self):
            return self.title

    class AuditComment(models.Model):
        post = models.ForeignKey(AuditPost, models.CASCADE)
        text = models.TextField()

    class AuditNote(models.Model):
        """Its log is deleted with it."""

        title = models.CharField(max_length=100)
        history = AuditlogHistoryField(delete_related=True)

        def __str__(self):
            return self.title

    auditlog.register(AuditPost, m2m_fields={"tags"})
    auditlog.register(AuditComment)
    auditlog.register(AuditNote)

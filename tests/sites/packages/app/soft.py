"""Posts whose deletion leaves the row."""

from django.conf import settings
from django.db import models

if "safedelete" in settings.PACKAGES:
    from safedelete.config import HARD_DELETE_NOCASCADE, SOFT_DELETE, SOFT_DELETE_CASCADE
    from safedelete.models import SafeDeleteModel

    class SoftPost(SafeDeleteModel):
        _safedelete_policy = SOFT_DELETE
        title = models.CharField(max_length=100)

        def __str__(self):
            return self.title

    class SoftCascadePost(SafeDeleteModel):
        _safedelete_policy = SOFT_DELETE_CASCADE
        title = models.CharField(max_length=100)

        def __str__(self):
            return self.title

    class HardPost(SafeDeleteModel):
        """Deleted for good if nothing would be deleted with it."""

        _safedelete_policy = HARD_DELETE_NOCASCADE
        title = models.CharField(max_length=100)

        def __str__(self):
            return self.title

    class SoftComment(SafeDeleteModel):
        """It is hidden by its manager once it is deleted, and moves too."""

        _safedelete_policy = SOFT_DELETE
        soft = models.ForeignKey(SoftPost, models.CASCADE, null=True)
        cascading = models.ForeignKey(SoftCascadePost, models.CASCADE, null=True)
        hard = models.ForeignKey(HardPost, models.CASCADE, null=True)

    class SoftMark(models.Model):
        """Its reference is emptied."""

        soft = models.ForeignKey(SoftPost, models.SET_NULL, null=True)
        cascading = models.ForeignKey(SoftCascadePost, models.SET_NULL, null=True)
        hard = models.ForeignKey(HardPost, models.SET_NULL, null=True)

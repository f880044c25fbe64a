"""Posts whose querysets are cached (see ``settings.CACHEOPS``)."""

from django.conf import settings
from django.db import models

if "cacheops" in settings.PACKAGES:

    class CachedTag(models.Model):
        name = models.CharField(max_length=100)

    class CachedPost(models.Model):
        title = models.CharField(max_length=100)
        visits = models.IntegerField(default=0)
        tags = models.ManyToManyField(CachedTag)

        def __str__(self):
            return self.title

    class CachedComment(models.Model):
        post = models.ForeignKey(CachedPost, models.CASCADE)
        text = models.CharField(max_length=100)

    class CachedPage(models.Model):
        """A post has one."""

        post = models.OneToOneField(CachedPost, models.CASCADE, primary_key=True)
        address = models.CharField(max_length=100)

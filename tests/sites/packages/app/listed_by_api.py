"""Posts that an API lists, merges and brings back (see ``api``)."""

from django.db import models


class ApiPost(models.Model):
    text = models.TextField()
    city = models.CharField(max_length=50, blank=True, default="")
    published = models.BooleanField(default=True)

    def __str__(self):
        return self.text[:40]


class ApiComment(models.Model):
    post = models.ForeignKey(ApiPost, models.CASCADE)
    text = models.TextField()


class ApiRating(models.Model):
    """A post has one."""

    post = models.OneToOneField(ApiPost, models.CASCADE)
    stars = models.IntegerField()

"""A plain post with three indexes."""

from django.db import models


class Post(models.Model):
    title = models.CharField(max_length=200, db_index=True)
    text = models.TextField()
    created = models.DateTimeField(auto_now_add=True, db_index=True)
    author = models.IntegerField(db_index=True)

    def __str__(self) -> str:
        return self.title

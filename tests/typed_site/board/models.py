from datetime import datetime

from django.db import models


class Ad(models.Model):
    title: "models.CharField[str, str]" = models.CharField(max_length=100)
    text: "models.TextField[str, str]" = models.TextField()
    published: "models.BooleanField[bool, bool]" = models.BooleanField(default=True)
    created: "models.DateTimeField[datetime, datetime]" = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/ads/{self.pk}/"

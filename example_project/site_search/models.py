from __future__ import annotations

from django.db import models


class SearchChange(models.Model):
    """An advert to send to the index. Rows are only added, so writers never wait for each other."""

    ad = models.BigIntegerField()

    def __str__(self) -> str:
        return f"advert {self.ad}"


class SearchCounter(models.Model):
    """One row. Its value is the version of the newest batch, see ``indexing``."""

    value = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.value)

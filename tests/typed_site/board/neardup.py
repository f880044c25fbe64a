from typing import Any

from board.models import Ad
from django.db.models import QuerySet
from django.http import HttpRequest

import django_neardup as neardup


@neardup.register(Ad)
class AdNeardup(neardup.Adapter):
    fields = ["title", "text"]
    heads = ["title"]
    watch = ["published"]
    order = "created"

    def live(self) -> QuerySet[Any]:
        return Ad.objects.filter(published=True)

    def visible(self, request: HttpRequest) -> QuerySet[Any]:
        return Ad.objects.filter(published=True)

    def url(self, instance: Any, request: HttpRequest | None = None) -> str:
        return f"/ads/{instance.pk}/"

    def hide(self, instance: Any) -> None:
        Ad.objects.filter(pk=instance.pk).update(published=False)

    def show(self, instance: Any) -> None:
        Ad.objects.filter(pk=instance.pk).update(published=True)

"""How django-neardup sees the adverts."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest

import django_neardup as neardup

from .models import Ad


@neardup.register(Ad)
class AdNeardup(neardup.Adapter):
    fields = ["title", "text"]
    contacts = ["phone", "email"]
    watch = ["published"]
    authors = "auth.User"

    def live(self) -> QuerySet[Ad]:
        return Ad.objects.filter(published=True)

    def compared(self) -> QuerySet[Ad]:
        return Ad.objects.all()

    def visible(self, request: HttpRequest) -> QuerySet[Ad]:
        return self.compared() if request.user.has_perm("board.view_ad") else self.live()

    def author(self, ad: Ad) -> int | None:
        return ad.user_id

    def visits(self, ad: Ad) -> int:
        return ad.hits

    def hide(self, ad: Ad) -> None:
        ad.published = False
        ad.save(update_fields=["published"])

    def show(self, ad: Ad) -> None:
        ad.published = True
        ad.save(update_fields=["published"])

"""How django-neardup sees the adverts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

import django_neardup as neardup
from board.mails import mail_published, mail_refused
from board.models import Ad
from django_neardup.authors import mail_merged


@neardup.register(Ad)
class AdNeardup(neardup.Adapter):
    fields = ["title", "text"]
    heads = ["title"]
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

    def view_count(self, ad: Ad) -> int:
        return ad.hits

    def hide(self, ad: Ad) -> None:
        ad.published = False
        ad.save(update_fields=["published"])

    def show(self, ad: Ad) -> None:
        ad.published = True
        ad.save(update_fields=["published"])

    def renew(self, old: Ad, new: Ad) -> None:
        """The old advert with the new words and price, on top of the lists; visits and favourites stay."""
        for name in ("title", "text", "price", "city", "phone", "email"):
            setattr(old, name, getattr(new, name))
        old.created, old.published = timezone.now(), True
        old.save()

    def appeal_url(self, ad: Ad) -> str:
        return reverse("board:appeal", args=[ad.pk] if ad.pk else [])

    def merged(self, loser: Ad, keeper: Ad, record: Any) -> None:
        mail_merged(loser, keeper, record, loser.mailbox, base=settings.SITE_ADDRESS)

    def published(self, ad: Ad) -> None:
        mail_published(ad)

    def refused(self, ad: Ad) -> None:
        mail_refused(ad)

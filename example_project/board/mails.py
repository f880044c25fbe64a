"""What the author of a held advert is written; printed to the console of the example's server and worker."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import send_mail
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from board.models import Ad

PUBLISHED = _("Your advert “%(title)s” has passed its check and is on the board: %(url)s")
REFUSED = _("Your advert “%(title)s” was not published. If that is a mistake, write to us: %(appeal)s")


def mail_published(ad: Ad) -> None:
    _mail(ad, PUBLISHED)


def mail_refused(ad: Ad) -> None:
    _mail(ad, REFUSED)


def _mail(ad: Ad, text: Promise) -> None:
    if not ad.mailbox:
        return
    address = f"{settings.SITE_ADDRESS}{ad.get_absolute_url()}"
    values = {"title": ad.title, "url": address, "appeal": f"{address}appeal/"}
    with override(settings.LANGUAGE_CODE):
        send_mail(ad.title, str(text) % values, None, [ad.mailbox])

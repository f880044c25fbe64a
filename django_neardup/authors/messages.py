"""The letter to an author whose post was merged into another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urljoin

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import Model
from django.template.loader import render_to_string
from django.utils.translation import override

from ..adapters import adapter_for
from ..merging.paths import site_domain
from ..models import MergeRecord
from ..similar import address_of, appeal_of
from ..templating import template_names
from ..titles import title_of
from ..visible import Querysets, Visible, key_of

TITLE = 120


class Message(NamedTuple):
    """``subject`` is one line; ``text`` and ``html`` say the same."""

    subject: str
    text: str
    html: str


def merged_message(
    loser: Model,
    keeper: Model,
    record: MergeRecord,
    *,
    visible: Querysets | None = None,
    base: str | None = None,
    language: str | None = None,
) -> Message:
    """What the author of ``loser`` is told, to be used in ``Adapter.merged``: where it went, and where to object.

    The keeper is named only if ``visible`` holds it (None: ``live()`` of its adapter). ``base``: what addresses begin
    with, "https://board.ru" say; None: the domain of ``django.contrib.sites`` where that is installed, else addresses
    stay paths. ``language`` of the author; None: the site's, for the active one is that of the person who merged.

    Templates: ``merged_subject.txt``, ``merged.txt``, ``merged.html``, the most specific first.
    """
    with override(language or settings.LANGUAGE_CODE):
        context = _context(loser, keeper, record, visible, _base() if base is None else base)
        subject, text, html = (
            render_to_string(template_names(type(loser), name), context)
            for name in ("merged_subject.txt", "merged.txt", "merged.html")
        )
    return Message(" ".join(subject.split()), text.strip() + "\n", html.strip() + "\n")


def mail_merged(
    loser: Model,
    keeper: Model,
    record: MergeRecord,
    to: str | Sequence[str],
    *,
    sender: str | None = None,
    **options: Any,
) -> int:
    """Mail the author that message; how many letters were sent. ``to``: addresses, none of which may be there.

    ``sender``: the address it comes from; None: ``DEFAULT_FROM_EMAIL``. ``options`` are those of ``merged_message``."""
    addresses = [each for each in ([to] if isinstance(to, str) else to) if each]
    if not addresses:
        return 0
    message = merged_message(loser, keeper, record, **options)
    letter = EmailMultiAlternatives(message.subject, message.text, sender, addresses)
    letter.attach_alternative(message.html, "text/html")
    return letter.send()


def _context(
    loser: Model, keeper: Model, record: MergeRecord, visible: Querysets | None, base: str
) -> dict[str, Any]:
    allowed = Visible(adapter_for(keeper).live() if visible is None else visible)
    named = key_of(keeper) in allowed.held([key_of(keeper)], keeper._state.db or "default")
    return {
        "loser": loser,
        "title": title_of(loser, TITLE),
        "keeper": keeper if named else None,
        "keeper_title": title_of(keeper, TITLE) if named else "",
        "keeper_url": _absolute(address_of(keeper), base) if named else "",
        "appeal_url": _absolute(appeal_of(loser), base),
        "record": record,
    }


def _absolute(url: str, base: str) -> str:
    return urljoin(base, url) if url else ""


def _base() -> str:
    """The site's own address; empty where it is not known."""
    domain = site_domain()
    return f"https://{domain}" if domain else ""

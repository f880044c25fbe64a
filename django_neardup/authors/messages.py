"""The letter to the author of a merged post."""

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
from ..models import MergeRecord
from ..moderation.url_paths import site_domain
from ..search.display_titles import display_title
from ..similar_posts import public_url, safe_appeal_url
from ..similar_posts.template_names import template_names
from ..visibility import Querysets, VisibilityFilter, object_key

MAX_TITLE_LENGTH = 120


class Message(NamedTuple):
    """A letter. ``subject`` is one line. ``text`` and ``html`` have the same content."""

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
    """Build the letter to the author of ``loser``: where the post went, and where to object.

    Use it in ``Adapter.merged``. The keeper is named only if ``visible`` holds it, by default ``live()`` of
    its adapter. ``base`` is the start of every address, for example "https://board.ru". Its default is the
    domain of ``django.contrib.sites``. If that app is not installed, addresses stay paths. ``language`` is
    the author's language, by default ``LANGUAGE_CODE``.

    The templates are ``merged_subject.txt``, ``merged.txt`` and ``merged.html``, the most specific first.
    """
    # The active language is that of the person who merged, not of the author.
    with override(language or settings.LANGUAGE_CODE):
        context = _build_context(loser, keeper, record, visible, _site_base_url() if base is None else base)
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
    """Mail the letter of ``merged_message`` to the author. Return the number of letters sent.

    ``to`` is one address or several. Empty addresses are skipped. If no address is left, nothing is sent.
    ``sender`` is the address that the letter comes from, by default ``DEFAULT_FROM_EMAIL``. ``options`` are
    arguments of ``merged_message``.
    """
    addresses = [address for address in ([to] if isinstance(to, str) else to) if address]
    if not addresses:
        return 0
    message = merged_message(loser, keeper, record, **options)
    letter = EmailMultiAlternatives(message.subject, message.text, sender, addresses)
    letter.attach_alternative(message.html, "text/html")
    return letter.send()


def _build_context(
    loser: Model, keeper: Model, record: MergeRecord, visible: Querysets | None, base_url: str
) -> dict[str, Any]:
    allowed = VisibilityFilter(adapter_for(keeper).live() if visible is None else visible)
    is_named = object_key(keeper) in allowed.visible_keys([object_key(keeper)], keeper._state.db or "default")
    return {
        "loser": loser,
        "title": display_title(loser, MAX_TITLE_LENGTH),
        "keeper": keeper if is_named else None,
        "keeper_title": display_title(keeper, MAX_TITLE_LENGTH) if is_named else "",
        "keeper_url": _absolute_url(public_url(keeper), base_url) if is_named else "",
        "appeal_url": _absolute_url(safe_appeal_url(loser), base_url),
        "record": record,
    }


def _absolute_url(url: str, base_url: str) -> str:
    return urljoin(base_url, url) if url else ""


def _site_base_url() -> str:
    """Return the start of the site's addresses. Return "" if its domain is unknown."""
    domain = site_domain()
    return f"https://{domain}" if domain else ""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

NO_BREAK = "\u00a0"
WORDS_BEFORE = 60
SNIPPET = 180


@register.filter
def rubles(price: int | None) -> str:
    """18900 as «18 900 ₽», nothing as «negotiable»."""
    if price is None:
        return _("negotiable")
    return f"{price:,}".replace(",", NO_BREAK) + f"{NO_BREAK}₽"


@register.filter
def snippet(text: str, query: str = "") -> SafeString:
    """The part of a text around the query's first word, with the query's words in bold."""
    words = [re.sub("[её]", "[её]", re.escape(word), flags=re.IGNORECASE) for word in query.split()]
    pattern = re.compile("(" + "|".join(words) + ")", re.IGNORECASE) if words else None
    found = pattern.search(text) if pattern else None
    start = _word_start(text, found.start() - WORDS_BEFORE) if found else 0
    part = ("…" if start else "") + _shorten(text[start:])
    if pattern is None:
        return format_html("{}", part)
    pieces = pattern.split(part)
    pieces[1::2] = [_bold(piece) for piece in pieces[1::2]]
    return format_html_join("", "{}", ((piece,) for piece in pieces))


@register.filter
def hint(group: Any) -> str:
    """What a buyer gains by opening the look-alikes: a lower price, another town."""
    ad, others = group.object, group.others
    prices = sorted({other.price for other in others if other.price is not None and other.price != ad.price})
    towns = sorted({other.city for other in others if other.city != ad.city})
    parts = []
    if prices:
        cost = rubles(prices[0])
        parts.append(cost if len(others) == 1 else _("from %(price)s") % {"price": cost})
    if towns:
        parts.append(_("also in: %(towns)s") % {"towns": ", ".join(towns[:3])})
    return ", ".join(parts)


def _shorten(text: str) -> str:
    """The whole words of the first letters."""
    return text if len(text) <= SNIPPET else text[:SNIPPET].rpartition(" ")[0].rstrip(" .,;:") + "…"


def _bold(word: str) -> SafeString:
    return format_html("<b>{}</b>", word)


def _word_start(text: str, position: int) -> int:
    return 0 if position <= 0 else text.rfind(" ", 0, position) + 1

from __future__ import annotations

from typing import Any

from django import template

register = template.Library()

SHOWN = 3


@register.filter
def printed_by(group: Any) -> str:
    """Name the outlets of the other prints."""
    names = dict.fromkeys(str(article.outlet) for article in group.others if article.outlet)
    return ", ".join(list(names)[:SHOWN]) + ("…" if len(names) > SHOWN else "")

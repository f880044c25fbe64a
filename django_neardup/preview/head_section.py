"""The proposal to declare heads, as a section of the page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from django.utils.formats import number_format
from django.utils.translation import gettext

from ..reports.labels import format_percent
from ..reports.text_comparison import whole_percent
from .head_proposal import HeadProposal


def render_head_proposal(proposal: HeadProposal | None) -> Iterator[str]:
    """Yield the section: why heads are proposed, what they would change, and the lines for the adapter."""
    if proposal is None:
        return
    reason = gettext(
        "The first lines of %(share)s of the posts look like titles. If the adapter declares them as heads, "
        "another word in the title makes another item, even if the texts below are equal."
    ) % {"share": format_percent(whole_percent(proposal.titled_share))}
    effect = gettext(
        "Posts with another title than the first post of their group: %(count)s. With heads declared, "
        "%(changed)s of them would no longer be duplicates of it."
    ) % {
        "count": number_format(proposal.retitled_count, 0, force_grouping=True),
        "changed": number_format(proposal.changed_count, 0, force_grouping=True),
    }
    yield f'<section class="found" id="heads"><h2>{escape(gettext("Titles"))}</h2>'
    yield f"<p>{escape(reason)}</p><p>{escape(effect)}</p><pre>{escape(proposal.code)}</pre></section>"

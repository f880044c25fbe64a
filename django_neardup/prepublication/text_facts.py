"""What the rules read of the text itself: it is too long, or the search for similar posts was partial."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ..adapters import Adapter, language_of
from ..text.canonical_text import CanonicalText
from ..text.normalization.plain_text import exceeds_limit
from ..text.tokens.tokenize import MAX_TOKENS

if TYPE_CHECKING:
    from ..search import Matches

TOO_LONG, PARTIAL = "too_long", "partial"
TEXT_FACTS = (TOO_LONG, PARTIAL)
"""Rule keys of facts, the most important first."""

FACT_HEADINGS: dict[str, Promise] = {
    TOO_LONG: _("This text is too long to be compared"),
    PARTIAL: _("Not all similar posts could be compared"),
}
FACT_TEXTS: dict[str, Promise] = {
    TOO_LONG: _(
        "The text is too long to be compared with other posts. A shorter one can be published at once."
    ),
    PARTIAL: _("Not all posts like this text could be compared with it: one may be missing from the list."),
}
FACT_PROBLEMS: dict[str, dict[str, Promise]] = {
    TOO_LONG: {
        "warn": _("Not published yet: the text is too long to be compared with other posts."),
        "hold": _("Not published yet: the text is too long, so a moderator would review this first."),
    },
    PARTIAL: {
        "warn": _("Not published yet: not all similar posts could be compared."),
        "hold": _(
            "Not published yet: not all similar posts could be compared, so this would be checked first."
        ),
    },
}


def facts_of(matches: Matches) -> frozenset[str]:
    """Return the facts about a text that a search has found out."""
    flags = {TOO_LONG: matches.too_long, PARTIAL: matches.partial}
    return frozenset(fact for fact, is_true in flags.items() if is_true)


def facts_of_text(text: str, adapter: Adapter) -> frozenset[str]:
    """Return the facts about a text that do not depend on other posts."""
    is_too_long = exceeds_limit(text) or (
        # A text with fewer characters cannot have too many tokens.
        len(text) > MAX_TOKENS
        and CanonicalText(
            text,
            language=language_of(adapter, adapter.settings),
            quotes=adapter.quotes,
            markup=adapter.markup,
        ).too_long
    )
    return frozenset([TOO_LONG] if is_too_long else ())


def first_fact(facts: Collection[str]) -> str:
    """Return the most important fact. Return an empty string if there is none."""
    return next((fact for fact in TEXT_FACTS if fact in facts), "")

"""What differs, in a visitor's words: classes and the posts' own words, never a score or a verdict."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext, pgettext_lazy

from .text.normalize import INVISIBLE
from .text.plain import plain_text

logger = logging.getLogger(__name__)

HINTS = 4
"""How many differences are named."""
WORDS = 40
"""Letters of the words shown of either side."""

LABELS: dict[str, Promise] = {
    "code": pgettext_lazy("what differs", "model"),
    "measure": pgettext_lazy("what differs", "size"),
    "number": pgettext_lazy("what differs", "number"),
    "latin": pgettext_lazy("what differs", "name"),
    "name": pgettext_lazy("what differs", "word"),
    "negation": pgettext_lazy("what differs", "negation"),
    "price": pgettext_lazy("what differs", "price"),
    "date": pgettext_lazy("what differs", "date"),
    "contact": pgettext_lazy("what differs", "contact"),
}
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that set the direction of all that follows, our own words and numbers included."""
UNQUOTED = ("contact",)
"""Classes that are named without their words: nobody's telephone stands in another's entry."""


@dataclass(frozen=True)
class Hint:
    """A difference: ``before`` is the first post's side, ``after`` the other's; either may be empty."""

    kind: str
    label: Promise
    before: str
    after: str

    @property
    def css(self) -> str:
        """The class of its mark."""
        return "neardup-name" if self.kind == "latin" else f"neardup-{self.kind}"


def hints(evidence: Mapping[str, Any], texts: Mapping[str, str], first: str = "a") -> list[Hint]:
    """The differences worth naming, those first that tell another item; at most four.

    ``evidence``: that of a pair, whatever there is. ``texts``: both texts as they were compared, by side, "a"
    and "b"; the words are cut out of them. ``first``: the side that the other one is compared with.
    """
    found: dict[Hint, bool] = {}
    for hint, decides in _named(evidence, texts, first):
        found.setdefault(hint, not decides)
    order = list(LABELS)
    ranked = sorted(found, key=lambda hint: (found[hint], order.index(hint.kind)))
    return ranked[:HINTS]


def _named(evidence: Mapping[str, Any], texts: Mapping[str, str], first: str) -> Iterator[tuple[Hint, bool]]:
    second = "b" if first == "a" else "a"
    for item in _dicts(evidence.get("differences")):
        kind = item.get("kind")
        if isinstance(kind, str) and kind in LABELS:
            quoted = kind not in UNQUOTED
            before, after = (
                _words(item.get(side), texts[side]) if quoted else "" for side in (first, second)
            )
            yield Hint(kind, LABELS[kind], before, after), bool(item.get("decides"))


def _words(side: Any, text: str) -> str:
    """The words of that side as its author wrote them, without markup."""
    span = side.get("span") if isinstance(side, dict) else None
    if not (isinstance(span, list) and len(span) == 2 and all(isinstance(place, int) for place in span)):
        return ""
    start, end = span
    return shorten(plain_text(text[max(start, 0) : max(end, 0)][: WORDS * 4]).text, WORDS)


def title_of(instance: Model, letters: int) -> str:
    """A post's name on one line, or that it has none: what nobody sees, nobody can press."""
    title = shorten(_name_of(instance), letters)
    return title if is_seen(title) else gettext("without a title")


def _name_of(instance: Model) -> str:
    """The object in words; what it is and its key, and a line in the log, where it cannot tell."""
    try:
        return str(instance)
    except Exception as error:
        label, name = instance._meta.label, type(error).__name__
        logger.warning("The name of %s %s cannot be told: %s", label, instance.pk, name)
        return f"{capfirst(instance._meta.verbose_name)} {instance.pk}"


def is_seen(text: str) -> bool:
    """Whether it has a character that is not invisible."""
    return bool(INVISIBLE.sub("", text).strip())


def shorten(text: str, letters: int) -> str:
    """The beginning of a text on one line, cut between words where it can be, and without characters that would turn
    round what is written after it."""
    line = " ".join(TURNING.sub("", text[: letters * 4]).split())
    if len(line) <= letters:
        return line
    return (line[:letters].rsplit(" ", 1)[0] or line[:letters]).rstrip(" ,.;:-–") + "…"


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

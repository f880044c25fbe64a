"""What the queue suggests to do with an item, and why."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

from ...adapters import adapters_of
from ...models import Cluster, Document, Pair, Verdict
from ...pipeline import model_of

LEAVE: dict[str, str | Promise] = {
    Verdict.VARIANT: _("The texts are about two items."),
    Verdict.CONTAINED: _("One text holds the other: a quote or an excerpt is no duplicate."),
    Verdict.RELATED: _("Only a part of the text is the same."),
}


@dataclass(frozen=True)
class Suggestion:
    """The outcome suggested, of how many posts it disposes, and the reason."""

    outcome: str
    count: int
    reason: str | Promise

    @property
    def at_once(self) -> bool:
        """Whether it is done without a plan: it is easily taken back."""
        return self.outcome in ("leave", "hide")

    @property
    def button(self) -> str:
        """What its button says."""
        if self.outcome == "hide":
            return ngettext("Hide %(count)d", "Hide %(count)d", self.count) % {"count": self.count}
        if self.outcome == "merge":
            return ngettext("Merge %(count)d…", "Merge %(count)d…", self.count) % {"count": self.count}
        return pgettext("button", "Leave")


def suggest(source: Cluster | Pair, first: Document) -> Suggestion:
    """What to do with a cluster or a pair; ``first`` is the representative, or the earlier of the pair.

    Duplicates and exact copies are hidden where the site says how, else merged. All else is left as it is.
    """
    verdict = source.verdict if isinstance(source, Pair) else Verdict.DUPLICATE
    if verdict in LEAVE:
        return Suggestion("leave", 0, LEAVE[verdict])
    count = source.size - 1 if isinstance(source, Cluster) else 1
    same = _("The texts are the same.") if source.exact else _("It is the same item, in much the same words.")
    return Suggestion("hide" if _can_hide(first) else "merge", count, same)


def _can_hide(document: Document) -> bool:
    model = model_of(document)
    return model is not None and any(adapter.can_hide for adapter in adapters_of(model)[:1])

"""What the queue suggests to do with an item, and why."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

from ...adapters import adapters_of
from ...models import Cluster, Document, Pair, Verdict
from ...pipeline import model_of

NOT_DUPLICATE_REASONS: dict[str, str | Promise] = {
    Verdict.VARIANT: _("The texts are about two items."),
    Verdict.CONTAINED: _("One text holds the other: a quote or an excerpt is no duplicate."),
    Verdict.RELATED: _("Only a part of the text is the same."),
}


@dataclass(frozen=True)
class Suggestion:
    """The outcome suggested, of how many posts it disposes, and the reason."""

    action_name: str
    post_count: int
    reason: str | Promise

    @property
    def is_immediate(self) -> bool:
        """Whether it is done without a plan: it is easily taken back."""
        return self.action_name in ("leave", "hide")

    @property
    def button_label(self) -> str:
        """What its button says."""
        if self.action_name == "hide":
            return ngettext("Hide %(count)d", "Hide %(count)d", self.post_count) % {"count": self.post_count}
        if self.action_name == "merge":
            return ngettext("Merge %(count)d…", "Merge %(count)d…", self.post_count) % {
                "count": self.post_count
            }
        return pgettext("button", "Leave")


def suggest_action(cluster_or_pair: Cluster | Pair, first_document: Document) -> Suggestion:
    """What to do with a cluster or a pair; ``first_document`` is the representative, or the earlier of the pair.

    Duplicates and exact copies are hidden where the site says how, else merged. All else is left as it is.
    """
    verdict = cluster_or_pair.verdict if isinstance(cluster_or_pair, Pair) else Verdict.DUPLICATE
    if verdict in NOT_DUPLICATE_REASONS:
        return Suggestion("leave", 0, NOT_DUPLICATE_REASONS[verdict])
    count = cluster_or_pair.size - 1 if isinstance(cluster_or_pair, Cluster) else 1
    same = (
        _("The texts are the same.")
        if cluster_or_pair.exact
        else _("It is the same item, in much the same words.")
    )
    return Suggestion("hide" if _can_hide(first_document) else "merge", count, same)


def _can_hide(document: Document) -> bool:
    model = model_of(document)
    return model is not None and any(adapter.can_hide for adapter in adapters_of(model)[:1])

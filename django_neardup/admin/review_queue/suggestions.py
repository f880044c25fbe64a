"""The action that the queue suggests for an item, and its reason."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

from ...adapters import adapters_of
from ...models import Cluster, Document, Pair, Verdict
from ...pipeline import model_of
from ..decision_groups import FAMILY, SHORTLIST, Decidable, OfferedPosts

NOT_DUPLICATE_REASONS: dict[str, str | Promise] = {
    Verdict.VARIANT: _("The texts describe two items."),
    Verdict.CONTAINED: _("One text contains the other: a quote or an excerpt is not a duplicate."),
    Verdict.RELATED: _("Only a part of the text is the same."),
}
DOUBT_REASONS: dict[str, str | Promise] = {
    Verdict.VARIANT: _("The texts may describe two items."),
    Verdict.RELATED: _("It may be the same item."),
}

OFFERED_REASONS: dict[str, str | Promise] = {
    FAMILY: _("The texts are similar, but may describe different items."),
    SHORTLIST: _("It may be one of these posts, or none of them."),
}


@dataclass(frozen=True)
class Suggestion:
    """The suggested action, the number of posts that it removes from publication, and the reason.

    "look" is no action: a person reads both texts first.
    """

    action_name: str
    post_count: int
    reason: str | Promise

    @property
    def is_immediate(self) -> bool:
        """Return whether the action needs no confirmation because it is easy to undo."""
        return self.action_name in ("leave", "hide")

    @property
    def button_label(self) -> str:
        """Return the label of its button."""
        if self.action_name == "hide":
            return ngettext("Hide %(count)d", "Hide %(count)d", self.post_count) % {"count": self.post_count}
        if self.action_name == "merge":
            return ngettext("Merge %(count)d…", "Merge %(count)d…", self.post_count) % {
                "count": self.post_count
            }
        return (
            pgettext("button", "View") if self.action_name == "look" else pgettext("button", "Not duplicates")
        )


def suggest_action(source: Decidable, first_document: Document) -> Suggestion:
    """Return the suggestion for an item.

    ``first_document`` is the leader of the cluster, or the earlier document of the pair. Suggest "hide" for
    duplicates and exact copies if the site's adapter can hide posts, otherwise "merge". Suggest "look" for a
    doubt, and "leave" for other verdicts.
    """
    if isinstance(source, OfferedPosts):
        is_sure = source.kind == FAMILY and not source.doubt_count
        return Suggestion("leave" if is_sure else "look", 0, OFFERED_REASONS[source.kind])
    if isinstance(source, Pair) and source.doubtful:
        return Suggestion("look", 0, DOUBT_REASONS[Verdict(source.verdict)])
    verdict = source.verdict if isinstance(source, Pair) else Verdict.DUPLICATE
    if verdict in NOT_DUPLICATE_REASONS:
        return Suggestion("leave", 0, NOT_DUPLICATE_REASONS[verdict])
    count = source.size - 1 if isinstance(source, Cluster) else 1
    reason = _("The texts are the same.") if source.exact else _("The same item in nearly the same words.")
    return Suggestion("hide" if _can_hide(first_document) else "merge", count, reason)


def _can_hide(document: Document) -> bool:
    model = model_of(document)
    return model is not None and any(adapter.can_hide for adapter in adapters_of(model)[:1])

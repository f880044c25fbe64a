"""What the pages of a pair and of a cluster have in common: the bar of outcomes, the history, the legend of marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from ..models import Pair
from ..moderation.keeper import propose_keeper
from ..moderation.permissions import REVIEW_PERMISSION
from . import history
from .cluster_view import ClusterPage
from .decision_actions import has_action_permission
from .decision_groups import build_item_key, load_review_items
from .decision_request import (
    FILTERS_PARAM,
    LIST_PARAM,
    SEEN_PREFIX,
    build_row_state,
    decide_url,
    parse_return_url,
)
from .evidence import Evidence
from .outcomes import MODERATION_ACTIONS, ModerationAction
from .pair_view import compare_side_by_side
from .reopened_pairs import find_reopened_pairs
from .review_queue.navigation import find_queue_position
from .review_queue.suggestions import suggest_action
from .text_format import ACTION_KEYS, DIFFERENCE_LABELS, ONE_SIDED_LABELS, DisplayedDifference
from .visible_objects import DisplayedPost

LEGEND_EXAMPLES = {
    "code": "С140.35",
    "number": "240",
    "measure": "14 м",
    "name": "…",
    "negation": "…",
    "price": "9 450 ₽",
    "contact": "mail@example.ru",
}


@dataclass(frozen=True)
class ActionButton:
    """An outcome on the bar: where its button leads, and the keys that press it."""

    url: str
    action: ModerationAction
    shortcut_key: str


def pair_context(
    pair: Pair, left: DisplayedPost, right: DisplayedPost, request: HttpRequest, site: Any, using: str
) -> dict[str, Any]:
    """The context of a pair's page."""
    comparison = compare_side_by_side(left, right, pair, using)
    objects = [each.instance for each in (left, right) if each.instance is not None]
    proposal = propose_keeper(objects, using) if len(objects) == 2 else None
    again = find_reopened_pairs([pair], using).get(pair.pk)
    return {
        "pair": pair,
        "comparison": comparison,
        "evidence": Evidence(comparison, pair, site, using),
        "proposal": proposal,
        "keeps_left": proposal is None or proposal.post == left.instance,
        "keeps_right": proposal is not None and proposal.post == right.instance,
        "history": history.build_pair_history(pair, again, request, site, using),
        "reopened": again,
        "suggestion": suggest_action(pair, left.document),
        **_navigation_context(build_item_key(pair), request, site, using),
        "leave": _seen_state_field(build_item_key(pair), using)
        if has_action_permission(MODERATION_ACTIONS["leave"], request)
        else None,
        "legend": build_legend(),
    }


def cluster_context(page: ClusterPage) -> dict[str, Any]:
    """The context of a cluster's page."""
    return {
        "page": page,
        "may_remember": page.request.user.has_perm(REVIEW_PERMISSION),
        "history": history.build_cluster_history(page.cluster, page.request, page.site, page.using),
        "suggestion": suggest_action(page.cluster, page.cluster.leader),
        **_navigation_context(build_item_key(page.cluster), page.request, page.site, page.using),
        "legend": build_legend(),
    }


def _navigation_context(item_key: str, request: HttpRequest, site: Any, using: str) -> dict[str, Any]:
    """Where the item stands in the queue, and the fields that lead back to the list with its filters as they were."""
    return {
        "position": find_queue_position(item_key, request, site, using),
        "back_url": parse_return_url(request, site.name),
        "came_from": [
            (name, request.GET[name]) for name in (LIST_PARAM, FILTERS_PARAM) if request.GET.get(name)
        ],
    }


def _seen_state_field(item_key: str, using: str) -> tuple[str, str] | None:
    """The field that says what is shown, with which a pair is left at once; None where it waits no more."""
    groups = load_review_items([item_key], None, None, using)
    return (f"{SEEN_PREFIX}{item_key}", str(build_row_state(groups[0]))) if groups else None


def build_action_buttons(request: HttpRequest, site: str) -> list[ActionButton]:
    """The outcomes that this person may begin, in their one order."""
    return [
        ActionButton(decide_url(site, name), outcome, ACTION_KEYS[name])
        for name, outcome in MODERATION_ACTIONS.items()
        if has_action_permission(outcome, request)
    ]


def build_legend() -> dict[str, list[SafeString]]:
    """What the marks mean, by an example of each."""
    deciding = ("code", "number", "measure", "name", "negation")
    return {
        "deciding": [_example_mark(kind, True) for kind in deciding],
        "idle": [
            *(_example_mark(kind, False) for kind in ("price", "contact")),
            DisplayedDifference("word", _("other words"), "", False).build_mark(_("other words")),
            DisplayedDifference("only", "", "", False).build_mark(
                _("has no counterpart"), ONE_SIDED_LABELS["A"]
            ),
        ],
    }


def _example_mark(kind: str, is_deciding: bool) -> SafeString:
    return DisplayedDifference(kind, LEGEND_EXAMPLES[kind], "", is_deciding).build_mark(
        LEGEND_EXAMPLES[kind], DIFFERENCE_LABELS[kind]
    )

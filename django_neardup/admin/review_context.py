"""The common context of pair and cluster pages: the action bar, the history, the legend of the marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
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
from .offered_view import OfferedPage
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
    "deal": "…",
    "role": "…",
    "opposite": "…",
    "sign": "−5",
    "negation": "…",
    "price": "9 450 ₽",
    "contact": "mail@example.ru",
}


@dataclass(frozen=True)
class ActionButton:
    """An action on the bar: its button's address and label, and the shortcut key that presses it."""

    url: str
    action: ModerationAction
    shortcut_key: str
    label: str | Promise


def pair_context(
    pair: Pair, left: DisplayedPost, right: DisplayedPost, request: HttpRequest, site: Any, using: str
) -> dict[str, Any]:
    """Return the context of a pair's page."""
    comparison = compare_side_by_side(left, right, pair, using)
    objects = [post.instance for post in (left, right) if post.instance is not None]
    proposal = propose_keeper(objects, using) if len(objects) == 2 else None
    reopened = find_reopened_pairs([pair], using).get(pair.pk)
    return {
        "pair": pair,
        "comparison": comparison,
        "evidence": Evidence(comparison, pair, site, using),
        "proposal": proposal,
        "keeps_left": proposal is None or proposal.post == left.instance,
        "keeps_right": proposal is not None and proposal.post == right.instance,
        "history": history.build_pair_history(pair, reopened, request, site, using),
        "reopened": reopened,
        "suggestion": suggest_action(pair, left.document),
        **_navigation_context(build_item_key(pair), request, site, using),
        "leave": _seen_state_field(build_item_key(pair), using)
        if has_action_permission(MODERATION_ACTIONS["leave"], request)
        else None,
        "legend": build_legend(),
    }


def cluster_context(page: ClusterPage) -> dict[str, Any]:
    """Return the context of a cluster's page."""
    return {
        "page": page,
        "may_remember": page.request.user.has_perm(REVIEW_PERMISSION),
        "history": history.build_cluster_history(page.cluster, page.request, page.site, page.using),
        "suggestion": suggest_action(page.cluster, page.cluster.leader),
        **_navigation_context(build_item_key(page.cluster), page.request, page.site, page.using),
        "legend": build_legend(),
    }


def offered_context(page: OfferedPage) -> dict[str, Any]:
    """Return the context of the page of a family or a shortlist."""
    key = build_item_key(page.offered)
    return {
        "page": page,
        "key": key,
        "suggestion": suggest_action(page.offered, page.offered.document),
        "outcomes": build_action_buttons(page.request, page.site.name, page.offered.kind),
        **_navigation_context(key, page.request, page.site, page.using),
    }


def _navigation_context(item_key: str, request: HttpRequest, site: Any, using: str) -> dict[str, Any]:
    """Return the item's position in the queue, and the form fields that lead back to the list with the same
    filters.
    """
    return {
        "position": find_queue_position(item_key, request, site, using),
        "back_url": parse_return_url(request, site.name),
        "came_from": [
            (name, request.GET[name]) for name in (LIST_PARAM, FILTERS_PARAM) if request.GET.get(name)
        ],
    }


def _seen_state_field(item_key: str, using: str) -> tuple[str, str] | None:
    """Return the form field with the state that the page shows: its name and value.

    The button "leave" on a pair's page sends it, because "leave" has no confirmation. Return None if the pair
    is no longer open.
    """
    items = load_review_items([item_key], None, None, using)
    return (f"{SEEN_PREFIX}{item_key}", str(build_row_state(items[0]))) if items else None


def build_action_buttons(request: HttpRequest, site: str, kind: str) -> list[ActionButton]:
    """Return the actions on an item of a kind that this person may start, in their fixed order."""
    return [
        ActionButton(decide_url(site, name), action, ACTION_KEYS[name], action.button_for(kind))
        for name, action in MODERATION_ACTIONS.items()
        if kind in action.item_kinds and has_action_permission(action, request)
    ]


def build_legend() -> dict[str, list[SafeString]]:
    """Return an example of each mark, by "deciding" (deciding differences) and "idle" (all others)."""
    deciding = ("code", "number", "measure", "sign", "name", "deal", "role", "opposite", "negation")
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

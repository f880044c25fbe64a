"""What the pages of a pair and of a cluster have in common: the bar of outcomes, the history, the legend of marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from ..merging.keeper import propose
from ..merging.permissions import REVIEW
from ..models import Pair
from . import history
from .asked import FILTERS, LIST, SEEN, decide_url, list_before, sight_in_list
from .comparison import compare
from .deciding import may_begin
from .evidence import Evidence
from .groups import groups_of, key_of
from .members import ClusterPage
from .outcomes import OUTCOMES, Outcome
from .queue.position import position
from .queue.suggesting import suggest
from .reopened import reopened
from .shown import Shown
from .words import LABELS, LETTERS, ONLY, Difference

EXAMPLES = {
    "code": "С140.35",
    "number": "240",
    "measure": "14 м",
    "name": "…",
    "negation": "…",
    "price": "9 450 ₽",
    "contact": "mail@example.ru",
}


@dataclass(frozen=True)
class Button:
    """An outcome on the bar: where its button leads, and the keys that press it."""

    url: str
    outcome: Outcome
    letter: str


def of_pair(
    pair: Pair, left: Shown, right: Shown, request: HttpRequest, site: Any, using: str
) -> dict[str, Any]:
    """The context of a pair's page."""
    comparison = compare(left, right, pair, using)
    objects = [each.instance for each in (left, right) if each.instance is not None]
    proposal = propose(objects, using) if len(objects) == 2 else None
    again = reopened([pair], using).get(pair.pk)
    return {
        "pair": pair,
        "comparison": comparison,
        "evidence": Evidence(comparison, pair, site, using),
        "proposal": proposal,
        "keeps_left": proposal is None or proposal.instance == left.instance,
        "keeps_right": proposal is not None and proposal.instance == right.instance,
        "history": history.of_pair(pair, again, request, site, using),
        "reopened": again,
        "suggestion": suggest(pair, left.document),
        **_around(key_of(pair), request, site, using),
        "leave": _seen(key_of(pair), using) if may_begin(OUTCOMES["leave"], request) else None,
        "legend": legend(),
    }


def of_cluster(page: ClusterPage) -> dict[str, Any]:
    """The context of a cluster's page."""
    return {
        "page": page,
        "may_remember": page.request.user.has_perm(REVIEW),
        "history": history.of_cluster(page.cluster, page.request, page.site, page.using),
        "suggestion": suggest(page.cluster, page.cluster.representative),
        **_around(key_of(page.cluster), page.request, page.site, page.using),
        "legend": legend(),
    }


def _around(key: str, request: HttpRequest, site: Any, using: str) -> dict[str, Any]:
    """Where the item stands in the queue, and the fields that lead back to the list with its filters as they were."""
    return {
        "position": position(key, request, site, using),
        "back_url": list_before(request, site.name),
        "came_from": [(name, request.GET[name]) for name in (LIST, FILTERS) if request.GET.get(name)],
    }


def _seen(key: str, using: str) -> tuple[str, str] | None:
    """The field that says what is shown, with which a pair is left at once; None where it waits no more."""
    groups = groups_of([key], None, None, using)
    return (f"{SEEN}{key}", str(sight_in_list(groups[0]))) if groups else None


def buttons(request: HttpRequest, site: str) -> list[Button]:
    """The outcomes that this person may begin, in their one order."""
    return [
        Button(decide_url(site, name), outcome, LETTERS[name])
        for name, outcome in OUTCOMES.items()
        if may_begin(outcome, request)
    ]


def legend() -> dict[str, list[SafeString]]:
    """What the marks mean, by an example of each."""
    deciding = ("code", "number", "measure", "name", "negation")
    return {
        "deciding": [_example(kind, True) for kind in deciding],
        "idle": [
            *(_example(kind, False) for kind in ("price", "contact")),
            Difference("word", _("other words"), "", False).marked(_("other words")),
            Difference("only", "", "", False).marked(_("has no counterpart"), ONLY["A"]),
        ],
    }


def _example(kind: str, decides: bool) -> SafeString:
    return Difference(kind, EXAMPLES[kind], "", decides).marked(EXAMPLES[kind], LABELS[kind])

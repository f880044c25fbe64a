"""The rows of the queue page and their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode

from ...models import Cluster, Pair, Verdict
from ..decision_actions import has_action_permission
from ..decision_groups import ReviewItem
from ..decision_request import build_row_state, decide_url
from ..outcomes import MODERATION_ACTIONS, ModerationAction
from ..text_format import (
    ACTION_KEYS,
    MAX_ROW_DIFFERENCES,
    VERDICT_SIGNS,
    DisplayedDifference,
    build_differences,
    elapsed_text,
    more_text,
)
from ..visible_objects import DisplayedPost, model_verbose_name, queue_list_url
from .bulk_actions import IMMEDIATE_ACTIONS
from .queue_query import QueueItem
from .row_data import RowData
from .row_text import (
    describe_contacts,
    describe_no_difference,
    describe_other_authors,
    describe_reasons,
    score_texts,
)
from .suggestions import Suggestion, suggest_action


@dataclass(frozen=True)
class RowAction:
    """An action on a row: an immediate button, or a link to the confirmation.

    ``shortcut_keys`` trigger it.
    """

    label: str
    url: str
    is_immediate: bool
    shortcut_keys: str
    title: str | Promise = ""


@dataclass(frozen=True)
class QueueRow:
    """An item of the queue with its displayed content.

    ``seen_state`` is the displayed state, which an immediate decision is checked against. It is empty if the
    group is too large for an immediate decision.
    """

    item_key: str
    url: str
    posts: Sequence[DisplayedPost]
    title: str
    verdict: Verdict
    model_label: str
    is_exact: bool
    is_doubtful: bool
    is_reopened: bool
    size: int
    score_text: str
    weakest_score_text: str
    waiting_since: datetime
    suggestion: Suggestion
    reasons_text: str
    contact_text: str
    contact_url: str
    author_name: str
    author_url: str
    other_authors_text: str
    differences: Sequence[DisplayedDifference] = field(default_factory=list)
    more_text: str = ""
    no_difference_text: str = ""
    seen_state: str = ""
    suggested_action: RowAction | None = None
    other_actions: Sequence[RowAction] = ()

    @property
    def verdict_sign(self) -> str:
        return VERDICT_SIGNS[self.verdict]

    @property
    def waiting_time(self) -> str:
        """Return in words how long the item has waited."""
        return elapsed_text(self.waiting_since)


class QueueRows:
    """The rows of the items, with the content that this person may see. Items that are gone are skipped."""

    def __init__(
        self,
        items: Sequence[QueueItem],
        request: HttpRequest,
        site: Any,
        using: str,
        return_params: Mapping[str, str],
    ) -> None:
        self.items, self.site, self.return_params = items, site, return_params
        self.row_data = RowData(items, request, site, using)
        self.allowed_actions = [
            action for action in MODERATION_ACTIONS.values() if has_action_permission(action, request)
        ]

    def __iter__(self) -> Any:
        sources = {**{("c", pk): cluster for pk, cluster in self.row_data.clusters.items()}}
        sources |= {("p", pk): pair for pk, pair in self.row_data.pairs.items()}
        for item in self.items:
            source = sources.get((item.item_key[0], item.pk))
            if source is not None:
                yield self._build_row(item, source)

    def _build_row(self, queue_item: QueueItem, cluster_or_pair: Cluster | Pair) -> QueueRow:
        is_pair = isinstance(cluster_or_pair, Pair)
        pair = (
            cluster_or_pair
            if isinstance(cluster_or_pair, Pair)
            else self.row_data.pairs_by_cluster.get(cluster_or_pair.pk)
        )
        posts = [
            self.row_data.posts_by_document[document_id]
            for document_id in self._document_ids(cluster_or_pair)
            if document_id in self.row_data.posts_by_document
        ]
        first_post, facts = (
            posts[0],
            {} if is_pair else self.row_data.cluster_facts.get(cluster_or_pair.pk, {}),
        )
        all_visible = all(post.instance is not None for post in posts)
        shows_differences = all_visible and not cluster_or_pair.exact and len(posts) == 2
        differences = (
            build_differences(pair.evidence, "a" if pair.a_id == first_post.document.pk else "b")
            if pair and shows_differences
            else []
        )
        reopened_pair = self.row_data.reopened_pairs.get(pair.pk) if pair is not None else None
        size = 2 if isinstance(cluster_or_pair, Pair) else cluster_or_pair.size
        contact_text, shared_contact = (
            describe_contacts(posts, self.row_data.contact_hashes, size, facts) if all_visible else ("", None)
        )
        review_item = self.row_data.review_items.get(queue_item.item_key)
        suggestion = suggest_action(cluster_or_pair, first_post.document)
        actions = {
            action.name: self._build_action(action, queue_item.item_key, review_item, suggestion)
            for action in self.allowed_actions
        }
        if suggestion.action_name == "look":
            url = self._detail_url(cluster_or_pair)
            actions["look"] = RowAction(suggestion.button_label, url, False, "a", suggestion.reason)
        return QueueRow(
            item_key=queue_item.item_key,
            url=self._detail_url(cluster_or_pair),
            posts=posts,
            title=_joined_titles(posts),
            verdict=Verdict(cluster_or_pair.verdict)
            if isinstance(cluster_or_pair, Pair)
            else Verdict.DUPLICATE,
            model_label=model_verbose_name(first_post.document),
            is_exact=cluster_or_pair.exact,
            is_doubtful=isinstance(cluster_or_pair, Pair) and cluster_or_pair.doubtful,
            is_reopened=reopened_pair is not None or getattr(cluster_or_pair, "decided", None) is not None,
            size=size,
            **score_texts(cluster_or_pair, facts),
            waiting_since=queue_item.waiting_since,
            suggestion=suggestion,
            suggested_action=actions.pop(suggestion.action_name, None),
            other_actions=list(actions.values()),
            reasons_text=describe_reasons(cluster_or_pair, posts, reopened_pair),
            contact_text=contact_text,
            contact_url=queue_list_url(self.site, "contact", shared_contact)
            if shared_contact is not None
            else "",
            author_name=first_post.author,
            author_url=first_post.author_url,
            other_authors_text=describe_other_authors(posts, facts)
            if first_post.author and all_visible
            else "",
            differences=differences[:MAX_ROW_DIFFERENCES],
            more_text=more_text(len(differences) - MAX_ROW_DIFFERENCES),
            no_difference_text=describe_no_difference(cluster_or_pair, posts, pair)
            if not differences
            else "",
            seen_state=str(build_row_state(review_item)) if review_item is not None else "",
        )

    def _build_action(
        self, action: ModerationAction, item_key: str, item: ReviewItem | None, suggestion: Suggestion
    ) -> RowAction:
        url = decide_url(self.site.name, action.name)
        is_immediate = action.name in IMMEDIATE_ACTIONS and item is not None
        query = urlencode({"id": item_key, **self.return_params})
        is_suggested = action.name == suggestion.action_name
        return RowAction(
            suggestion.button_label if is_suggested else str(action.button),
            url if is_immediate else f"{url}?{query}",
            is_immediate,
            f"a {ACTION_KEYS[action.name]}" if is_suggested else ACTION_KEYS[action.name],
            suggestion.reason if is_suggested else "",
        )

    def _document_ids(self, cluster_or_pair: Any) -> list[int]:
        """Return the ids of the two documents of a row.

        For a pair, the earlier document comes first. For a cluster, these are the leader and the least
        similar member.
        """
        if isinstance(cluster_or_pair, Pair):
            return [
                document.pk
                for document in sorted(
                    (cluster_or_pair.a, cluster_or_pair.b), key=lambda document: document.static_order
                )
            ]
        return [cluster_or_pair.leader_id, cluster_or_pair.farthest]

    def _detail_url(self, cluster_or_pair: Cluster | Pair) -> str:
        name = "pair" if isinstance(cluster_or_pair, Pair) else "cluster"
        url = reverse(f"{self.site.name}:neardup_{name}_change", args=[cluster_or_pair.pk])
        return f"{url}?{urlencode(self.return_params)}"


def _joined_titles(posts: Sequence[DisplayedPost]) -> str:
    """Return the titles of both posts, or a single title if both are equal."""
    titles = dict.fromkeys(post.title for post in posts)
    return " – ".join(titles)

"""The rows of the queue page and their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ...models import Cluster, OpenItem, Pair, Verdict
from ..decision_actions import has_action_permission
from ..decision_groups import ITEM_KINDS, Decidable, OfferedPosts, ReviewItem, build_item_key
from ..decision_request import build_row_state, decide_url, item_url
from ..outcomes import MODERATION_ACTIONS, ModerationAction
from ..text_format import (
    ACTION_KEYS,
    MAX_ROW_DIFFERENCES,
    VERDICT_SIGNS,
    DisplayedDifference,
    build_differences,
    elapsed_text,
    format_percent,
    more_text,
)
from ..visible_objects import DisplayedPost, model_verbose_name, queue_list_url
from .bulk_actions import IMMEDIATE_ACTIONS
from .row_data import CopiesByAuthor, RowData
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
    def is_decidable(self) -> bool:
        """Return False for copies by one author: they are decided in a separate list."""
        return self.item_key[0] in ITEM_KINDS

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
        items: Sequence[OpenItem],
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
        for item in self.items:
            source = self.row_data.sources.get(item.item_key)
            if source is not None:
                yield self._build_row(item, source)
            elif item.item_key in self.row_data.copies:
                yield self._build_copies_row(item, self.row_data.copies[item.item_key])

    def _build_row(self, queue_item: OpenItem, source: Decidable) -> QueueRow:
        pairs = self._shown_pairs(source)
        posts = [
            self.row_data.posts_by_document[document_id]
            for document_id in self._document_ids(source, pairs)
            if document_id in self.row_data.posts_by_document
        ]
        first_post, facts = posts[0], self._facts(source)
        all_visible = all(post.instance is not None for post in posts)
        shows_differences = all_visible and not source.exact and len(posts) == 2
        differences = _build_row_differences(pairs, first_post.document.pk) if shows_differences else []
        reopened_pair = next(
            (
                self.row_data.reopened_pairs[pair.pk]
                for pair in pairs
                if pair.pk in self.row_data.reopened_pairs
            ),
            None,
        )
        size = 2 if isinstance(source, Pair) else source.size
        contact_text, shared_contact = (
            describe_contacts(posts, self.row_data.contact_hashes, size, facts)
            if all_visible and not isinstance(source, OfferedPosts)
            else ("", None)
        )
        review_item = self.row_data.review_items.get(queue_item.item_key)
        suggestion = suggest_action(source, first_post.document)
        url = item_url(queue_item.item_key, self.site.name, self.return_params)
        actions = {
            action.name: self._build_action(action, queue_item.item_key, review_item, suggestion)
            for action in self.allowed_actions
            if queue_item.kind in action.item_kinds
        }
        if suggestion.action_name == "look":
            actions["look"] = RowAction(suggestion.button_label, url, False, "a", suggestion.reason)
        return QueueRow(
            item_key=queue_item.item_key,
            url=url,
            posts=posts,
            title=_joined_titles(posts[:1] if isinstance(source, OfferedPosts) else posts),
            verdict=Verdict.DUPLICATE if isinstance(source, Cluster) else Verdict(source.verdict),
            model_label=model_verbose_name(first_post.document),
            is_exact=source.exact,
            is_doubtful=not isinstance(source, Cluster) and source.doubtful,
            is_reopened=reopened_pair is not None or getattr(source, "decided", None) is not None,
            size=size,
            **score_texts(source, facts),
            waiting_since=queue_item.since,
            suggestion=suggestion,
            suggested_action=actions.pop(suggestion.action_name, None),
            other_actions=list(actions.values()),
            reasons_text=describe_reasons(source, posts, reopened_pair),
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
            no_difference_text=describe_no_difference(source, posts, pairs[0] if pairs else None)
            if not differences
            else "",
            seen_state=str(build_row_state(review_item)) if review_item is not None else "",
        )

    def _build_copies_row(self, queue_item: OpenItem, copies: CopiesByAuthor) -> QueueRow:
        post = self.row_data.posts_by_document[copies.document.pk]
        url = item_url(queue_item.item_key, self.site.name, self.return_params)
        suggestion = Suggestion("look", 0, _("One author posted several texts more than once."))
        groups = ngettext(
            "%(count)d group of exact copies", "%(count)d groups of exact copies", copies.group_count
        )
        return QueueRow(
            item_key=queue_item.item_key,
            url=url,
            posts=[post],
            title=post.title,
            verdict=Verdict.DUPLICATE,
            model_label=model_verbose_name(copies.document),
            is_exact=True,
            is_doubtful=False,
            is_reopened=queue_item.again,
            size=copies.size,
            score_text=format_percent(1.0, True),
            weakest_score_text="",
            waiting_since=queue_item.since,
            suggestion=suggestion,
            suggested_action=RowAction(suggestion.button_label, url, False, "a", suggestion.reason),
            reasons_text=groups % {"count": copies.group_count},
            contact_text="",
            contact_url="",
            author_name=post.author,
            author_url=post.author_url,
            other_authors_text=_("the same author") if post.author else "",
            no_difference_text=_("Each group has one identical text"),
        )

    def _build_action(
        self, action: ModerationAction, item_key: str, item: ReviewItem | None, suggestion: Suggestion
    ) -> RowAction:
        url = decide_url(self.site.name, action.name)
        is_immediate = action.name in IMMEDIATE_ACTIONS and item is not None
        query = urlencode({"id": item_key, **self.return_params})
        is_suggested = action.name == suggestion.action_name
        return RowAction(
            suggestion.button_label if is_suggested else str(action.button_for(item_key[0])),
            url if is_immediate else f"{url}?{query}",
            is_immediate,
            f"a {ACTION_KEYS[action.name]}" if is_suggested else ACTION_KEYS[action.name],
            suggestion.reason if is_suggested else "",
        )

    def _shown_pairs(self, source: Decidable) -> list[Pair]:
        """Return the pairs that the row shows differences of. The first one is of its two posts."""
        if isinstance(source, OfferedPosts):
            return self.row_data.pairs_by_offered[build_item_key(source)]
        pair = source if isinstance(source, Pair) else self.row_data.pairs_by_cluster.get(source.pk)
        return [pair] if pair is not None else []

    def _facts(self, source: Decidable) -> dict[str, Any]:
        if isinstance(source, OfferedPosts):
            authors = {document.author for document in (source.document, *source.others.values())}
            return {"authors": len(authors - {""}), "unsigned": int("" in authors)}
        return self.row_data.cluster_facts.get(source.pk, {}) if isinstance(source, Cluster) else {}

    def _document_ids(self, source: Any, pairs: Sequence[Pair]) -> list[int]:
        """Return the ids of the two documents of a row.

        For a pair, the earlier document comes first. For a cluster, these are the leader and the least
        similar member. For a family or a shortlist, the post and the first one beside it.
        """
        if isinstance(source, Pair):
            sides = sorted((source.a, source.b), key=lambda document: document.static_order)
            return [document.pk for document in sides]
        if isinstance(source, OfferedPosts):
            return [source.pk, *list(source.others)[:1]]
        return [source.leader_id, source.farthest]


def _build_row_differences(pairs: Sequence[Pair], left: int) -> list[DisplayedDifference]:
    """Return the differences of a pair, or the first one of each of several pairs.

    ``left``: the document whose words stand first.
    """
    by_pair = [build_differences(pair.evidence, "a" if pair.a_id == left else "b") for pair in pairs]
    if len(by_pair) == 1:
        return by_pair[0]
    return list(dict.fromkeys(differences[0] for differences in by_pair if differences))


def _joined_titles(posts: Sequence[DisplayedPost]) -> str:
    """Return the titles of both posts, or a single title if both are equal."""
    titles = dict.fromkeys(post.title for post in posts)
    return " – ".join(titles)

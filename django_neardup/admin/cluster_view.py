"""The page of a cluster: each member compared with the leader, and one of them side by side with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.http import HttpRequest
from django.utils.functional import cached_property

from ..adapters import Source
from ..models import Cluster, Document, Membership, Pair
from ..moderation.keeper import KeeperProposal, propose_keeper
from .cluster_cohesion import (
    SharedContacts,
    WeakestPair,
    build_evidence_rows,
    find_nearby_pairs,
    find_weakest_pair,
)
from .decision_groups import active_pairs_of
from .evidence import Evidence, EvidenceRow
from .pair_view import PairComparison, compare_side_by_side, load_sources, side_of, unchanged_texts
from .text_format import (
    MAX_ROW_DIFFERENCES,
    DisplayedDifference,
    build_differences,
    format_percent,
    more_text,
)
from .visible_objects import DisplayedPost, load_displayed_posts

MEMBERS_PER_PAGE = 50


@dataclass(frozen=True)
class MemberRow:
    """A row of the table of members.

    ``is_verified``: the score comes from a comparison with the leader. ``is_keeper``: the member is the
    proposed keeper. ``contact_text`` says whether the member shares a contact with the leader.
    """

    post: DisplayedPost
    is_leader: bool
    score_text: str = ""
    is_exact: bool = False
    is_verified: bool = True
    author_name: str = ""
    has_same_author: bool = False
    contact_text: str = ""
    first_seen: datetime | None = None
    visits: int | None = None
    differences: list[DisplayedDifference] = field(default_factory=list)
    more_text: str = ""
    is_compared: bool = False
    is_keeper: bool = False
    compare_url: str = ""


@dataclass(frozen=True)
class NearbyPost:
    """A post outside the cluster that is a variant of a member."""

    post: DisplayedPost
    pair: Pair
    member: DisplayedPost
    differences: list[DisplayedDifference]
    more_text: str


class ClusterPage:
    """The data of a cluster's page. Takes a fixed number of queries for any number of members."""

    def __init__(self, cluster: Cluster, request: HttpRequest, site: Any, using: str) -> None:
        self.cluster, self.request, self.site, self.using = cluster, request, site, using

    @cached_property
    def member_page(self) -> Page[Membership]:
        """Return the members of this page except the leader, in static order."""
        memberships = (
            Membership.objects.using(self.using).filter(cluster=self.cluster).select_related("document")
        )
        others = memberships.exclude(document=self.cluster.leader_id)
        # The same order as ``Document.static_order``.
        ordered = others.order_by(
            "-document__live", "document__text_since", "document__first_seen", "document"
        )
        return Paginator(ordered, MEMBERS_PER_PAGE).get_page(self.request.GET.get("p"))

    @property
    def previous_url(self) -> str:
        return (
            self._page_url(p=self.member_page.previous_page_number())
            if self.member_page.has_previous()
            else ""
        )

    @property
    def next_url(self) -> str:
        return self._page_url(p=self.member_page.next_page_number()) if self.member_page.has_next() else ""

    @cached_property
    def posts_by_document(self) -> dict[int, DisplayedPost]:
        documents = [self.cluster.leader, *(membership.document for membership in self.member_page)]
        return load_displayed_posts(documents, self.request, self.site, self.using)

    @cached_property
    def leader(self) -> DisplayedPost:
        return self.posts_by_document[self.cluster.leader_id]

    @cached_property
    def pairs_by_member(self) -> dict[int, Pair]:
        """Return the pairs of the leader with the members of this page, by the member's document id."""
        leader_id = self.cluster.leader_id
        member_ids = [membership.document_id for membership in self.member_page]
        pairs = active_pairs_of([leader_id], self.using).filter(
            Q(a=leader_id, b__in=member_ids) | Q(b=leader_id, a__in=member_ids)
        )
        return {pair.other_id(leader_id): pair for pair in pairs.select_related("scheme")}

    @cached_property
    def sources_by_document(self) -> dict[int, Source]:
        """Return the current sources of the posts of this page, by document id."""
        return load_sources(self.posts_by_document.values(), self.using)

    @cached_property
    def proposal(self) -> KeeperProposal | None:
        """Return the keeper that is proposed from the posts of this page.

        Return None if the user may not see any of the posts.
        """
        objects = [post.instance for post in self.posts_by_document.values() if post.instance is not None]
        return propose_keeper(objects, self.using) if objects else None

    @cached_property
    def compared_document_id(self) -> int | None:
        """Return the id of the document that is compared with the leader.

        This is the member in the query string or, by default, the first member that is not an exact copy.
        If all members are exact copies, it is the first one. Return None if the page has no members.
        """
        member_ids = [membership.document_id for membership in self.member_page]
        requested_id = self.request.GET.get("member", "")
        if requested_id in map(str, member_ids):
            return int(requested_id)
        edited_ids = (membership.document_id for membership in self.member_page if not membership.exact)
        return next(edited_ids, member_ids[0] if member_ids else None)

    @cached_property
    def comparison(self) -> PairComparison | None:
        if self.compared_document_id is None:
            return None
        return compare_side_by_side(
            self.leader,
            self.posts_by_document[self.compared_document_id],
            self.pairs_by_member.get(self.compared_document_id),
            self.using,
        )

    @cached_property
    def evidence(self) -> Evidence | None:
        """Return why the leader and the compared member were paired. Return None if they have no pair."""
        pair = (
            self.pairs_by_member.get(self.compared_document_id)
            if self.compared_document_id is not None
            else None
        )
        if pair is None or self.comparison is None:
            return None
        return Evidence(self.comparison, pair, self.site, self.using)

    @cached_property
    def shared_contacts(self) -> SharedContacts:
        return SharedContacts(self.cluster, self.posts_by_document, self.using)

    @cached_property
    def member_rows(self) -> list[MemberRow]:
        """Return the row of the leader, then the rows of the other members of this page."""
        leader = self.cluster.leader
        leader_row = MemberRow(self.leader, True, **self._common_fields(leader, self.leader))
        return [leader_row, *(self._build_member_row(membership) for membership in self.member_page)]

    @cached_property
    def weakest_pair(self) -> WeakestPair | None:
        """Return the pair of two members with the lowest score."""
        return find_weakest_pair(self.cluster, self.using)

    @cached_property
    def evidence_rows(self) -> list[EvidenceRow]:
        """Return the evidence that the members belong together, as rows."""
        return build_evidence_rows(self.cluster, self.weakest_pair, self.shared_contacts, self.site)

    @cached_property
    def nearby_posts(self) -> list[NearbyPost]:
        """Return variants of members that are outside the cluster, best first."""
        nearby_pairs = find_nearby_pairs(self.cluster, self.using)
        documents = [document for pair, _member_id in nearby_pairs for document in (pair.a, pair.b)]
        posts_by_document = load_displayed_posts(documents, self.request, self.site, self.using)
        return [
            self._build_nearby_post(pair, member_id, posts_by_document) for pair, member_id in nearby_pairs
        ]

    def _build_nearby_post(
        self, pair: Pair, member_id: int, posts_by_document: dict[int, DisplayedPost]
    ) -> NearbyPost:
        other_id = pair.other_id(member_id)
        differences = visible_differences(pair, posts_by_document[member_id], posts_by_document[other_id], {})
        return NearbyPost(
            posts_by_document[other_id],
            pair,
            posts_by_document[member_id],
            differences[:MAX_ROW_DIFFERENCES],
            more_text(len(differences) - MAX_ROW_DIFFERENCES),
        )

    def _build_member_row(self, membership: Membership) -> MemberRow:
        post, pair = (
            self.posts_by_document[membership.document_id],
            self.pairs_by_member.get(membership.document_id),
        )
        differences = (
            visible_differences(pair, self.leader, post, self.sources_by_document) if pair is not None else []
        )
        return MemberRow(
            post,
            False,
            score_text=format_percent(membership.score, membership.exact),
            is_exact=membership.exact,
            is_verified=membership.reason == Membership.Reason.DUPLICATE,
            differences=differences[:MAX_ROW_DIFFERENCES],
            more_text=more_text(len(differences) - MAX_ROW_DIFFERENCES),
            is_compared=membership.document_id == self.compared_document_id,
            contact_text=self.shared_contacts.describe_member_contact(membership.document_id),
            compare_url=f"{self._page_url(member=membership.document_id)}#neardup-compare",
            **self._common_fields(membership.document, post),
        )

    def _common_fields(self, document: Document, post: DisplayedPost) -> dict[str, Any]:
        # The authors are compared only if the user may see both posts.
        are_visible = post.instance is not None and self.leader.instance is not None
        author = document.author if are_visible else ""
        proposed_keeper = self.proposal.post if self.proposal is not None else None
        return {
            "author_name": post.author,
            "has_same_author": bool(author) and author == self.cluster.leader.author,
            "first_seen": document.created,
            "visits": post.visits,
            "is_keeper": proposed_keeper is not None and post.instance == proposed_keeper,
        }

    def _page_url(self, **changes: Any) -> str:
        """Return this page's query string with changed parameters. The parameters of the queue are kept."""
        query = self.request.GET.copy()
        for name, value in {"p": self.member_page.number, **changes}.items():
            query[name] = str(value)
        return f"?{query.urlencode()}"


def visible_differences(
    pair: Pair, left: DisplayedPost, right: DisplayedPost, sources: Mapping[int, Source]
) -> list[DisplayedDifference]:
    """Return the differences of a pair. Return an empty list if the user may not see both posts."""
    if left.instance is None or right.instance is None:
        return []
    return build_differences(pair.evidence, side_of(pair, left), unchanged_texts(pair, sources))

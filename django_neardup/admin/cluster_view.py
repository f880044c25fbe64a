"""The members of a cluster, each against the representative, and one of them side by side with it."""

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
    """A row of the table. ``is_verified``: its score comes of a comparison with the representative;
    ``is_keeper``: it is proposed to stay; ``contact_text`` says whether it has a contact of the representative."""

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
    """A post outside that is a variant of a member."""

    post: DisplayedPost
    pair: Pair
    member: DisplayedPost
    differences: list[DisplayedDifference]
    more_text: str


class ClusterPage:
    """All that the page of a cluster shows: a fixed number of queries, whatever the number of members."""

    def __init__(self, cluster: Cluster, request: HttpRequest, site: Any, using: str) -> None:
        self.cluster, self.request, self.site, self.using = cluster, request, site, using

    @cached_property
    def member_page(self) -> Page[Membership]:
        """The members of this page, in static order."""
        rows = Membership.objects.using(self.using).filter(cluster=self.cluster).select_related("document")
        others = rows.exclude(document=self.cluster.leader_id)
        ordered = others.order_by("-document__live", "document__first_seen", "document")
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
        documents = [self.cluster.leader, *(place.document for place in self.member_page)]
        return load_displayed_posts(documents, self.request, self.site, self.using)

    @cached_property
    def leader(self) -> DisplayedPost:
        return self.posts_by_document[self.cluster.leader_id]

    @cached_property
    def pairs_by_member(self) -> dict[int, Pair]:
        """The pairs of the representative with the members of this page, by the member's document."""
        head = self.cluster.leader_id
        keys = [place.document_id for place in self.member_page]
        rows = active_pairs_of([head], self.using).filter(Q(a=head, b__in=keys) | Q(b=head, a__in=keys))
        return {pair.other_id(head): pair for pair in rows.select_related("scheme")}

    @cached_property
    def sources_by_document(self) -> dict[int, Source]:
        """What the posts of this page say now, by document."""
        return load_sources(self.posts_by_document.values(), self.using)

    @cached_property
    def proposal(self) -> KeeperProposal | None:
        """Which of the posts of this page is proposed to stay; None where this person may see none."""
        objects = [each.instance for each in self.posts_by_document.values() if each.instance is not None]
        return propose_keeper(objects, self.using) if objects else None

    @cached_property
    def compared_document_id(self) -> int | None:
        """The document compared with the representative: the one asked for, else the first that is no exact copy."""
        keys = [place.document_id for place in self.member_page]
        asked = self.request.GET.get("member", "")
        if asked in map(str, keys):
            return int(asked)
        unlike = (place.document_id for place in self.member_page if not place.exact)
        return next(unlike, keys[0] if keys else None)

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
        """Why the representative and the chosen member met; None where they were never compared."""
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
        """The representative, then the others of this page."""
        head = self.cluster.leader
        first = MemberRow(self.leader, True, **self._common_fields(head, self.leader))
        return [first, *(self._build_member_row(place) for place in self.member_page)]

    @cached_property
    def weakest_pair(self) -> WeakestPair | None:
        """The weakest pair inside."""
        return find_weakest_pair(self.cluster, self.using)

    @cached_property
    def evidence_rows(self) -> list[EvidenceRow]:
        """Why the members are together, in rows."""
        return build_evidence_rows(self.cluster, self.weakest_pair, self.shared_contacts, self.site)

    @cached_property
    def nearby_posts(self) -> list[NearbyPost]:
        """Variants of members that do not belong: best first."""
        found = find_nearby_pairs(self.cluster, self.using)
        sides = [side for pair, _inside in found for side in (pair.a, pair.b)]
        shown = load_displayed_posts(sides, self.request, self.site, self.using)
        return [self._build_nearby_post(pair, inside, shown) for pair, inside in found]

    def _build_nearby_post(
        self, pair: Pair, member_id: int, posts_by_document: dict[int, DisplayedPost]
    ) -> NearbyPost:
        other = pair.other_id(member_id)
        found = _visible_differences(pair, posts_by_document[member_id], posts_by_document[other], {})
        return NearbyPost(
            posts_by_document[other],
            pair,
            posts_by_document[member_id],
            found[:MAX_ROW_DIFFERENCES],
            more_text(len(found) - MAX_ROW_DIFFERENCES),
        )

    def _build_member_row(self, membership: Membership) -> MemberRow:
        shown, pair = (
            self.posts_by_document[membership.document_id],
            self.pairs_by_member.get(membership.document_id),
        )
        found = (
            _visible_differences(pair, self.leader, shown, self.sources_by_document)
            if pair is not None
            else []
        )
        return MemberRow(
            shown,
            False,
            score_text=format_percent(membership.score, membership.exact),
            is_exact=membership.exact,
            is_verified=membership.reason == Membership.Reason.DUPLICATE,
            differences=found[:MAX_ROW_DIFFERENCES],
            more_text=more_text(len(found) - MAX_ROW_DIFFERENCES),
            is_compared=membership.document_id == self.compared_document_id,
            contact_text=self.shared_contacts.describe_member_contact(membership.document_id),
            compare_url=f"{self._page_url(member=membership.document_id)}#neardup-compare",
            **self._common_fields(membership.document, shown),
        )

    def _common_fields(self, document: Document, post: DisplayedPost) -> dict[str, Any]:
        seen = post.instance is not None and self.leader.instance is not None
        author = document.author if seen else ""
        proposed = self.proposal.post if self.proposal is not None else None
        return {
            "author_name": post.author,
            "has_same_author": bool(author) and author == self.cluster.leader.author,
            "first_seen": document.created,
            "visits": post.visits,
            "is_keeper": proposed is not None and post.instance == proposed,
        }

    def _page_url(self, **changes: Any) -> str:
        """This page with other values in its address; what of it belongs to the queue stays."""
        query = self.request.GET.copy()
        for name, value in {"p": self.member_page.number, **changes}.items():
            query[name] = str(value)
        return f"?{query.urlencode()}"


def _visible_differences(
    pair: Pair, left: DisplayedPost, right: DisplayedPost, sources: Mapping[int, Source]
) -> list[DisplayedDifference]:
    """What differs, where this person may see both posts."""
    if left.instance is None or right.instance is None:
        return []
    return build_differences(pair.evidence, side_of(pair, left), unchanged_texts(pair, sources))

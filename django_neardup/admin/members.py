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
from ..merging.keeper import Proposal, propose
from ..models import Cluster, Document, Membership, Pair
from .comparison import Comparison, compare, read, side_of, texts_of
from .evidence import Evidence, Reason
from .groups import current_pairs
from .shown import Shown, show
from .together import SharedContacts, Weakest, nearby_pairs, reasons_of, weakest_of
from .words import SHOWN, Difference, differences, percent, rest

PER_PAGE = 50


@dataclass(frozen=True)
class Member:
    """A row of the table. ``verified``: its score comes of a comparison with the representative; ``keeper``: it is
    proposed to stay; ``contact`` says whether it has a contact of the representative."""

    shown: Shown
    first: bool
    score: str = ""
    exact: bool = False
    verified: bool = True
    author: str = ""
    same_author: bool = False
    contact: str = ""
    since: datetime | None = None
    visits: int | None = None
    differences: list[Difference] = field(default_factory=list)
    rest: str = ""
    compared: bool = False
    keeper: bool = False
    compare_url: str = ""


@dataclass(frozen=True)
class Neighbour:
    """A post outside that is a variant of a member."""

    shown: Shown
    pair: Pair
    member: Shown
    differences: list[Difference]
    rest: str


class ClusterPage:
    """All that the page of a cluster shows: a fixed number of queries, whatever the number of members."""

    def __init__(self, cluster: Cluster, request: HttpRequest, site: Any, using: str) -> None:
        self.cluster, self.request, self.site, self.using = cluster, request, site, using

    @cached_property
    def places(self) -> Page[Membership]:
        """The members of this page, in static order."""
        rows = Membership.objects.using(self.using).filter(cluster=self.cluster).select_related("document")
        others = rows.exclude(document=self.cluster.representative_id)
        ordered = others.order_by("-document__live", "document__first_seen", "document")
        return Paginator(ordered, PER_PAGE).get_page(self.request.GET.get("p"))

    @property
    def previous_url(self) -> str:
        return self._url(p=self.places.previous_page_number()) if self.places.has_previous() else ""

    @property
    def next_url(self) -> str:
        return self._url(p=self.places.next_page_number()) if self.places.has_next() else ""

    @cached_property
    def shown(self) -> dict[int, Shown]:
        documents = [self.cluster.representative, *(place.document for place in self.places)]
        return show(documents, self.request, self.site, self.using)

    @cached_property
    def representative(self) -> Shown:
        return self.shown[self.cluster.representative_id]

    @cached_property
    def pairs(self) -> dict[int, Pair]:
        """The pairs of the representative with the members of this page, by the member's document."""
        head = self.cluster.representative_id
        keys = [place.document_id for place in self.places]
        rows = current_pairs([head], self.using).filter(Q(a=head, b__in=keys) | Q(b=head, a__in=keys))
        return {pair.other(head): pair for pair in rows.select_related("scheme")}

    @cached_property
    def sources(self) -> dict[int, Source]:
        """What the posts of this page say now, by document."""
        return read(self.shown.values(), self.using)

    @cached_property
    def proposal(self) -> Proposal | None:
        """Which of the posts of this page is proposed to stay; None where this person may see none."""
        objects = [each.instance for each in self.shown.values() if each.instance is not None]
        return propose(objects, self.using) if objects else None

    @cached_property
    def chosen(self) -> int | None:
        """The document compared with the representative: the one asked for, else the first that is no exact copy."""
        keys = [place.document_id for place in self.places]
        asked = self.request.GET.get("member", "")
        if asked in map(str, keys):
            return int(asked)
        unlike = (place.document_id for place in self.places if not place.exact)
        return next(unlike, keys[0] if keys else None)

    @cached_property
    def comparison(self) -> Comparison | None:
        if self.chosen is None:
            return None
        return compare(self.representative, self.shown[self.chosen], self.pairs.get(self.chosen), self.using)

    @cached_property
    def evidence(self) -> Evidence | None:
        """Why the representative and the chosen member met; None where they were never compared."""
        pair = self.pairs.get(self.chosen) if self.chosen is not None else None
        if pair is None or self.comparison is None:
            return None
        return Evidence(self.comparison, pair, self.site, self.using)

    @cached_property
    def contacts(self) -> SharedContacts:
        return SharedContacts(self.cluster, self.shown, self.using)

    @cached_property
    def members(self) -> list[Member]:
        """The representative, then the others of this page."""
        head = self.cluster.representative
        first = Member(self.representative, True, **self._facts(head, self.representative))
        return [first, *(self._member(place) for place in self.places)]

    @cached_property
    def weakest(self) -> Weakest | None:
        """The weakest pair inside."""
        return weakest_of(self.cluster, self.using)

    @cached_property
    def reasons(self) -> list[Reason]:
        """Why the members are together, in rows."""
        return reasons_of(self.cluster, self.weakest, self.contacts, self.site)

    @cached_property
    def nearby(self) -> list[Neighbour]:
        """Variants of members that do not belong: best first."""
        found = nearby_pairs(self.cluster, self.using)
        sides = [side for pair, _inside in found for side in (pair.a, pair.b)]
        shown = show(sides, self.request, self.site, self.using)
        return [self._neighbour(pair, inside, shown) for pair, inside in found]

    def _neighbour(self, pair: Pair, member: int, shown: dict[int, Shown]) -> Neighbour:
        other = pair.other(member)
        found = _differences(pair, shown[member], shown[other], {})
        return Neighbour(shown[other], pair, shown[member], found[:SHOWN], rest(len(found) - SHOWN))

    def _member(self, place: Membership) -> Member:
        shown, pair = self.shown[place.document_id], self.pairs.get(place.document_id)
        found = _differences(pair, self.representative, shown, self.sources) if pair is not None else []
        return Member(
            shown,
            False,
            score=percent(place.score, place.exact),
            exact=place.exact,
            verified=place.reason == Membership.Reason.DUPLICATE,
            differences=found[:SHOWN],
            rest=rest(len(found) - SHOWN),
            compared=place.document_id == self.chosen,
            contact=self.contacts.words(place.document_id),
            compare_url=f"{self._url(member=place.document_id)}#neardup-compare",
            **self._facts(place.document, shown),
        )

    def _facts(self, document: Document, shown: Shown) -> dict[str, Any]:
        seen = shown.instance is not None and self.representative.instance is not None
        author = document.author if seen else ""
        proposed = self.proposal.instance if self.proposal is not None else None
        return {
            "author": shown.author,
            "same_author": bool(author) and author == self.cluster.representative.author,
            "since": document.created,
            "visits": shown.visits,
            "keeper": proposed is not None and shown.instance == proposed,
        }

    def _url(self, **changes: Any) -> str:
        """This page with other values in its address; what of it belongs to the queue stays."""
        query = self.request.GET.copy()
        for name, value in {"p": self.places.number, **changes}.items():
            query[name] = str(value)
        return f"?{query.urlencode()}"


def _differences(pair: Pair, left: Shown, right: Shown, sources: Mapping[int, Source]) -> list[Difference]:
    """What differs, where this person may see both posts."""
    if left.instance is None or right.instance is None:
        return []
    return differences(pair.evidence, side_of(pair, left), texts_of(pair, sources))

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
from ..models import Cluster, Document, Membership, Pair, Verdict
from .comparison import Comparison, compare, read, side_of, texts_of
from .groups import current_pairs
from .shown import Shown, show
from .words import SHOWN, Difference, differences, percent, rest

PER_PAGE = 50
NEARBY = 20


@dataclass(frozen=True)
class Member:
    """A row of the table. ``verified``: its score comes of a comparison with the representative."""

    shown: Shown
    first: bool
    score: str = ""
    exact: bool = False
    verified: bool = True
    author: str = ""
    same_author: bool = False
    since: datetime | None = None
    visits: int | None = None
    differences: list[Difference] = field(default_factory=list)
    rest: str = ""
    compared: bool = False


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
        return {pair.other(head): pair for pair in rows}

    @cached_property
    def sources(self) -> dict[int, Source]:
        """What the posts of this page say now, by document."""
        return read(self.shown.values(), self.using)

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
    def members(self) -> list[Member]:
        """The representative, then the others of this page."""
        head = self.cluster.representative
        first = Member(self.representative, True, **self._facts(head, self.representative))
        return [first, *(self._member(place) for place in self.places)]

    @cached_property
    def weakest(self) -> tuple[str, Document, Document] | None:
        """The score and the documents of the weakest pair inside."""
        inside = current_pairs(self._inside(), self.using).filter(a__in=self._inside(), b__in=self._inside())
        pair = inside.select_related("a", "b").order_by("score", "pk").first()
        return None if pair is None else (percent(pair.score, pair.exact), pair.a, pair.b)

    @cached_property
    def nearby(self) -> list[Neighbour]:
        """Variants of members that do not belong: best first."""
        inside = self._inside()
        crossing = (Q(a__in=inside) & ~Q(b__in=inside)) | (Q(b__in=inside) & ~Q(a__in=inside))
        rows = current_pairs(inside, self.using).filter(crossing, verdict=Verdict.VARIANT)
        pairs = list(rows.select_related("a", "b").order_by("-score", "pk")[:NEARBY])
        sides = [side for pair in pairs for side in (pair.a, pair.b)]
        shown = show(sides, self.request, self.site, self.using)
        members = inside.filter(document__in=[side.pk for side in sides])
        own = set(members.values_list("document", flat=True))
        return [self._neighbour(pair, pair.a_id in own, shown) for pair in pairs]

    def _inside(self) -> Any:
        return Membership.objects.using(self.using).filter(cluster=self.cluster).values("document")

    def _neighbour(self, pair: Pair, a_inside: bool, shown: dict[int, Shown]) -> Neighbour:
        member, other = (pair.a_id, pair.b_id) if a_inside else (pair.b_id, pair.a_id)
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
            **self._facts(place.document, shown),
        )

    def _facts(self, document: Document, shown: Shown) -> dict[str, Any]:
        author = document.author if shown.instance is not None else ""
        return {
            "author": author,
            "same_author": bool(author) and author == self.cluster.representative.author,
            "since": document.created,
            "visits": shown.visits,
        }


def _differences(pair: Pair, left: Shown, right: Shown, sources: Mapping[int, Source]) -> list[Difference]:
    """What differs, where this person may see both posts."""
    if left.instance is None or right.instance is None:
        return []
    return differences(pair.evidence, side_of(pair, left), texts_of(pair, sources))

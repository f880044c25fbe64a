"""The rows of the queue: what stands in each, read for the whole page by a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode

from ...models import Cluster, Contact, Document, Membership, Pair, Scheme, Verdict
from ..asked import decide_url, sight_in_list
from ..deciding import may_begin
from ..groups import CAP, Group, groups_of
from ..outcomes import OUTCOMES, Outcome
from ..reopened import Reopened, reopened
from ..shown import Shown, model_name, queue_url, show
from ..words import LETTERS, SHOWN, SIGNS, Difference, differences, rest
from .at_once import AT_ONCE
from .filters import with_age
from .items import Item
from .suggesting import Suggestion, suggest
from .words import Contacts, authors_words, contact_words, range_words, reasons, same_words


@dataclass(frozen=True)
class Action:
    """What may be done with a row: at once by a button, or by a link to its plan. ``keys`` press it."""

    words: str
    url: str
    at_once: bool
    keys: str
    title: str | Promise = ""


@dataclass(frozen=True)
class Row:
    """An item as the page shows it. ``seen`` is what a decision at once rests on; empty where the group is too large
    for one."""

    key: str
    url: str
    posts: Sequence[Shown]
    title: str
    verdict: Verdict
    kind: str
    exact: bool
    again: bool
    size: int
    score: str
    weakest: str
    since: datetime
    suggestion: Suggestion
    why: str
    contact: str
    contact_url: str
    author: str
    author_url: str
    others: str
    differences: Sequence[Difference] = field(default_factory=list)
    rest: str = ""
    sentence: str = ""
    seen: str = ""
    action: Action | None = None
    more: Sequence[Action] = ()

    @property
    def sign(self) -> str:
        return SIGNS[self.verdict]


class Rows:
    """The rows of those items, as that person may see them."""

    def __init__(
        self, items: Sequence[Item], request: HttpRequest, site: Any, using: str, back: Mapping[str, str]
    ) -> None:
        self.items, self.request, self.site, self.using, self.back = items, request, site, using, back
        self.outcomes = [each for each in OUTCOMES.values() if may_begin(each, request)]

    def __iter__(self) -> Any:
        sources = {**{("c", key): each for key, each in self.clusters.items()}}
        sources |= {("p", key): each for key, each in self.pairs.items()}
        for item in self.items:
            source = sources.get((item.key[0], item.number))
            if source is not None:
                yield self._row(item, source)

    @cached_property
    def clusters(self) -> dict[int, Any]:
        """The clusters of the page, each with ``farthest``, the member least like the representative."""
        keys = [item.number for item in self.items if item.kind == 0]
        others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(
            document=OuterRef("representative")
        )
        farthest = Subquery(others.order_by("exact", "score", "document").values("document")[:1])
        rows = with_age(Cluster.objects.using(self.using).filter(pk__in=keys)).annotate(farthest=farthest)
        return {each.pk: each for each in rows.select_related("representative")}

    @cached_property
    def pairs(self) -> dict[int, Pair]:
        keys = [item.number for item in self.items if item.kind == 1]
        rows = Pair.objects.using(self.using).filter(pk__in=keys).select_related("a", "b")
        return {each.pk: each for each in rows}

    @cached_property
    def facts(self) -> dict[int, dict[str, Any]]:
        """Of each cluster: its authors, how many share a contact with the representative, the best score with it."""
        own = Contact.objects.filter(
            kind=Contact.Kind.CONTACT,
            document=OuterRef(OuterRef("cluster__representative")),
            hash=OuterRef("hash"),
        )
        contacts = Contact.objects.filter(kind=Contact.Kind.CONTACT, document=OuterRef("document"))
        others = ~Q(document=F("cluster__representative"))
        rows = Membership.objects.using(self.using).filter(cluster__in=list(self.clusters)).values("cluster")
        found = rows.annotate(
            authors=Count("document__author", distinct=True, filter=~Q(document__author="")),
            unsigned=Count("pk", filter=Q(document__author="")),
            sharing=Count("pk", filter=others & Q(Exists(contacts.filter(Exists(own))))),
            stating=Count("pk", filter=others & Q(Exists(contacts))),
            highest=Max("score", filter=others),
            copies=Count("pk", filter=others & Q(exact=True)),
        )
        return {row["cluster"]: {**row} for row in found.order_by()}

    @cached_property
    def evidence(self) -> dict[int, Pair]:
        """The pair of each cluster's representative with the member least like it."""
        ends = {(each.representative_id, each.farthest): key for key, each in self.clusters.items()}
        sides = {side for end in ends for side in end if side is not None}
        rows = Pair.objects.using(self.using).filter(
            a__in=sides, b__in=sides, scheme__state=Scheme.State.ACTIVE
        )
        found = {}
        for pair in rows:
            for end in ((pair.a_id, pair.b_id), (pair.b_id, pair.a_id)):
                if end in ends:
                    found[ends[end]] = pair
        return found

    @cached_property
    def documents(self) -> dict[int, Document]:
        """Of each cluster the representative and the member least like it; both posts of each pair."""
        found = {each.representative_id: each.representative for each in self.clusters.values()}
        for pair in self.pairs.values():
            found |= {pair.a_id: pair.a, pair.b_id: pair.b}
        ends = [each.farthest for each in self.clusters.values() if each.farthest not in found]
        return found | Document.objects.using(self.using).in_bulk([end for end in ends if end is not None])

    @cached_property
    def shown(self) -> dict[int, Shown]:
        return show(self.documents.values(), self.request, self.site, self.using)

    @cached_property
    def contacts(self) -> Contacts:
        """The contacts of the documents, as hashes."""
        rows = Contact.objects.using(self.using).filter(
            kind=Contact.Kind.CONTACT, document__in=list(self.documents)
        )
        found: Contacts = defaultdict(set)
        for document, value in rows.values_list("document", "hash"):
            found[document].add(value)
        return found

    @cached_property
    def again(self) -> dict[int, Reopened]:
        """Pairs that were decided before, by id; of clusters the pair that is shown."""
        return reopened([*self.pairs.values(), *self.evidence.values()], self.using)

    @cached_property
    def groups(self) -> dict[str, Group]:
        """Those that may be decided at once."""
        keys = [f"c{key}" for key, each in self.clusters.items() if each.size <= CAP]
        found = groups_of([*keys, *(f"p{key}" for key in self.pairs)], None, None, self.using)
        return {group.key: group for group in found}

    def _row(self, item: Item, source: Cluster | Pair) -> Row:
        is_pair = isinstance(source, Pair)
        pair = source if isinstance(source, Pair) else self.evidence.get(source.pk)
        posts = [self.shown[each] for each in self._ends(source) if each in self.shown]
        first, facts = posts[0], {} if is_pair else self.facts.get(source.pk, {})
        seen = all(post.instance is not None for post in posts)
        readable = seen and not source.exact and len(posts) == 2
        found = (
            differences(pair.evidence, "a" if pair.a_id == first.document.pk else "b")
            if pair and readable
            else []
        )
        again = self.again.get(pair.pk) if pair is not None else None
        size = 2 if isinstance(source, Pair) else source.size
        state, shared = contact_words(posts, self.contacts, size, facts) if seen else ("", None)
        group = self.groups.get(item.key)
        suggestion = suggest(source, first.document)
        actions = {each.name: self._action(each, item.key, group, suggestion) for each in self.outcomes}
        return Row(
            key=item.key,
            url=self._url(source),
            posts=posts,
            title=_title(posts),
            verdict=Verdict(source.verdict) if isinstance(source, Pair) else Verdict.DUPLICATE,
            kind=model_name(first.document),
            exact=source.exact,
            again=again is not None or getattr(source, "decided", None) is not None,
            size=size,
            **range_words(source, facts),
            since=item.since,
            suggestion=suggestion,
            action=actions.pop(suggestion.outcome, None),
            more=list(actions.values()),
            why=reasons(source, posts, again),
            contact=state,
            contact_url=queue_url(self.site, "contact", shared) if shared is not None else "",
            author=first.author,
            author_url=first.author_url,
            others=authors_words(posts, facts) if first.author and seen else "",
            differences=found[:SHOWN],
            rest=rest(len(found) - SHOWN),
            sentence=same_words(source, posts, pair) if not found else "",
            seen=str(sight_in_list(group)) if group is not None else "",
        )

    def _action(self, outcome: Outcome, key: str, group: Group | None, suggestion: Suggestion) -> Action:
        url = decide_url(self.site.name, outcome.name)
        at_once = outcome.name in AT_ONCE and group is not None
        query = urlencode({"id": key, **self.back})
        suggested = outcome.name == suggestion.outcome
        return Action(
            suggestion.button if suggested else str(outcome.button),
            url if at_once else f"{url}?{query}",
            at_once,
            f"a {LETTERS[outcome.name]}" if suggested else LETTERS[outcome.name],
            suggestion.reason if suggested else "",
        )

    def _ends(self, source: Any) -> list[int]:
        """The documents of a row, the earlier first."""
        if isinstance(source, Pair):
            return [each.pk for each in sorted((source.a, source.b), key=lambda each: each.order)]
        return [source.representative_id, source.farthest]

    def _url(self, source: Cluster | Pair) -> str:
        name = "pair" if isinstance(source, Pair) else "cluster"
        url = reverse(f"{self.site.name}:neardup_{name}_change", args=[source.pk])
        return f"{url}?{urlencode(self.back)}"


def _title(posts: Sequence[Shown]) -> str:
    """The titles of both posts, or the one that they share."""
    titles = dict.fromkeys(post.title for post in posts)
    return " – ".join(titles)

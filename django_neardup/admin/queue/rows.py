"""The rows of the queue: what stands in each."""

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
from ..asked import decide_url, sight_in_list
from ..deciding import may_begin
from ..groups import Group
from ..outcomes import OUTCOMES, Outcome
from ..shown import Shown, model_name, queue_url
from ..words import LETTERS, SHOWN, SIGNS, Difference, differences, passed, rest
from .at_once import AT_ONCE
from .items import Item
from .sources import Sources
from .suggesting import Suggestion, suggest
from .words import authors_words, contact_words, range_words, reasons, same_words


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

    @property
    def waits(self) -> str:
        """For how long."""
        return passed(self.since)


class Rows:
    """The rows of those items, as that person may see them."""

    def __init__(
        self, items: Sequence[Item], request: HttpRequest, site: Any, using: str, back: Mapping[str, str]
    ) -> None:
        self.items, self.site, self.back = items, site, back
        self.read = Sources(items, request, site, using)
        self.outcomes = [each for each in OUTCOMES.values() if may_begin(each, request)]

    def __iter__(self) -> Any:
        sources = {**{("c", key): each for key, each in self.read.clusters.items()}}
        sources |= {("p", key): each for key, each in self.read.pairs.items()}
        for item in self.items:
            source = sources.get((item.key[0], item.number))
            if source is not None:
                yield self._row(item, source)

    def _row(self, item: Item, source: Cluster | Pair) -> Row:
        is_pair = isinstance(source, Pair)
        pair = source if isinstance(source, Pair) else self.read.evidence.get(source.pk)
        posts = [self.read.shown[each] for each in self._ends(source) if each in self.read.shown]
        first, facts = posts[0], {} if is_pair else self.read.facts.get(source.pk, {})
        seen = all(post.instance is not None for post in posts)
        readable = seen and not source.exact and len(posts) == 2
        found = (
            differences(pair.evidence, "a" if pair.a_id == first.document.pk else "b")
            if pair and readable
            else []
        )
        again = self.read.again.get(pair.pk) if pair is not None else None
        size = 2 if isinstance(source, Pair) else source.size
        state, shared = contact_words(posts, self.read.contacts, size, facts) if seen else ("", None)
        group = self.read.groups.get(item.key)
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

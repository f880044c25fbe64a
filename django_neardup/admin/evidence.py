"""Why two posts met: the score and what it is measured by, keys, contacts, names, phrases, identity, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from ..comparison.compare import Held
from ..comparison.meeting import Met, contact_kind
from ..models import Contact, Pair
from ..pipeline.schemes import algorithm_of, canonise
from ..pipeline.sql import among
from ..pipeline.ties import EQUAL, UNEQUAL, UNKNOWN, Party, Ties, hashes_of, phrases_of, ties
from ..signatures.base import Algorithm
from ..signatures.statistics import StatisticsMissing
from .comparison import Comparison
from .shown import queue_url
from .texts import Post
from .words import ONLY, percent

CONTACTS: dict[str, str | Promise] = {
    "phone": gettext_lazy("phone"),
    "email": gettext_lazy("e-mail"),
    "link": gettext_lazy("link"),
    "handle": gettext_lazy("handle"),
    "account": gettext_lazy("other contact"),
}
KEYS: dict[str, str | Promise] = {
    "passages": gettext_lazy("passages %(count)d"),
    "pairs": gettext_lazy("pairs of words %(count)d"),
    "words": gettext_lazy("the set of words"),
    "exact": gettext_lazy("the exact text"),
    "identity": gettext_lazy("identity"),
}
IDENTITY: dict[str, str | Promise] = {
    EQUAL: pgettext_lazy("identity", "the same"),
    UNEQUAL: pgettext_lazy("identity", "different"),
    UNKNOWN: pgettext_lazy("identity", "not given"),
}
NAMED = 3
"""Names and phrases that a cell lists."""

LONGEST = 100_000
"""Characters of texts that are read anew for the page; of longer ones the stored figures alone are told."""


@dataclass(frozen=True)
class Reason:
    """A row: what it is of, and what is known; ``url`` leads to the posts that ``link`` speaks of."""

    heading: str
    words: str
    link: str = ""
    url: str = ""


class Evidence:
    """Why the two of a comparison met: a fixed number of queries."""

    def __init__(self, comparison: Comparison, pair: Pair, site: Any, using: str) -> None:
        self.comparison, self.pair, self.site, self.using = comparison, pair, site, using
        self.documents = (comparison.left.shown.document, comparison.right.shown.document)

    @cached_property
    def algorithm(self) -> Algorithm | None:
        """That of the scheme; None where the statistics that it was made with are gone."""
        try:
            return algorithm_of(self.pair.scheme)
        except StatisticsMissing:
            return None

    @cached_property
    def parties(self) -> tuple[Party, Party] | None:
        """Both posts as they were compared, where this person may see both and neither has changed."""
        sides = (self.comparison.left, self.comparison.right)
        if not self.comparison.readable or self.comparison.stale:
            return None
        found = [self._party(each) for each in sides]
        one, two = found
        return (one, two) if one is not None and two is not None else None

    @cached_property
    def ties(self) -> Ties | None:
        if self.parties is None or self.algorithm is None:
            return None
        return ties(*self.parties, self.algorithm)

    @cached_property
    def reasons(self) -> list[Reason]:
        """The rows of the panel."""
        return list(self._reasons())

    def _reasons(self) -> Iterator[Reason]:
        yield Reason(_("Score"), self._score())
        containments = self.comparison.containments
        if containments is not None:
            yield Reason(_("A inside B"), containments[0])
            yield Reason(_("B inside A"), containments[1])
        if self.ties is not None:
            if self.ties.met is not None:
                yield Reason(pgettext("evidence", "Keys"), met_in_words(self.ties.met))
            yield from self._contacts(self.ties.contacts)
            yield from self._names(self.ties.names)
            yield from self._identity(self.ties.identity)
        yield from self._phrases()
        yield Reason(_("Exact copy"), _("yes") if self.pair.exact else _("no"))
        scheme = self.pair.scheme
        words = _("%(algorithm)s, version %(number)d")
        yield Reason(_("Scheme"), words % {"algorithm": scheme.algorithm, "number": scheme.generation})

    def _score(self) -> str:
        if self.parties is None or self.algorithm is None:
            return self.comparison.score
        least = self.algorithm.threshold(min(each.text.words for each in self.parties))
        words = _("%(score)s, threshold %(least)s")
        return words % {"score": self.comparison.score, "least": percent(least)}

    def _contacts(self, held: Held) -> Iterator[Reason]:
        others = self._others(held.equal)
        for kind, heading in CONTACTS.items():
            own = Held(*(_of_kind(each, kind) for each in (held.equal, held.only_a, held.only_b)))
            if not own:
                continue
            known = max(((others[each], each) for each in own.equal if each in others), default=None)
            words = capfirst(str(heading)), _held_in_words(own)
            yield Reason(*words) if known is None else Reason(*words, *self._known(*known[0]))

    def _others(self, contacts: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Of those contacts that other posts have too: how many, and under what they are stored."""
        hashes = hashes_of(tuple(contacts), self.pair.scheme)
        rows = Contact.objects.using(self.using).exclude(document__in=self.documents).order_by()
        counted = rows.values_list("hash").annotate(posts=Count("document"))
        counts = {value: count for some in among(counted, "hash", hashes.values()) for value, count in some}
        return {each: (counts[value], value) for each, value in hashes.items() if value in counts}

    def _known(self, count: int, value: int) -> tuple[str, str]:
        words = ngettext("in %(count)d more post", "in %(count)d more posts", count) % {"count": count}
        return words, queue_url(self.site, "contact", value)

    def _names(self, held: Held) -> Iterator[Reason]:
        """Names that stand in both texts are listed; declared ones are not."""
        if held and self.parties is not None:
            written = set(self.parties[0].text.names).intersection(self.parties[1].text.names)
            listed = _listed(each.title() for each in held.equal if each in written)
            yield Reason(_("Names"), listed or _held_in_words(held))

    def _phrases(self) -> Iterator[Reason]:
        if not self.comparison.readable:
            return
        held = phrases_of(*self.documents, self.pair.scheme, self.using)
        if held:
            yield Reason(_("Key phrases"), _listed(held.equal) or _held_in_words(held))

    def _identity(self, found: Iterable[str]) -> Iterator[Reason]:
        adapter = self.comparison.left.shown.adapter
        for name, state in zip(adapter.identity if adapter is not None else (), found):
            yield Reason(capfirst(_field_name(adapter, name)), str(IDENTITY[state]))

    def _party(self, post: Post) -> Party | None:
        source, adapter = self.comparison.sources.get(post.shown.document.pk), post.shown.adapter
        if source is None or adapter is None or len(source.text) > LONGEST:
            return None
        return Party(canonise(adapter, source, self.pair.scheme), source.contacts, source.identity)


def met_in_words(met: Met) -> str:
    """How many keys met, of how many, how many are needed, and of what kinds they are."""
    figures = {"shared": met.shared, "a": met.keys_a, "b": met.keys_b, "needed": met.needed}
    kinds = [str(KEYS[kind]) % {"count": count} for kind, count in met.kinds if kind in KEYS]
    words = _("%(shared)d in common, of %(a)d and %(b)d; needed: %(needed)d") % figures
    return f"{words}: {', '.join(kinds)}" if kinds else words


def _of_kind(contacts: Iterable[str], kind: str) -> tuple[str, ...]:
    return tuple(each for each in contacts if contact_kind(each) == kind)


def _held_in_words(held: Held) -> str:
    """Whether both have the same; never what it is."""
    if held.equal:
        others = bool(held.only_a or held.only_b)
        return pgettext("contact", "the same, and others") if others else pgettext("contact", "the same")
    if held.only_a and held.only_b:
        return pgettext("contact", "different")
    return str(ONLY["A" if held.only_a else "B"])


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:NAMED]) + (" …" if len(found) > NAMED else "")


def _field_name(adapter: Any, name: str) -> str:
    fields: Mapping[str, Any] = {field.name: field for field in adapter.model._meta.get_fields()}
    return str(getattr(fields.get(name), "verbose_name", name))

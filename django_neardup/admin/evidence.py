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

from ..algorithms.base import Algorithm
from ..algorithms.statistics import StatisticsMissing
from ..db.sql import filter_in_chunks
from ..models import Contact, Pair
from ..pipeline.schemes import algorithm_of, canonicalize
from ..pipeline.shared_evidence import (
    EQUAL,
    UNEQUAL,
    UNKNOWN,
    ComparedText,
    SharedEvidence,
    contact_hashes,
    find_shared_evidence,
    shared_phrases,
)
from ..reports.shared_keys import SharedKeys, contact_kind
from ..reports.text_comparison import SharedValues
from .pair_view import PairComparison
from .side_by_side import ComparisonSide
from .text_format import ONE_SIDED_LABELS, format_percent
from .visible_objects import queue_list_url

CONTACT_LABELS: dict[str, str | Promise] = {
    "phone": gettext_lazy("phone"),
    "email": gettext_lazy("e-mail"),
    "link": gettext_lazy("link"),
    "handle": gettext_lazy("handle"),
    "account": gettext_lazy("other contact"),
}
KEY_KIND_LABELS: dict[str, str | Promise] = {
    "passages": gettext_lazy("passages %(count)d"),
    "pairs": gettext_lazy("pairs of words %(count)d"),
    "words": gettext_lazy("the set of words"),
    "exact": gettext_lazy("the exact text"),
    "identity": gettext_lazy("identity"),
}
IDENTITY_LABELS: dict[str, str | Promise] = {
    EQUAL: pgettext_lazy("identity", "the same"),
    UNEQUAL: pgettext_lazy("identity", "different"),
    UNKNOWN: pgettext_lazy("identity", "not given"),
}
MAX_LISTED_NAMES = 3
"""Names and phrases that a cell lists."""

MAX_TEXT_LENGTH = 100_000
"""Characters of texts that are read anew for the page; of longer ones the stored figures alone are told."""


@dataclass(frozen=True)
class EvidenceRow:
    """A row: what it is of, and what is known; ``url`` leads to the posts that ``link`` speaks of."""

    heading: str
    text: str
    link_text: str = ""
    url: str = ""


class Evidence:
    """Why the two of a comparison met: a fixed number of queries."""

    def __init__(self, comparison: PairComparison, pair: Pair, site: Any, using: str) -> None:
        self.comparison, self.pair, self.site, self.using = comparison, pair, site, using
        self.documents = (comparison.left.post.document, comparison.right.post.document)

    @cached_property
    def algorithm(self) -> Algorithm | None:
        """That of the scheme; None where the statistics that it was made with are gone."""
        try:
            return algorithm_of(self.pair.scheme)
        except StatisticsMissing:
            return None

    @cached_property
    def parties(self) -> tuple[ComparedText, ComparedText] | None:
        """Both posts as they were compared, where this person may see both and neither has changed."""
        sides = (self.comparison.left, self.comparison.right)
        if not self.comparison.is_readable or self.comparison.is_stale:
            return None
        found = [self._build_party(each) for each in sides]
        one, two = found
        return (one, two) if one is not None and two is not None else None

    @cached_property
    def ties(self) -> SharedEvidence | None:
        if self.parties is None or self.algorithm is None:
            return None
        return find_shared_evidence(*self.parties, self.algorithm)

    @cached_property
    def rows(self) -> list[EvidenceRow]:
        """The rows of the panel."""
        return list(self._iterate_rows())

    def _iterate_rows(self) -> Iterator[EvidenceRow]:
        yield EvidenceRow(_("Score"), self._score_text())
        containments = self.comparison.containments
        if containments is not None:
            yield EvidenceRow(_("A inside B"), containments[0])
            yield EvidenceRow(_("B inside A"), containments[1])
        if self.ties is not None:
            if self.ties.shared_keys is not None:
                yield EvidenceRow(pgettext("evidence", "Keys"), shared_keys_text(self.ties.shared_keys))
            yield from self._contact_rows(self.ties.contacts)
            yield from self._name_rows(self.ties.names)
            yield from self._identity_rows(self.ties.identity)
        yield from self._phrase_rows()
        yield EvidenceRow(_("Exact copy"), _("yes") if self.pair.exact else _("no"))
        scheme = self.pair.scheme
        words = _("%(algorithm)s, version %(number)d")
        yield EvidenceRow(_("Scheme"), words % {"algorithm": scheme.algorithm, "number": scheme.generation})

    def _score_text(self) -> str:
        if self.parties is None or self.algorithm is None:
            return self.comparison.score_text
        least = self.algorithm.duplicate_threshold(min(each.text.word_count for each in self.parties))
        words = _("%(score)s, threshold %(least)s")
        return words % {"score": self.comparison.score_text, "least": format_percent(least)}

    def _contact_rows(self, matched_values: SharedValues) -> Iterator[EvidenceRow]:
        others = self._count_other_posts(matched_values.equal)
        for kind, heading in CONTACT_LABELS.items():
            own = SharedValues(
                *(
                    _contacts_of_kind(each, kind)
                    for each in (matched_values.equal, matched_values.only_a, matched_values.only_b)
                )
            )
            if not own:
                continue
            known = max(((others[each], each) for each in own.equal if each in others), default=None)
            words = capfirst(str(heading)), _match_text(own)
            yield (
                EvidenceRow(*words)
                if known is None
                else EvidenceRow(*words, *self._other_posts_link(*known[0]))
            )

    def _count_other_posts(self, contacts: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Of those contacts that other posts have too: how many, and under what they are stored."""
        hashes = contact_hashes(tuple(contacts), self.pair.scheme)
        rows = Contact.objects.using(self.using).exclude(document__in=self.documents).order_by()
        counted = rows.values_list("hash").annotate(posts=Count("document"))
        counts = {
            value: count
            for some in filter_in_chunks(counted, "hash", hashes.values())
            for value, count in some
        }
        return {each: (counts[value], value) for each, value in hashes.items() if value in counts}

    def _other_posts_link(self, count: int, contact_hash: int) -> tuple[str, str]:
        words = ngettext("in %(count)d more post", "in %(count)d more posts", count) % {"count": count}
        return words, queue_list_url(self.site, "contact", contact_hash)

    def _name_rows(self, matched_values: SharedValues) -> Iterator[EvidenceRow]:
        """Names that stand in both texts are listed; declared ones are not."""
        if matched_values and self.parties is not None:
            written = set(self.parties[0].text.person_names).intersection(self.parties[1].text.person_names)
            listed = _join_names(each.title() for each in matched_values.equal if each in written)
            yield EvidenceRow(_("Names"), listed or _match_text(matched_values))

    def _phrase_rows(self) -> Iterator[EvidenceRow]:
        if not self.comparison.is_readable:
            return
        held = shared_phrases(*self.documents, self.pair.scheme, self.using)
        if held:
            yield EvidenceRow(_("Key phrases"), _join_names(held.equal) or _match_text(held))

    def _identity_rows(self, states: Iterable[str]) -> Iterator[EvidenceRow]:
        adapter = self.comparison.left.post.adapter
        for name, state in zip(adapter.identity if adapter is not None else (), states):
            yield EvidenceRow(capfirst(_field_name(adapter, name)), str(IDENTITY_LABELS[state]))

    def _build_party(self, side: ComparisonSide) -> ComparedText | None:
        source, adapter = self.comparison.sources_by_document.get(side.post.document.pk), side.post.adapter
        if source is None or adapter is None or len(source.text) > MAX_TEXT_LENGTH:
            return None
        return ComparedText(canonicalize(adapter, source, self.pair.scheme), source.contacts, source.identity)


def shared_keys_text(met: SharedKeys) -> str:
    """How many keys met, of how many, how many are needed, and of what kinds they are."""
    figures = {"shared": met.shared, "a": met.keys_a, "b": met.keys_b, "needed": met.needed}
    kinds = [
        str(KEY_KIND_LABELS[kind]) % {"count": count} for kind, count in met.kinds if kind in KEY_KIND_LABELS
    ]
    words = _("%(shared)d in common, of %(a)d and %(b)d; needed: %(needed)d") % figures
    return f"{words}: {', '.join(kinds)}" if kinds else words


def _contacts_of_kind(contacts: Iterable[str], kind: str) -> tuple[str, ...]:
    return tuple(each for each in contacts if contact_kind(each) == kind)


def _match_text(matched_values: SharedValues) -> str:
    """Whether both have the same; never what it is."""
    if matched_values.equal:
        others = bool(matched_values.only_a or matched_values.only_b)
        return pgettext("contact", "the same, and others") if others else pgettext("contact", "the same")
    if matched_values.only_a and matched_values.only_b:
        return pgettext("contact", "different")
    return str(ONE_SIDED_LABELS["A" if matched_values.only_a else "B"])


def _join_names(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:MAX_LISTED_NAMES]) + (" …" if len(found) > MAX_LISTED_NAMES else "")


def _field_name(adapter: Any, name: str) -> str:
    fields: Mapping[str, Any] = {field.name: field for field in adapter.model._meta.get_fields()}
    return str(getattr(fields.get(name), "verbose_name", name))

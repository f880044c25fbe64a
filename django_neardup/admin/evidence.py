"""Evidence for a pair, in words: score, keys, contacts, names, key phrases, identity, scheme."""

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
from ..reports.messages import CONTACT_LABELS
from ..reports.shared_keys import SharedKeys
from ..reports.text_comparison import SharedValues
from .pair_view import PairComparison
from .side_by_side import ComparisonSide
from .text_format import LABELS, ONE_SIDED_LABELS, format_percent
from .visible_objects import queue_list_url

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
"""The maximum number of names or phrases in a cell."""

MAX_TEXT_LENGTH = 100_000
"""Characters. Longer texts are not analysed again for the page, which then shows only the stored figures."""


@dataclass(frozen=True)
class EvidenceRow:
    """A row of the panel: a heading and a text. ``url`` leads to the posts that ``link_text`` names."""

    heading: str
    text: str
    link_text: str = ""
    url: str = ""


class Evidence:
    """The evidence of one comparison. Takes a fixed number of queries."""

    def __init__(self, comparison: PairComparison, pair: Pair, site: Any, using: str) -> None:
        self.comparison, self.pair, self.site, self.using = comparison, pair, site, using
        self.documents = (comparison.left.post.document, comparison.right.post.document)

    @cached_property
    def algorithm(self) -> Algorithm | None:
        """Return the algorithm of the pair's scheme. Return None if its statistics no longer exist."""
        try:
            return algorithm_of(self.pair.scheme)
        except StatisticsMissing:
            return None

    @cached_property
    def parties(self) -> tuple[ComparedText, ComparedText] | None:
        """Return the texts of both posts in the form that was compared.

        Return None if the user may not see one of them, if a text has changed, or if a text is too long.
        """
        sides = (self.comparison.left, self.comparison.right)
        if not self.comparison.is_readable or self.comparison.is_stale:
            return None
        compared_texts = [self._build_party(side) for side in sides]
        left, right = compared_texts
        return (left, right) if left is not None and right is not None else None

    @cached_property
    def ties(self) -> SharedEvidence | None:
        if self.parties is None or self.algorithm is None:
            return None
        return find_shared_evidence(*self.parties, self.algorithm)

    @cached_property
    def rows(self) -> list[EvidenceRow]:
        """Return the rows of the panel."""
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
        yield EvidenceRow(_("Certainty"), LABELS.certainty(self.pair.doubtful))
        yield EvidenceRow(_("Exact copy"), _("yes") if self.pair.exact else _("no"))
        scheme = self.pair.scheme
        template = _("%(algorithm)s, version %(number)d")
        yield EvidenceRow(
            _("Scheme"), template % {"algorithm": scheme.algorithm, "number": scheme.generation}
        )

    def _score_text(self) -> str:
        if self.parties is None or self.algorithm is None:
            return self.comparison.score_text
        threshold = self.algorithm.duplicate_threshold(min(party.text.word_count for party in self.parties))
        template = _("%(score)s, threshold %(least)s")
        return template % {"score": self.comparison.score_text, "least": format_percent(threshold)}

    def _contact_rows(self, matched_values: SharedValues) -> Iterator[EvidenceRow]:
        counts_and_hashes = self._count_other_posts(matched_values.equal)
        for prefix, heading in CONTACT_LABELS.items():
            contacts = SharedValues(
                *(
                    _contacts_with_prefix(values, prefix)
                    for values in (matched_values.equal, matched_values.only_a, matched_values.only_b)
                )
            )
            if not contacts:
                continue
            most_used = max(
                (
                    (counts_and_hashes[contact], contact)
                    for contact in contacts.equal
                    if contact in counts_and_hashes
                ),
                default=None,
            )
            heading_and_text = capfirst(_(heading)), _match_text(contacts)
            yield (
                EvidenceRow(*heading_and_text)
                if most_used is None
                else EvidenceRow(*heading_and_text, *self._other_posts_link(*most_used[0]))
            )

    def _count_other_posts(self, contacts: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return the number of other posts and the stored hash of each contact that other posts share."""
        hashes = contact_hashes(tuple(contacts), self.pair.scheme)
        rows = Contact.objects.using(self.using).exclude(document__in=self.documents).order_by()
        hash_counts = rows.values_list("hash").annotate(posts=Count("document"))
        counts = {
            contact_hash: count
            for chunk in filter_in_chunks(hash_counts, "hash", hashes.values())
            for contact_hash, count in chunk
        }
        return {
            contact: (counts[contact_hash], contact_hash)
            for contact, contact_hash in hashes.items()
            if contact_hash in counts
        }

    def _other_posts_link(self, count: int, contact_hash: int) -> tuple[str, str]:
        link_text = ngettext("in %(count)d more post", "in %(count)d more posts", count) % {"count": count}
        return link_text, queue_list_url(self.site, "contact", contact_hash)

    def _name_rows(self, matched_values: SharedValues) -> Iterator[EvidenceRow]:
        """Yield the row of names. Names that are in both texts are listed; declared names are not."""
        if matched_values and self.parties is not None:
            written_names = set(self.parties[0].text.person_names).intersection(
                self.parties[1].text.person_names
            )
            listed = _join_names(name.title() for name in matched_values.equal if name in written_names)
            yield EvidenceRow(_("Names"), listed or _match_text(matched_values))

    def _phrase_rows(self) -> Iterator[EvidenceRow]:
        if not self.comparison.is_readable:
            return
        phrases = shared_phrases(*self.documents, self.pair.scheme, self.using)
        if phrases:
            yield EvidenceRow(_("Key phrases"), _join_names(phrases.equal) or _match_text(phrases))

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
    """Return in words how many keys are equal, of how many, how many are needed, and their kinds."""
    figures = {"shared": met.shared, "a": met.keys_a, "b": met.keys_b, "needed": met.needed}
    kinds = [
        str(KEY_KIND_LABELS[kind]) % {"count": count} for kind, count in met.kinds if kind in KEY_KIND_LABELS
    ]
    text = _("%(shared)d in common, of %(a)d and %(b)d; needed: %(needed)d") % figures
    return f"{text}: {', '.join(kinds)}" if kinds else text


def _contacts_with_prefix(contacts: Iterable[str], prefix: str) -> tuple[str, ...]:
    """Return the contacts whose first fitting beginning of ``CONTACT_LABELS`` is ``prefix``."""
    return tuple(
        contact
        for contact in contacts
        if next(beginning for beginning in CONTACT_LABELS if contact.startswith(beginning)) == prefix
    )


def _match_text(matched_values: SharedValues) -> str:
    """Return in words whether both posts have the same values. The values themselves are never shown."""
    if matched_values.equal:
        has_others = bool(matched_values.only_a or matched_values.only_b)
        return pgettext("contact", "the same, and others") if has_others else pgettext("contact", "the same")
    if matched_values.only_a and matched_values.only_b:
        return pgettext("contact", "different")
    return str(ONE_SIDED_LABELS["A" if matched_values.only_a else "B"])


def _join_names(names: Iterable[str]) -> str:
    all_names = list(names)
    return ", ".join(all_names[:MAX_LISTED_NAMES]) + (" …" if len(all_names) > MAX_LISTED_NAMES else "")


def _field_name(adapter: Any, name: str) -> str:
    fields: Mapping[str, Any] = {field.name: field for field in adapter.model._meta.get_fields()}
    return str(getattr(fields.get(name), "verbose_name", name))

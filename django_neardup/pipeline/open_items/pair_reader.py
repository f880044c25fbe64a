"""Reads open pairs with the columns of their rows, by the owner of the row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from ...db.sql import filter_in_chunks
from ...models import Contact, Document, FamilyMember, Pair, Scheme
from .columns import with_columns
from .conditions import pairs_of_families, pairs_to_review, with_copies
from .rows import OpenPair, Owner, Row, build_rows

PAIR_COLUMNS = (
    "pk", "a_id", "b_id", "leader_a", "leader_b", "family", "scheme_id", "space_id", "verdict", "exact", "score",
    "settles", "decided", "since", "contact", "authors", "phrase", "item_model",
)  # fmt: skip
IN_ACTIVE_SCHEME = {"scheme__state": Scheme.State.ACTIVE}

PairCondition = Callable[[QuerySet[Pair]], QuerySet[Any]]
"""Which of the pairs wait, ``pairs_to_review`` or ``pairs_of_families``."""


class PairReader:
    """Reads open pairs with the columns of their rows, and the order of leaders."""

    def __init__(self, using: str) -> None:
        self.using = using
        phrases = Contact.objects.using(using).filter(kind=Contact.Kind.PHRASE)
        # Without any phrase, one query here replaces a subquery for every row.
        self.has_phrases = phrases.exists()
        self.ages: dict[int, Any] = {}

    def read(
        self, condition: PairCondition, documents: Sequence[int], sides: Sequence[str] = ("a", "b")
    ) -> list[OpenPair]:
        """Return the pairs that wait and have one of the documents on one of the sides."""
        pairs = Pair.objects.using(self.using)
        return [
            OpenPair(*values)
            for chunk in filter_in_chunks(pairs, "pk", self.ids_of(documents, sides))
            for values in with_columns(condition(chunk), self.has_phrases)
            .order_by()
            .values_list(*PAIR_COLUMNS)
        ]

    def ids_of(self, documents: Sequence[int], sides: Sequence[str] = ("a", "b")) -> list[int]:
        """Return the ids of all pairs of the active schemes with one of the documents on one of the sides."""
        pairs = Pair.objects.using(self.using).filter(**IN_ACTIVE_SCHEME)
        # Two look-ups by an index: no database needs to find an index for "one or the other side".
        ids = {
            pk
            for side in sides
            for chunk in filter_in_chunks(pairs, side, documents)
            for pk in chunk.order_by().values_list("pk", flat=True)
        }
        return sorted(ids)

    def asked_of(self, owners: Collection[Owner]) -> defaultdict[Owner, list[OpenPair]]:
        """Return the pairs of these owners that ask something."""
        families = sorted(owner.document for owner in owners if owner.of_family)
        others = sorted(owner.document for owner in owners if not owner.of_family)
        members = filter_in_chunks(
            FamilyMember.objects.using(self.using)
            .filter(**IN_ACTIVE_SCHEME)
            .values_list("document", flat=True),
            "leader",
            families,
        )
        in_families = with_copies([*families, *(pk for chunk in members for pk in chunk)], self.using)
        pairs = {
            # Both sides of a family's pair are members, or copies of members.
            *self.read(pairs_to_review, in_families, ("a",)),
            *self.read(pairs_to_review, with_copies(others, self.using)),
        }
        return self._by_owner(pairs)

    def rows_of(self, owners: Collection[Owner]) -> Iterator[Row]:
        """Return all rows of the owners."""
        asked = self.asked_of(owners)
        families = sorted(owner.document for owner in owners if owner.of_family)
        sure = self._by_owner(self.read(pairs_of_families, families))
        for owner in sorted(owners):
            yield from build_rows(owner, asked[owner], sure[owner])

    def owners_of(self, pairs: Collection[OpenPair]) -> set[Owner]:
        return {*self._by_owner(pairs)}

    def _by_owner(self, pairs: Iterable[OpenPair]) -> defaultdict[Owner, list[OpenPair]]:
        pairs, by_owner = sorted(pairs), defaultdict[Owner, list[OpenPair]](list)
        unknown = {leader for pair in pairs for leader in pair.groups} - self.ages.keys()
        documents = Document.objects.using(self.using).only("live", "text_since", "first_seen")
        for chunk in filter_in_chunks(documents, "pk", sorted(unknown)):
            self.ages |= {document.pk: document.static_order for document in chunk}
        # Two groups are asked about once: a duplicate or a text inside another takes the family's doubts along.
        apart = {pair.groups for pair in pairs if not pair.is_of_family}
        for pair in pairs:
            by_owner[pair.owner(self.ages.__getitem__, pair.groups not in apart)].append(pair)
        return by_owner

"""One question once: open pairs that ask together are one row of the queue.

- The pairs of a family's leader and its members, and doubts between members, are one row, the *family*.
- Of the pairs between the same two groups one is shown.
- Several remaining pairs of a young post with older ones are one row, its *shortlist*: which of these posts is it?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ...models import OpenItem, Verdict
from .columns import REOPENED_PRIORITY

Kind, Part = OpenItem.Kind, OpenItem.Part
MILLION = 1_000_000
MIN_FAMILY_PAIRS = 2
"""Number of doubts of a family from which on it is one row. A single doubt is shown as a pair."""
MIN_SHORTLIST_PAIRS = 2
"""Number of pairs of a post from which on they are one row."""


class Owner(NamedTuple):
    """The document that rows belong to: the leader of a family, or the youngest post of pairs."""

    document: int
    of_family: bool


class OpenPair(NamedTuple):
    """An open pair with what its row is sorted and filtered by. See ``columns.with_columns``.

    ``leader_a``, ``leader_b``: the leaders of the groups of its sides. ``family``: the leader of the template family
    that holds both groups, or 0.
    """

    pk: int
    a: int
    b: int
    leader_a: int
    leader_b: int
    family: int
    scheme: int
    space: int
    verdict: str
    exact: bool
    score: float
    settles: int
    decided: datetime | None
    since: datetime
    contact: str
    authors: str
    phrase: str
    model: str

    @property
    def is_of_family(self) -> bool:
        """Duplicates are decided one by one. A text inside another one is no item of a family."""
        return bool(self.family) and self.verdict not in (Verdict.DUPLICATE, Verdict.CONTAINED)

    @property
    def groups(self) -> tuple[int, int]:
        return min(self.leader_a, self.leader_b), max(self.leader_a, self.leader_b)

    @property
    def documents(self) -> set[int]:
        return {self.a, self.b, self.leader_a, self.leader_b}

    @property
    def priority(self) -> int:
        return self.settles + (0 if self.decided is None else REOPENED_PRIORITY)

    def owner(self, age: Callable[[int], Any], of_family: bool) -> Owner:
        """Return the owner of the pair's row.

        ``age``: the place of a document in the order of leaders. ``of_family``: all pairs of both groups are pairs of
        their family.
        """
        if of_family:
            return Owner(self.family, True)
        return Owner(max(self.leader_a, self.leader_b, key=age), False)


@dataclass
class Row:
    """An unsaved row, and its documents."""

    item: OpenItem
    documents: set[int]


def build_rows(owner: Owner, asked: Iterable[OpenPair], sure: Sequence[OpenPair]) -> list[Row]:
    """Return the rows of an owner.

    ``asked``: its pairs that ask something. ``sure``: those of a family's leader and members that are surely other
    items; they ask nothing.
    """
    by_groups: dict[tuple[int, int], OpenPair] = {}
    for pair in sorted(asked, key=lambda pair: (-pair.priority, pair.since, pair.pk)):
        by_groups.setdefault(pair.groups, pair)
    pairs = [*by_groups.values()]
    if owner.of_family:
        if len(pairs) >= MIN_FAMILY_PAIRS:
            return [_joined_row(Kind.FAMILY, owner, pairs)]
        if not pairs and sure:
            return [_joined_row(Kind.FAMILY, owner, sure, Part.FAMILIES)]
        return [_pair_row(owner, pair) for pair in pairs]
    listed = [pair for pair in pairs if is_of_shortlist(pair, owner)]
    if len(listed) < MIN_SHORTLIST_PAIRS:
        return [_pair_row(owner, pair) for pair in pairs]
    alone = [pair for pair in pairs if pair not in listed]
    return [_joined_row(Kind.SHORTLIST, owner, listed), *(_pair_row(owner, pair) for pair in alone)]


def is_of_shortlist(pair: OpenPair, owner: Owner) -> bool:
    """Return whether the shortlist of the owner has the pair.

    A duplicate is sure, so it has a separate row. A copy of the owner's post represents itself.
    """
    return pair.verdict != Verdict.DUPLICATE and owner.document in (pair.a, pair.b)


def _pair_row(owner: Owner, pair: OpenPair) -> Row:
    return _row(Kind.PAIR, pair.pk, owner, [pair], Part.REVIEW, 2)


def _joined_row(
    kind: OpenItem.Kind, owner: Owner, pairs: Sequence[OpenPair], part: OpenItem.Part = Part.REVIEW
) -> Row:
    posts = {owner.document}.union(*((pair.a, pair.b) for pair in pairs))
    return _row(kind, owner.document, owner, pairs, part, len(posts))


def _row(
    kind: OpenItem.Kind, number: int, owner: Owner, pairs: Sequence[OpenPair], part: OpenItem.Part, size: int
) -> Row:
    first, is_again = pairs[0], any(pair.decided for pair in pairs)
    contacts, authors = {pair.contact for pair in pairs}, {pair.authors for pair in pairs}
    item = OpenItem(
        scheme_id=first.scheme,
        space_id=first.space,
        part=part,
        kind=kind,
        number=number,
        owner_id=owner.document,
        of_family=owner.of_family,
        priority=sum(pair.settles for pair in pairs) + (REOPENED_PRIORITY if is_again else 0),
        score=round(max(pair.score for pair in pairs) * MILLION),
        size=size,
        since=min(pair.since for pair in pairs),
        again=is_again,
        verdict=first.verdict,
        exact=bool(first.exact) and len(pairs) == 1,
        contact=next(value for value in ("same", "different", "none") if value in contacts),
        author=next(value for value in ("different", "same", "none") if value in authors),
        phrase=any(pair.phrase == "yes" for pair in pairs),
        model=first.model,
    )
    return Row(item, {owner.document}.union(*(pair.documents for pair in pairs)))

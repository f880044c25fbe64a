"""What people have decided, as far as it stands: which pairs a decision speaks of, and what is in force on one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from django.db.models import F, Prefetch
from django.db.models.functions import Coalesce

from ..models import Decision, DecisionMember, Pair
from .records import Fact
from .sql import among, rows_in

FILED = F("document__space_id")
PLACED = Coalesce("document__membership__cluster__space_id", FILED)
MEMBERS = 'SELECT DISTINCT "decision_id" FROM "neardup_decisionmember" WHERE "document_id" IN ({})'


@dataclass(frozen=True, slots=True)
class Told:
    """A decision with its members, by document: side, digest then, and the spaces where it is filed and clustered."""

    decision: Decision
    sides: Mapping[int, int]
    digests: Mapping[int, str]
    spaces: Mapping[int, tuple[int | None, int | None]]
    by_side: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, decision: Decision) -> Told:
        members = decision.members.all()
        by_side: defaultdict[int, list[int]] = defaultdict(list)
        for each in members:
            by_side[each.side].append(each.document_id)
        return cls(
            decision,
            {each.document_id: each.side for each in members},
            {each.document_id: each.digest for each in members},
            {
                each.document_id: (getattr(each, "filed", None), getattr(each, "placed", None))
                for each in members
            },
            by_side,
        )

    @property
    def documents(self) -> frozenset[int]:
        """Members that stand against another one."""
        against = len(self.by_side) > 1 or (len(self.sides) > 1 and 0 in self.by_side)
        return frozenset(self.sides) if against else frozenset()

    def speaks_of(self, one: int, two: int) -> bool:
        """Whether both are members, of unlike sides or one of side 0."""
        sides = self.sides.get(one), self.sides.get(two)
        return None not in sides and (0 in sides or sides[0] != sides[1])

    def binds(self, one: int, two: int) -> bool:
        """Whether the two members are in one space: a decision is silent while one of them is elsewhere."""
        return self.spaces[one] == self.spaces[two]

    def bound_to(self, asked: Iterable[int]) -> set[int]:
        """The asked ones that are members, and those members that are filed and placed where these are placed; one that
        is filed elsewhere by now is so until its turn takes it away."""
        own = {*self.documents.intersection(asked)}
        there = {self.spaces[each][1:] * 2 for each in own}
        return own | {each for each in self.documents if self.spaces[each] in there}

    def pairs(self, nodes: Set[int] | None = None) -> list[tuple[int, int]]:
        """The pairs that it speaks of; ``nodes``: only those with one of these. No side is combined with itself but
        side 0."""
        asked = self.sides.keys() if nodes is None else nodes & self.sides.keys()
        return [
            (min(one, two), max(one, two))
            for one in asked
            for side, members in self.by_side.items()
            if side == 0 or side != self.sides[one]
            for two in members
            if one < two or two not in asked
        ]


def decisions_on(keys: Iterable[tuple[int, int]], using: str) -> dict[tuple[int, int], list[Decision]]:
    """Decisions not withdrawn that speak of those pairs, newest first, their members fetched."""
    return {key: [told.decision for told in found] for key, found in told_on(keys, using).items()}


def told_on(
    keys: Iterable[tuple[int, int]], using: str, undecided: Set[int] = frozenset()
) -> dict[tuple[int, int], list[Told]]:
    """``decisions_on`` with the members at hand. ``undecided``: documents known to be in none."""
    wanted = set(keys)
    documents = {document for key in wanted for document in key} - undecided
    speaking: defaultdict[int, list[Told]] = defaultdict(list)
    for told in decisions_of(documents, using):
        for document in documents & told.sides.keys():
            speaking[document].append(told)
    found = {key: [told for told in speaking[key[0]] if told.speaks_of(*key)] for key in wanted}
    return {key: each for key, each in found.items() if each}


def decisions_of(
    documents: Collection[int], using: str, known: dict[int, Told | None] | None = None
) -> list[Told]:
    """Decisions not withdrawn that speak of any of those documents, newest first. ``known``: those read before, by
    their numbers, None for one that is withdrawn; what is read now is added."""
    known = {} if known is None else known
    ids = {decision for (decision,) in rows_in(using, MEMBERS, sorted(documents))}
    new = ids - known.keys()
    if new:
        members = DecisionMember.objects.using(using).annotate(filed=FILED, placed=PLACED)
        rows = Decision.objects.using(using).filter(withdrawn=None)
        rows = rows.prefetch_related(Prefetch("members", members))
        known |= dict.fromkeys(new)
        known |= {row.pk: Told.of(row) for some in among(rows, "pk", sorted(new)) for row in some}
    return [told for number in sorted(ids, reverse=True) if (told := known[number]) is not None]


def decided_with(documents: Collection[int], using: str) -> set[int]:
    """Those documents and the others of their space of which a decision speaks together with one of them; none
    without a decision."""
    return set().union(*(told.bound_to(documents) for told in decisions_of(documents, using)))


def in_force(pair: Pair | Fact, decisions: Iterable[Told]) -> Decision | None:
    """The newest decision that still holds of this pair.

    It is open again once a text has changed *and* the verdict or the classes are others than the person saw.
    """
    for told in decisions:
        seen, decision = told.digests, told.decision
        same_texts = seen.get(pair.a_id) == pair.digest_a and seen.get(pair.b_id) == pair.digest_b
        known = decision.known.get(f"{pair.a_id}-{pair.b_id}")
        if same_texts or known is None or known[:2] == [pair.verdict, pair.classes]:
            return decision
        return None
    return None

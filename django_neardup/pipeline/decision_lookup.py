"""Look up moderators' decisions: which pairs a decision covers, and which one applies to a pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from django.db.models import F, Prefetch
from django.db.models.functions import Coalesce

from ..db.queries import decisions as decision_queries
from ..db.sql import filter_in_chunks
from ..models import Decision, DecisionMember, Pair
from .stage_types import PairRow

FILED_SPACE = F("document__space_id")
"""The space of the document."""
CLUSTERED_SPACE = Coalesce("document__membership__cluster__space_id", FILED_SPACE)
"""The space of the document's cluster, or of the document if it has none."""


@dataclass(frozen=True, slots=True)
class DecisionScope:
    """A decision and its members.

    - ``sides``: the side of each member, by document.
    - ``digests``: the source digest at the time of the decision, by document.
    - ``spaces``: the spaces in which the document is filed and clustered.
    """

    decision: Decision
    sides: Mapping[int, int]
    digests: Mapping[int, str]
    spaces: Mapping[int, tuple[int | None, int | None]]
    members_by_side: Mapping[int, Sequence[int]]

    @classmethod
    def from_decision(cls, decision: Decision) -> DecisionScope:
        members = decision.members.all()
        members_by_side: defaultdict[int, list[int]] = defaultdict(list)
        for member in members:
            members_by_side[member.side].append(member.document_id)
        return cls(
            decision,
            {member.document_id: member.side for member in members},
            {member.document_id: member.digest for member in members},
            {
                member.document_id: (getattr(member, "filed", None), getattr(member, "placed", None))
                for member in members
            },
            members_by_side,
        )

    @property
    def opposed_members(self) -> frozenset[int]:
        """Members that form a covered pair with another member."""
        has_covered_pairs = len(self.members_by_side) > 1 or (
            len(self.sides) > 1 and 0 in self.members_by_side
        )
        return frozenset(self.sides) if has_covered_pairs else frozenset()

    def covers(self, a: int, b: int) -> bool:
        """Return whether both are members, on different sides or one of them on side 0."""
        sides = self.sides.get(a), self.sides.get(b)
        return None not in sides and (0 in sides or sides[0] != sides[1])

    def applies_to(self, a: int, b: int) -> bool:
        """Return whether both members are in one space.

        A decision has no effect while one of them is in another space.
        """
        return self.spaces[a] == self.spaces[b]

    def members_bound_to(self, documents: Iterable[int]) -> set[int]:
        """Return the given documents that are opposed members, and the other opposed members of their space.

        A member of the space is filed and clustered there. A document that has moved to another space keeps
        its old cluster until it is processed. It is left out.
        """
        own_members = {*self.opposed_members.intersection(documents)}
        home_spaces = {self.spaces[member][1:] * 2 for member in own_members}
        return own_members | {member for member in self.opposed_members if self.spaces[member] in home_spaces}

    def covered_pairs(self, nodes: Set[int] | None = None) -> list[tuple[int, int]]:
        """Return the pairs that the decision covers, with a side among ``nodes`` if they are given.

        A side is not paired with itself, except side 0.
        """
        own_members = self.sides.keys() if nodes is None else nodes & self.sides.keys()
        return [
            (min(document, other), max(document, other))
            for document in own_members
            for side, members in self.members_by_side.items()
            if side == 0 or side != self.sides[document]
            for other in members
            if document < other or other not in own_members
        ]


def decisions_for_pairs(
    pair_keys: Iterable[tuple[int, int]], using: str
) -> dict[tuple[int, int], list[Decision]]:
    """Return by pair the decisions that cover it and are not withdrawn, newest first, with their members."""
    return {
        key: [scope.decision for scope in scopes]
        for key, scopes in decision_scopes_for_pairs(pair_keys, using).items()
    }


def decision_scopes_for_pairs(
    pair_keys: Iterable[tuple[int, int]], using: str, without_decisions: Set[int] = frozenset()
) -> dict[tuple[int, int], list[DecisionScope]]:
    """Do the same as ``decisions_for_pairs``, with scopes in place of decisions.

    ``without_decisions``: documents that are known to be in no decision.
    """
    keys = set(pair_keys)
    documents = {document for key in keys for document in key} - without_decisions
    scopes_by_document: defaultdict[int, list[DecisionScope]] = defaultdict(list)
    for scope in decision_scopes_of(documents, using):
        for document in documents & scope.sides.keys():
            scopes_by_document[document].append(scope)
    scopes_by_key = {
        key: [scope for scope in scopes_by_document[key[0]] if scope.covers(*key)] for key in keys
    }
    return {key: scopes for key, scopes in scopes_by_key.items() if scopes}


def decision_scopes_of(
    documents: Collection[int], using: str, cache: dict[int, DecisionScope | None] | None = None
) -> list[DecisionScope]:
    """Return decisions that cover any of the documents and are not withdrawn, newest first.

    ``cache``: decisions read before, by id, with None for a withdrawn one. Decisions read now are added.
    """
    cache = {} if cache is None else cache
    decision_ids = set(decision_queries.ids_of(using, sorted(documents)))
    new_ids = decision_ids - cache.keys()
    if new_ids:
        members = DecisionMember.objects.using(using).annotate(filed=FILED_SPACE, placed=CLUSTERED_SPACE)
        rows = Decision.objects.using(using).filter(withdrawn=None)
        rows = rows.prefetch_related(Prefetch("members", members))
        cache |= dict.fromkeys(new_ids)
        cache |= {
            row.pk: DecisionScope.from_decision(row)
            for chunk_rows in filter_in_chunks(rows, "pk", sorted(new_ids))
            for row in chunk_rows
        }
    return [
        scope for scope_id in sorted(decision_ids, reverse=True) if (scope := cache[scope_id]) is not None
    ]


def documents_bound_to(documents: Collection[int], using: str) -> set[int]:
    """Return the documents that a decision covers, and the other documents of their space that it covers.

    Documents without a decision are left out.
    """
    return set().union(*(scope.members_bound_to(documents) for scope in decision_scopes_of(documents, using)))


def decision_in_force(pair: Pair | PairRow, scopes: Iterable[DecisionScope]) -> Decision | None:
    """Return the newest decision, if it still applies to the pair. Return None otherwise.

    The pair is open again if a text has changed *and* its verdict or its classes differ from what the
    moderator reviewed.
    """
    for scope in scopes:
        digests, decision = scope.digests, scope.decision
        same_texts = digests.get(pair.a_id) == pair.digest_a and digests.get(pair.b_id) == pair.digest_b
        reviewed = decision.known.get(f"{pair.a_id}-{pair.b_id}")
        # Behind the reviewed state there may be the state by a later judge.
        if same_texts or reviewed is None or [pair.verdict, pair.classes] in (reviewed[:2], reviewed[3:5]):
            return decision
        return None
    return None

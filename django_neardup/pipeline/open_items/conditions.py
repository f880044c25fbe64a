"""What waits for a moderator: open clusters, and open pairs that are in no common cluster."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import BigIntegerField, Case, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from ...adapters import registered_adapters
from ...db.sql import filter_in_chunks
from ...models import (
    Cluster,
    Decision,
    DecisionMember,
    Document,
    FamilyMember,
    Fingerprint,
    Hold,
    Membership,
    MergeRecord,
    Pair,
    Scheme,
    Verdict,
)
from ..content_objects import content_type_ids_of, content_type_of
from ..record_queries import records_of_outer_post_q

WAITING_HOLD = Q(state=Hold.State.REVIEW) | Q(
    state=Hold.State.CHECKING, document__state=Document.State.QUARANTINED
)
"""A held post waits for a moderator. The worker has given up on a quarantined one, so a person must decide first."""

IS_OF_FAMILY_LEADER = Q(a=F("family"), b=F("leader_b")) | Q(b=F("family"), a=F("leader_a"))
"""A pair of ``with_families`` is of a family's leader and a member."""


def open_clusters(queryset: QuerySet[Cluster]) -> QuerySet[Cluster]:
    """Return the clusters that wait for a moderator."""
    return queryset.filter(state=Cluster.State.OPEN, scheme__state=Scheme.State.ACTIVE)


def open_pairs(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Return the pairs that wait for a moderator.

    They are current and undecided, their posts are not in one cluster, and both posts are live or held for
    review. A pair is left out as soon as one of its posts is merged, hidden or deleted.
    """
    common_cluster = Membership.objects.filter(
        document=OuterRef("a"), cluster__memberships__document=OuterRef("b"), scheme=OuterRef("scheme")
    )
    return (
        queryset.filter(
            _visible_condition("a"), _visible_condition("b"), scheme__state=Scheme.State.ACTIVE, decision=None
        )
        .filter(_current_text_condition("a"), _current_text_condition("b"))
        .exclude(Exists(common_cluster))
        # The worker updates the document of a merged post later. Until then, only the merge record shows it.
        .exclude(newer_action_condition("a__", queryset.db))
        .exclude(newer_action_condition("b__", queryset.db))
    )


def pairs_to_review(queryset: QuerySet[Pair]) -> QuerySet[Any]:
    """Return the open pairs that ask something: doubts, duplicates in no common group, and texts inside others.

    A text inside another one by the same author asks nothing. Each has ``leader_a`` and ``leader_b``, and ``family``:
    the leader of the template family that holds both sides, or 0. A pair that was decided for its groups is left out.
    """
    is_within_one_author = Q(a__author=F("b__author")) & ~Q(a__author="")
    is_asked = Q(doubtful=True) | Q(verdict=Verdict.DUPLICATE)
    is_asked |= Q(verdict=Verdict.CONTAINED) & ~is_within_one_author
    return _between_leaders(with_families(open_pairs(queryset).filter(is_asked)))


def pairs_of_families(queryset: QuerySet[Pair]) -> QuerySet[Any]:
    """Return the open pairs of a family's leader and a member that is surely another item. They ask nothing.

    If a moderator has decided that a member is different, members by the same author with differences of the same
    classes are left out too. ``family``: the leader.
    """
    pairs = _with_family_leader(open_pairs(queryset.filter(verdict=Verdict.VARIANT, doubtful=False)))
    members = FamilyMember.objects.filter(leader=OuterRef("family"), scheme=OuterRef("scheme"))
    alike = members.filter(
        _pair_exists(decision__kind=Decision.Kind.DIFFERENT, classes=OuterRef(OuterRef("classes"))),
        document__author=OuterRef("member_author"),
    )
    # Most families have no decision. Then their members are not looked through for each of them.
    decided = DecisionMember.objects.filter(
        document=OuterRef("family"), decision__kind=Decision.Kind.DIFFERENT
    )
    return pairs.exclude(Exists(decided) & Exists(alike))


def open_pairs_of_families(leaders: Collection[int], using: str) -> list[QuerySet[Any]]:
    """Return the open pairs of these leaders and their members, and the doubts between two members or their copies.

    ``family`` is the leader.
    """
    pairs, families = Pair.objects.using(using), FamilyMember.objects.using(using)
    of_leaders = _with_family_leader(open_pairs(pairs.filter(Q(a__in=leaders) | Q(b__in=leaders))))
    members = families.filter(leader__in=leaders, scheme__state=Scheme.State.ACTIVE)
    nodes = [*leaders, *members.values_list("document", flat=True)]
    between = [
        pairs_to_review(chunk).exclude(IS_OF_FAMILY_LEADER).exclude(verdict=Verdict.DUPLICATE)
        for chunk in filter_in_chunks(pairs, "a", with_copies(nodes, using))
    ]
    return [found.filter(family__in=leaders) for found in (of_leaders, *between)]


def with_copies(leaders: Collection[int], using: str) -> list[int]:
    """Return these documents and the members of the groups that they lead, sorted."""
    groups = Membership.objects.using(using).filter(scheme__state=Scheme.State.ACTIVE)
    chunks = filter_in_chunks(groups, "cluster__leader", leaders)
    return sorted({*leaders, *(pk for chunk in chunks for pk in chunk.values_list("document", flat=True))})


def with_families(queryset: QuerySet[Pair]) -> QuerySet[Any]:
    """Annotate pairs with ``leader_a`` and ``leader_b``, the leaders of their groups, and ``family``.

    ``family`` is the leader of the template family that holds both groups, or 0.
    """

    def leads(leader: str, member: str) -> Exists:
        return Exists(_members(member).filter(leader=OuterRef(leader)))

    common = _members("leader_a").filter(
        leader__in=FamilyMember.objects.filter(
            document=OuterRef(OuterRef("leader_b")), scheme=OuterRef(OuterRef("scheme"))
        ).values("leader")
    )
    family = Case(
        When(leads("leader_a", "leader_b"), then=F("leader_a")),
        When(leads("leader_b", "leader_a"), then=F("leader_b")),
        default=Coalesce(Subquery(common.values("leader")[:1]), Value(0), output_field=BigIntegerField()),
        output_field=BigIntegerField(),
    )
    with_leaders = queryset.annotate(leader_a=_leader_of("a"), leader_b=_leader_of("b"))
    return with_leaders.annotate(family=family)


def _with_family_leader(queryset: QuerySet[Pair]) -> QuerySet[Any]:
    """Return the pairs of a family's leader and a member, with the columns of ``with_families`` and ``member_author``.

    Both lead their groups, so nothing else needs to be looked up for each pair.
    """
    is_a_leader, is_b_leader = (
        Exists(_members(side).filter(leader=OuterRef(other))) for side, other in ("ba", "ab")
    )
    pairs: QuerySet[Any] = queryset.filter(is_a_leader | is_b_leader).annotate(
        leader_a=F("a_id"),
        leader_b=F("b_id"),
        family=Case(When(is_a_leader, then=F("a_id")), default=F("b_id")),
        member_author=Case(When(is_a_leader, then=F("b__author")), default=F("a__author")),
    )
    return pairs


def _members(side: str) -> QuerySet[FamilyMember]:
    return FamilyMember.objects.filter(document=OuterRef(side), scheme=OuterRef("scheme"))


def _pair_exists(**conditions: Any) -> Exists:
    """Return the condition on a member of a family that its pair with the leader is such a one."""
    sides = Q(a=OuterRef("leader"), b=OuterRef("document")) | Q(a=OuterRef("document"), b=OuterRef("leader"))
    return Exists(Pair.objects.filter(sides, scheme=OuterRef("scheme"), **conditions))


def _between_leaders(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Leave out pairs of members of groups whose leaders have a pair, or were decided: that stands for all.

    ``queryset``: of ``with_families``.
    """
    leader_a, leader_b = OuterRef("leader_a"), OuterRef("leader_b")
    pairs_of_leaders = Pair.objects.filter(
        Q(a=leader_a, b=leader_b) | Q(a=leader_b, b=leader_a), scheme=OuterRef("scheme")
    ).exclude(pk=OuterRef("pk"))
    is_asked = Q(decision__isnull=False) | Q(doubtful=True) | Q(verdict=Verdict.DUPLICATE)
    decided = DecisionMember.objects.filter(
        opposite_members(),
        _is_digest_current("document", "digest"),
        _is_digest_current("decision__members__document", "decision__members__digest"),
        document=leader_a,
        decision__members__document=leader_b,
        decision__kind=Decision.Kind.DIFFERENT,
        decision__withdrawn=None,
    )
    is_of_members = ~Q(a=F("leader_a")) | ~Q(b=F("leader_b"))
    # Leaders that are surely two items settle doubts between their copies, but not a duplicate among these.
    return (
        queryset.exclude(Exists(pairs_of_leaders.filter(is_asked)))
        .exclude(~Q(verdict=Verdict.DUPLICATE) & Exists(pairs_of_leaders.filter(verdict=Verdict.VARIANT)))
        .exclude(is_of_members & Exists(decided))
    )


def _is_digest_current(document: str, digest: str) -> Exists:
    """Return the condition that a member of a decision still has the text that was decided on."""
    return Exists(
        Fingerprint.objects.filter(
            document=OuterRef(document), source_digest=OuterRef(digest), scheme__state=Scheme.State.ACTIVE
        )
    )


def opposite_members() -> Q:
    """Return the condition that a decision covers the pair of a member and another member.

    They are on different sides, or the first one is on side 0.
    """
    other_side = F("decision__members__side")
    separated = Q(side__lt=other_side) | Q(side__gt=other_side) | Q(side=0)
    return separated & (
        Q(document__lt=F("decision__members__document")) | Q(document__gt=F("decision__members__document"))
    )


def _leader_of(side: str) -> Coalesce:
    """Return the leader of the side's cluster. Without a cluster it is the side itself."""
    memberships = Membership.objects.filter(document=OuterRef(side), cluster__scheme=OuterRef("scheme"))
    leader = Subquery(memberships.values("cluster__leader")[:1])
    return Coalesce(leader, F(f"{side}_id"), output_field=BigIntegerField())


def _visible_condition(side: str) -> Q:
    """Return the condition that the post is live, or is held until a moderator publishes it."""
    held_documents = Hold.objects.filter(state=Hold.State.REVIEW).values("document")
    return Q(**{f"{side}__live": True}) | Q(**{f"{side}__live": False, f"{side}__in": held_documents})


def _current_text_condition(side: str) -> Exists:
    """Return the condition that the verdict rests on the text of the current fingerprint."""
    fingerprints = Fingerprint.objects.filter(
        document=OuterRef(side), scheme=OuterRef("scheme"), source_digest=OuterRef(f"digest_{side}")
    )
    return Exists(fingerprints)


def newer_action_condition(prefix: str, using: str) -> Q:
    """Return the condition that the post was acted on since its document was last processed.

    ``prefix``: leads to the document, "a__" from a pair, or empty.
    A merge record may name the post by any of its models: with multi-table inheritance a post has several.
    """
    type_column, id_column = f"{prefix}content_type", f"{prefix}object_id"
    records = MergeRecord.objects.filter(undone=None)
    acted_on = Q(Exists(records.filter(loser_type=OuterRef(type_column), loser_id=OuterRef(id_column))))
    for model in registered_adapters():
        if len(set(content_type_ids_of(model, using))) > 1:
            as_child = Exists(records.filter(records_of_outer_post_q(model, id_column, using)))
            acted_on |= Q(as_child, **{type_column: content_type_of(model, using)})
    return Q(acted_on, **{f"{prefix}wanted__gt": F(f"{prefix}done")})

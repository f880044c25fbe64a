"""The items that wait for a moderator: open clusters, and open pairs that are in no common cluster."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import BigIntegerField, Case, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from ...adapters import registered_adapters
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
from ...pipeline.content_objects import content_type_ids_of, content_type_of
from ...pipeline.record_queries import records_of_outer_post_q

WAITING_HOLD = Q(state=Hold.State.REVIEW) | Q(
    state=Hold.State.CHECKING, document__state=Document.State.QUARANTINED
)
"""A held post waits for a moderator. The worker has given up on a quarantined one, so a person must decide first."""


def open_clusters(queryset: QuerySet[Cluster]) -> QuerySet[Cluster]:
    """Return the clusters that wait for a moderator."""
    return queryset.filter(state=Cluster.State.OPEN)


def open_pairs(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Return the pairs that wait for a moderator.

    They are current and undecided, their posts are not in one cluster, and both posts are live or held for
    review. A pair is left out as soon as one of its posts is merged, hidden or deleted.
    """
    common_cluster = Membership.objects.filter(
        document=OuterRef("a"), cluster__memberships__document=OuterRef("b")
    )
    return (
        queryset.filter(
            _visible_condition("a"), _visible_condition("b"), scheme__state=Scheme.State.ACTIVE, decision=None
        )
        .filter(_current_text_condition("a"), _current_text_condition("b"))
        .exclude(Exists(common_cluster))
        # The worker updates the document of a merged post later. Until then, only the merge record shows it.
        .exclude(_newer_action_condition("a", queryset.db))
        .exclude(_newer_action_condition("b", queryset.db))
    )


def pairs_to_review(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Return the open pairs that ask something: doubts, duplicates in no common group, and texts inside others.

    A text inside another one by the same author asks nothing. Each has ``leader_a`` and ``leader_b``, and ``family``:
    the leader of the template family that holds both sides, or 0. A pair that was decided for its groups is left out.
    """
    is_within_one_author = Q(a__author=F("b__author")) & ~Q(a__author="")
    is_asked = Q(doubtful=True) | Q(verdict=Verdict.DUPLICATE)
    is_asked |= Q(verdict=Verdict.CONTAINED) & ~is_within_one_author
    pairs = open_pairs(queryset).filter(is_asked).annotate(family=_family_expression())
    return _between_leaders(pairs)


def pairs_of_families(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Return the open pairs of a family's leader and a member that is surely another item. They ask nothing.

    Families with an open doubt are left out: they wait for a moderator. So are members like those that a moderator
    has called different: by the same author, with differences of the same classes. ``family``: the leader.
    """
    pairs = open_pairs(queryset).filter(verdict=Verdict.VARIANT, doubtful=False)
    members = FamilyMember.objects.filter(leader=OuterRef("family"), scheme=OuterRef("scheme"))
    doubts = members.filter(_pair_exists(doubtful=True, decision=None), doubtful=True)
    alike = members.filter(
        _pair_exists(decision__kind=Decision.Kind.DIFFERENT, classes=OuterRef(OuterRef("classes"))),
        document__author=OuterRef("member_author"),
    )
    with_families = pairs.annotate(
        family=_family_expression(),
        member_author=Case(When(a=F("family"), then=F("b__author")), default=F("a__author")),
    )
    return with_families.filter(family__gt=0).exclude(Exists(doubts)).exclude(Exists(alike))


def open_pairs_of_families(leaders: Collection[int], using: str) -> list[QuerySet[Any]]:
    """Return the open pairs of these leaders and their members, and the open doubts between two members.

    ``family`` is the leader.
    """
    pairs = Pair.objects.using(using)
    of_leaders = open_pairs(pairs.filter(Q(a__in=leaders) | Q(b__in=leaders))).annotate(
        family=_family_expression()
    )
    between_members = pairs.filter(
        a__families__leader__in=leaders,
        a__families__scheme=F("scheme"),
        b__families__leader=F("a__families__leader"),
        b__families__scheme=F("scheme"),
        doubtful=True,
    )
    with_family = open_pairs(between_members).annotate(family=F("a__families__leader"))
    return [of_leaders.filter(family__in=leaders), with_family]


def _family_expression() -> Case:
    """Return the leader of the family that holds both sides of a pair, 0 if there is none."""

    def leads(leader: str, member: str) -> Exists:
        return Exists(_members(member).filter(leader=OuterRef(leader)))

    common = _members("a").filter(
        leader__in=FamilyMember.objects.filter(
            document=OuterRef(OuterRef("b")), scheme=OuterRef(OuterRef("scheme"))
        ).values("leader")
    )
    return Case(
        When(leads("a", "b"), then=F("a_id")),
        When(leads("b", "a"), then=F("b_id")),
        default=Coalesce(Subquery(common.values("leader")[:1]), Value(0), output_field=BigIntegerField()),
        output_field=BigIntegerField(),
    )


def _members(side: str) -> QuerySet[FamilyMember]:
    return FamilyMember.objects.filter(document=OuterRef(side), scheme=OuterRef("scheme"))


def _pair_exists(**conditions: Any) -> Exists:
    """Return the condition on a member of a family that its pair with the leader is such a one."""
    sides = Q(a=OuterRef("leader"), b=OuterRef("document")) | Q(a=OuterRef("document"), b=OuterRef("leader"))
    return Exists(Pair.objects.filter(sides, scheme=OuterRef("scheme"), **conditions))


def _between_leaders(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Leave out pairs of members of groups whose leaders have a pair, or were decided: that stands for all."""
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
    rows = queryset.annotate(leader_a=_leader_of("a"), leader_b=_leader_of("b"))
    # Leaders that are surely two items settle doubts between their copies, but not a duplicate among these.
    return (
        rows.exclude(Exists(pairs_of_leaders.filter(is_asked)))
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


def _newer_action_condition(side: str, using: str) -> Q:
    """Return the condition that the post was acted on since its document was last processed.

    A merge record may name the post by any of its models: with multi-table inheritance a post has several.
    """
    type_column, id_column = f"{side}__content_type", f"{side}__object_id"
    records = MergeRecord.objects.filter(undone=None)
    acted_on = Q(Exists(records.filter(loser_type=OuterRef(type_column), loser_id=OuterRef(id_column))))
    for model in registered_adapters():
        if len(set(content_type_ids_of(model, using))) > 1:
            as_child = Exists(records.filter(records_of_outer_post_q(model, id_column, using)))
            acted_on |= Q(as_child, **{type_column: content_type_of(model, using)})
    return Q(acted_on, **{f"{side}__wanted__gt": F(f"{side}__done")})

"""The items that wait for a moderator: open clusters, and open pairs that are in no common cluster."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ...adapters import registered_adapters
from ...models import Cluster, Document, Fingerprint, Hold, Membership, MergeRecord, Pair, Scheme, Verdict
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

    A text inside another one by the same author asks nothing. Pairs between two groups ask once.
    """
    is_within_one_author = Q(a__author=F("b__author")) & ~Q(a__author="")
    is_asked = Q(doubtful=True) | Q(verdict=Verdict.DUPLICATE)
    is_asked |= Q(verdict=Verdict.CONTAINED) & ~is_within_one_author
    return _between_leaders(open_pairs(queryset).filter(is_asked))


def other_item_pairs(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Return the open pairs that are surely two items. They ask nothing."""
    return _between_leaders(open_pairs(queryset).filter(verdict=Verdict.VARIANT, doubtful=False))


def _between_leaders(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Leave out pairs of members of groups whose leaders have a pair: that pair asks, or was decided, for all."""
    leader_a, leader_b = OuterRef("leader_a"), OuterRef("leader_b")
    pairs_of_leaders = Pair.objects.filter(
        Q(a=leader_a, b=leader_b) | Q(a=leader_b, b=leader_a), scheme=OuterRef("scheme")
    ).exclude(pk=OuterRef("pk"))
    is_asked = Q(decision__isnull=False) | Q(doubtful=True) | Q(verdict=Verdict.DUPLICATE)
    rows = queryset.annotate(leader_a=_leader_of("a"), leader_b=_leader_of("b"))
    # Leaders that are surely two items settle doubts between their copies, but not a duplicate among these.
    return rows.exclude(Exists(pairs_of_leaders.filter(is_asked))).exclude(
        ~Q(verdict=Verdict.DUPLICATE) & Exists(pairs_of_leaders.filter(verdict=Verdict.VARIANT))
    )


def _leader_of(side: str) -> Coalesce:
    """Return the leader of the side's cluster. Without a cluster it is the side itself."""
    memberships = Membership.objects.filter(document=OuterRef(side), cluster__scheme=OuterRef("scheme"))
    return Coalesce(Subquery(memberships.values("cluster__leader")[:1]), F(f"{side}_id"))


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

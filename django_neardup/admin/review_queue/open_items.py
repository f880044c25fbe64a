"""What waits for a person: open clusters, and pairs that no cluster holds."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from ...adapters import registered_adapters
from ...models import Cluster, Fingerprint, Hold, Membership, MergeRecord, Pair, Scheme
from ...pipeline.content_objects import content_type_ids_of, content_type_of
from ...pipeline.record_queries import records_of_outer_post_q


def open_clusters(queryset: QuerySet[Cluster]) -> QuerySet[Cluster]:
    """Those clusters that wait for a person."""
    return queryset.filter(state=Cluster.State.OPEN)


def open_pairs(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Those pairs that wait for a person: current, undecided, not in one cluster, both posts shown or held for review.

    A post that was just merged, hidden or deleted is left out at once, though its document still waits for its turn.
    """
    same = Membership.objects.filter(document=OuterRef("a"), cluster__memberships__document=OuterRef("b"))
    return (
        queryset.filter(
            _visible_condition("a"), _visible_condition("b"), scheme__state=Scheme.State.ACTIVE, decision=None
        )
        .filter(_current_text_condition("a"), _current_text_condition("b"))
        .exclude(Exists(same))
        .exclude(_newer_action_condition("a", queryset.db))
        .exclude(_newer_action_condition("b", queryset.db))
    )


def _visible_condition(side: str) -> Q:
    """The post is shown, or is to be as soon as a person lets it."""
    held = Hold.objects.filter(state=Hold.State.REVIEW).values("document")
    return Q(**{f"{side}__live": True}) | Q(**{f"{side}__live": False, f"{side}__in": held})


def _current_text_condition(side: str) -> Exists:
    """The pair was judged on the text that its fingerprint has."""
    found = Fingerprint.objects.filter(
        document=OuterRef(side), scheme=OuterRef("scheme"), source_digest=OuterRef(f"digest_{side}")
    )
    return Exists(found)


def _newer_action_condition(side: str, using: str) -> Q:
    """Something was done to the post, by whichever of its models, since its document had its last turn."""
    kind, key = f"{side}__content_type", f"{side}__object_id"
    records = MergeRecord.objects.filter(undone=None)
    found = Q(Exists(records.filter(loser_type=OuterRef(kind), loser_id=OuterRef(key))))
    for model in registered_adapters():
        if len(set(content_type_ids_of(model, using))) > 1:
            as_child = Exists(records.filter(records_of_outer_post_q(model, key, using)))
            found |= Q(as_child, **{kind: content_type_of(model, using)})
    return Q(found, **{f"{side}__wanted__gt": F(f"{side}__done")})

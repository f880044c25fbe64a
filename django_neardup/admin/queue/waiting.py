"""What waits for a person: open clusters, and pairs that no cluster holds."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from ...adapters import registered
from ...models import Cluster, Fingerprint, Hold, Membership, MergeRecord, Pair, Scheme
from ...pipeline.deeds import done_to_outer
from ...pipeline.objects import content_type_of, kinds_of


def open_clusters(queryset: QuerySet[Cluster]) -> QuerySet[Cluster]:
    """Those clusters that wait for a person."""
    return queryset.filter(state=Cluster.State.OPEN)


def offered(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Those pairs that wait for a person: current, undecided, not in one cluster, both posts shown or held for review.

    A post that was just merged, hidden or deleted is left out at once, though its document still waits for its turn.
    """
    same = Membership.objects.filter(document=OuterRef("a"), cluster__memberships__document=OuterRef("b"))
    return (
        queryset.filter(_shown("a"), _shown("b"), scheme__state=Scheme.State.ACTIVE, decision=None)
        .filter(_current("a"), _current("b"))
        .exclude(Exists(same))
        .exclude(_handled("a", queryset.db))
        .exclude(_handled("b", queryset.db))
    )


def _shown(side: str) -> Q:
    """The post is shown, or is to be as soon as a person lets it."""
    held = Hold.objects.filter(state=Hold.State.REVIEW).values("document")
    return Q(**{f"{side}__live": True}) | Q(**{f"{side}__live": False, f"{side}__in": held})


def _current(side: str) -> Exists:
    """The pair was judged on the text that its fingerprint has."""
    found = Fingerprint.objects.filter(
        document=OuterRef(side), scheme=OuterRef("scheme"), source_digest=OuterRef(f"digest_{side}")
    )
    return Exists(found)


def _handled(side: str, using: str) -> Q:
    """Something was done to the post, by whichever of its models, since its document had its last turn."""
    kind, key = f"{side}__content_type", f"{side}__object_id"
    records = MergeRecord.objects.filter(undone=None)
    found = Q(Exists(records.filter(loser_type=OuterRef(kind), loser_id=OuterRef(key))))
    for model in registered():
        if len(set(kinds_of(model, using))) > 1:
            as_child = Exists(records.filter(done_to_outer(model, key, using)))
            found |= Q(as_child, **{kind: content_type_of(model, using)})
    return Q(found, **{f"{side}__wanted__gt": F(f"{side}__done")})

"""What waits for a person: open clusters, and pairs that no cluster holds."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from ...models import Cluster, Fingerprint, Membership, MergeRecord, Pair, Scheme


def open_clusters(queryset: QuerySet[Cluster]) -> QuerySet[Cluster]:
    """Those clusters that wait for a person."""
    return queryset.filter(state=Cluster.State.OPEN)


def offered(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Those pairs that wait for a person: current, undecided, both posts shown, not in one cluster.

    A post that was just merged, hidden or deleted is left out at once, though its document still waits for its turn.
    """
    same = Membership.objects.filter(document=OuterRef("a"), cluster__memberships__document=OuterRef("b"))
    return (
        queryset.filter(scheme__state=Scheme.State.ACTIVE, decision=None, a__live=True, b__live=True)
        .filter(_current("a"), _current("b"))
        .exclude(Exists(same))
        .exclude(_handled("a"))
        .exclude(_handled("b"))
    )


def _current(side: str) -> Exists:
    """The pair was judged on the text that its fingerprint has."""
    found = Fingerprint.objects.filter(
        document=OuterRef(side), scheme=OuterRef("scheme"), source_digest=OuterRef(f"digest_{side}")
    )
    return Exists(found)


def _handled(side: str) -> Q:
    records = MergeRecord.objects.filter(
        loser_type=OuterRef(f"{side}__content_type"), loser_id=OuterRef(f"{side}__object_id"), undone=None
    )
    return Q(**{f"{side}__wanted__gt": F(f"{side}__done")}) & Q(Exists(records))

"""Small builders for tests of the pipeline."""

from django_neardup.models import Cluster, Document, FamilyMember, Fingerprint, Key, Membership, Pair
from django_neardup.pipeline import drain
from django_neardup.pipeline.content_objects import post_id_of
from tests.pipeline.advert_texts import CAT, PIANO, PILES, SOFA, SOFA_EDITED  # noqa: F401  (most tests take both)
from tests.testapp.models import Ad


def post(text, **fields):
    """A saved advert."""
    return Ad.objects.create(text=text, **fields)


def document(instance, using="default"):
    kind, key = post_id_of(instance, using)
    return Document.objects.using(using).get(content_type=kind, object_id=key)


def cluster(instance, using="default"):
    return Cluster.objects.using(using).filter(memberships__document=document(instance, using)).first()


def pair(one, two, using="default"):
    a, b = sorted([document(one, using).pk, document(two, using).pk])
    return Pair.objects.using(using).filter(a=a, b=b).first()


def work(using="default"):
    """Drain all; nothing may be left waiting."""
    result = drain(using)
    assert not result.has_pending
    return result


def finish(limit, turns=40):
    """Drain at most ``limit`` rows at a time until nothing is left waiting. Fail if that does not end."""
    for _ in range(turns):
        if not drain(limit=limit).has_pending:
            return
    waiting = Document.objects.exclude(pending_since=None).values_list("pk", "wanted", "done", "recheck")
    raise AssertionError(f"never ends: {list(waiting)}")


def snapshot(using="default"):
    """The whole index without row numbers: equal for two histories that come to the same."""
    names = {row.pk: (row.content_type_id, row.object_id) for row in Document.objects.using(using).all()}
    keys = sorted((names[row.document], row.key) for row in Key.objects.using(using).all())
    prints = {
        names[row.document_id]: (row.source_digest, row.exact_digest, bytes(row.keys), bytes(row.payload))
        for row in Fingerprint.objects.using(using).all()
    }
    pairs = {
        tuple(sorted([names[row.a_id], names[row.b_id]])): (row.verdict, round(row.score, 9), row.classes)
        for row in Pair.objects.using(using).all()
    }
    clusters = {
        frozenset(names[each] for each in row.memberships.values_list("document", flat=True)): names[
            row.leader_id
        ]
        for row in Cluster.objects.using(using).all()
    }
    assert Membership.objects.using(using).count() == sum(map(len, clusters))
    families = {
        names[row.document_id]: (names[row.leader_id], row.doubtful)
        for row in FamilyMember.objects.using(using).all()
    }
    return {
        "keys": keys, "fingerprints": prints, "pairs": pairs, "clusters": clusters, "families": families,
    }  # fmt: skip

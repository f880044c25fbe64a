"""Thousands of rows as the pipeline would leave them: one large cluster, a long queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django_neardup.adapters import adapter_for
from django_neardup.models import Cluster, Contact, Document, Fingerprint, Membership, Pair, Verdict
from django_neardup.pipeline import canonical_id
from django_neardup.pipeline.content_objects import content_type_of
from tests import builders
from tests.testapp.models import Ad, Author

TEXT = "Продам сваи железобетонные С140.35 длиной 14 м, цена 18 900 руб за штуку, звоните вечером, лот {}"
PORTION = 500
SCORE = 0.9167
AUTHORS = 20
NEIGHBOURS = 4
"""Earlier members with which each one has a pair, beside the first."""


def cluster(size: int, variants: int = 0) -> Cluster:
    """An open cluster of that many adverts, all with one contact, and that many variants outside."""
    found = documents(size + variants)
    members, others = found[:size], found[size:]
    scheme = builders.scheme()
    made = Cluster.objects.create(
        space=found[0].space, scheme=scheme, leader=found[0], size=size, lowest=SCORE, weakest=0.85
    )
    Membership.objects.bulk_create(
        (
            Membership(
                **builders.place_of(each), cluster=made, scheme=scheme,
                score=1.0 if each is found[0] else SCORE,
                reason="leader" if each is found[0] else "duplicate",
            )
            for each in members
        ),
        PORTION,
    )  # fmt: skip
    Contact.objects.bulk_create((Contact(hash=7, document=each) for each in found), PORTION)
    pairs(list(_inside(members)), Verdict.DUPLICATE)
    pairs(list(zip(members, others)), Verdict.VARIANT)
    return made


def _inside(members: Sequence[Document]) -> Iterator[tuple[Document, Document]]:
    for place, each in enumerate(members[1:], start=1):
        yield members[0], each
        for earlier in members[max(1, place - NEIGHBOURS) : place]:
            yield earlier, each


def queue(count: int) -> None:
    """That many pairs that wait for a person."""
    found = documents(count + 1)
    pairs(list(zip(found, found[1:])), Verdict.VARIANT, doubtful=True)


def documents(count: int) -> list[Document]:
    """Adverts and their finished documents."""
    authors = [Author.objects.create(name=f"seller {number}") for number in range(AUTHORS)]
    ads = Ad.objects.bulk_create(
        (
            Ad(
                title=f"Сваи {number}",
                text=TEXT.format(number),
                author=authors[number % AUTHORS],
                hits=number,
            )
            for number in range(count)
        ),
        PORTION,
    )
    space, kind = builders.space(), content_type_of(adapter_for(Ad).model, "default")
    found = Document.objects.bulk_create(
        (
            Document(
                content_type=kind, object_id=canonical_id(ad.pk), object_key=ad.pk, space=space, live=True,
                state=Document.State.INDEXED, version=1, done=1, author=str(ad.author_id),
            )
            for ad in ads
        ),
        PORTION,
    )  # fmt: skip
    sources, scheme = adapter_for(Ad).sources([ad.pk for ad in ads], "default"), builders.scheme()
    Fingerprint.objects.bulk_create(
        (
            Fingerprint(document=each, scheme=scheme, version=1, source_digest=sources[ad.pk].digest)
            for each, ad in zip(found, ads)
        ),
        PORTION,
    )
    return found


def pairs(sides: Sequence[tuple[Document, Document]], verdict: str, doubtful: bool = False) -> None:
    """A judged pair of each two, all with the evidence of one real comparison."""
    evidence = builders.evidence(TEXT.format(1), TEXT.format(2))
    digests, scheme = dict(Fingerprint.objects.values_list("document", "source_digest")), builders.scheme()
    Pair.objects.bulk_create(
        (
            Pair(
                a=a, b=b, scheme=scheme, space=a.space, verdict=verdict, doubtful=doubtful,
                score=SCORE - number / 10**6, containment_a=0.95, containment_b=0.9, evidence=evidence,
                digest_a=digests[a.pk], digest_b=digests[b.pk],
            )
            for number, (a, b) in enumerate(sides)
        ),
        PORTION,
    )  # fmt: skip

"""Which of the planted pairs a site finds."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from benchmarks.million import Site
from benchmarks.planted import template_copies

BATCH = 100
COPIES = 500
"""Copies of the template's posts, at most."""


class Found(NamedTuple):
    """Shares, 0..1, of the planted pairs."""

    offered: float
    paired: float


def found(made: Site) -> Found:
    """What of the planted pairs the index offers to alignment, and what the table of pairs holds."""
    pairs = [(one + 1, two + 1) for one, two in made.layout.planted]
    documents = _documents(made.alias, [key for pair in pairs for key in pair])
    known = [(documents[one], documents[two]) for one, two in pairs]
    return Found(_offered(made.alias, known) / len(pairs), _paired(made.alias, known) / len(pairs))


def offered_in_a_crowd(made: Site) -> float:
    """Of edited copies of the template's posts, the share that is offered the copied post or its representative."""
    from benchmarks.onsave import post_of, signed
    from django_neardup.comparison.candidates import candidates_many
    from django_neardup.models import Membership
    from django_neardup.pipeline.stored_posts import StoredPosts

    copies = list(template_copies(made.layout, COPIES))
    documents = _documents(made.alias, [number + 1 for number, _ in copies])
    sources = [documents[number + 1] for number, _ in copies]
    rows = Membership.objects.using(made.alias).filter(document__in=sources)
    leaders = dict(rows.values_list("document", "cluster__leader"))
    found = 0
    for one in signed([post_of(text) for _, text in copies], made.alias):
        place, one.document_id = one.document_id, -1 - one.document_id  # a number that no document has
        met = {
            each.document_id
            for each in candidates_many([one], StoredPosts.of([one], made.alias))[
                one.document_id
            ].fingerprints
        }
        found += bool(met & {sources[place], leaders.get(sources[place])})
    return found / len(copies)


def _documents(alias: str, keys: list[int]) -> dict[int, int]:
    """Document ids of posts."""
    from django_neardup.models import Document

    rows: Any = Document.objects.using(alias)
    return {
        key: number
        for start in range(0, len(keys), BATCH)
        for key, number in rows.filter(object_key__in=keys[start : start + BATCH]).values_list(
            "object_key", "pk"
        )
    }


def _offered(alias: str, pairs: list[tuple[int, int]]) -> int:
    """Pairs of which a look-up of the second, as if nothing was known of it yet, brings the first."""
    partner = {two: one for one, two in pairs}
    waiting, number = iter(partner), 0
    while some := list(islice(waiting, BATCH)):
        prints = _prints(alias, some)
        number += sum(partner[document] in met for document, met in prints.items())
    return number


def _prints(alias: str, documents: list[int]) -> dict[int, set[int]]:
    """Whom those documents are compared with."""
    from django_neardup.comparison.candidates import candidates_many
    from django_neardup.models import Document
    from django_neardup.pipeline.read import read_many
    from django_neardup.pipeline.schemes import active_scheme
    from django_neardup.pipeline.sign import sign_many
    from django_neardup.pipeline.stored_posts import StoredPosts

    reads = read_many(list(Document.objects.using(alias).filter(pk__in=documents)), alias)
    adapter: Any = reads[0].adapter
    signed, _ = sign_many(reads, active_scheme(adapter.settings, alias), alias)
    for one in signed:
        one.is_new = True
    return {
        document: {each.document_id for each in near.fingerprints}
        for document, near in candidates_many(signed, StoredPosts.of(signed, alias)).items()
    }


def _paired(alias: str, pairs: list[tuple[int, int]]) -> int:
    """Pairs that are stored, whatever their verdict."""
    from django_neardup.models import Pair

    rows = Pair.objects.using(alias)
    return sum(rows.filter(a=min(pair), b=max(pair)).exists() for pair in pairs)

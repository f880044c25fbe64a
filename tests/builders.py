"""Rows as the pipeline would leave them, without running it: documents, fingerprints, pairs, clusters."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from django_neardup.adapters import adapter_for
from django_neardup.admin.review_queue.queue_query import QueueQuery
from django_neardup.judge.version import JUDGE_VERSION
from django_neardup.models import (
    Cluster,
    Document,
    FamilyMember,
    Fingerprint,
    Membership,
    Pair,
    Scheme,
    Space,
    Verdict,
)
from django_neardup.pipeline import canonical_id
from django_neardup.pipeline.content_objects import content_type_of
from django_neardup.pipeline.open_items import rebuild_open_items
from django_neardup.pipeline.schemes import active_scheme
from django_neardup.text.canonical_text import CanonicalText as Text


def scheme(using: str = "default") -> Scheme:
    """The active scheme of the default profile."""
    from django_neardup.conf import get_profile

    return active_scheme(get_profile(), using)


def space(using: str = "default") -> Space:
    made, _ = Space.objects.using(using).get_or_create(
        digest="5" * 32, defaults={"profile": "default", "labels": "testapp.ad"}
    )
    return made


def document(instance: Model, **values: Any) -> Document:
    """A finished document with its fingerprint."""
    using = instance._state.db or "default"
    kind = content_type_of(adapter_for(instance).model, using)
    made, _ = Document.objects.using(using).get_or_create(
        content_type=kind, object_id=canonical_id(instance.pk)
    )
    source = adapter_for(instance).sources([instance.pk], using)[instance.pk]
    values = {
        "space": space(using), "live": source.live, "state": Document.State.INDEXED, "version": made.wanted,
        "done": made.wanted, "pending_since": None, "author": source.author, **values,
    }  # fmt: skip
    Document.objects.using(using).filter(pk=made.pk).update(**values)
    Fingerprint.objects.using(using).update_or_create(
        document=made, scheme=scheme(using),
        defaults={"version": made.wanted, "source_digest": source.digest},
    )  # fmt: skip
    made.refresh_from_db()
    return made


def pair(one: Model, two: Model, verdict: str = Verdict.DUPLICATE, **values: Any) -> Pair:
    """A judged pair; its evidence comes of the real comparison unless it is given."""
    using = one._state.db or "default"
    of_space = {"space": values["space"]} if "space" in values else {}
    first, second = sorted(
        ((document(each, **of_space), each) for each in (one, two)), key=lambda each: each[0].pk
    )
    sources = [adapter_for(each).sources([each.pk], using)[each.pk] for _, each in (first, second)]
    values = {"space": first[0].space, "score": 0.9167, "containment_a": 0.95, "containment_b": 0.9, **values}
    if "evidence" not in values:
        values["evidence"] = evidence(sources[0].text, sources[1].text)
    return Pair.objects.using(using).create(
        a=first[0], b=second[0], scheme=scheme(using), verdict=verdict,
        digest_a=sources[0].digest, digest_b=sources[1].digest,
        **{"judge_version": JUDGE_VERSION, **values},
    )  # fmt: skip


def evidence(one: str, two: str) -> dict[str, Any]:
    """What the default algorithm says of two texts."""
    from django_neardup.algorithms.registry import get_algorithm

    return get_algorithm("neardup").judge(Text(one), Text(two)).evidence()


def family(leader: Model, *members: Model, doubtful: bool = False, **values: Any) -> list[Pair]:
    """A family of those objects: a variant pair of the leader and each member. Return the pairs.

    ``values``: of the documents, such as their space."""
    pairs = []
    for member in members:
        pairs.append(pair(leader, member, Verdict.VARIANT, doubtful=doubtful, **values))
        using = leader._state.db or "default"
        FamilyMember.objects.using(using).create(
            leader=document(leader, **values), document=document(member, **values), scheme=scheme(using),
            doubtful=doubtful, **{"space": space(using), **values},
        )  # fmt: skip
    return pairs


def place_of(made: Document) -> dict[str, Any]:
    """A document, and what its membership repeats of it."""
    return {
        "document": made,
        "content_type_id": made.content_type_id,
        "object_id": made.object_id,
        "object_key": made.object_key,
    }


def cluster(*instances: Model, **values: Any) -> Cluster:
    """A cluster of those objects, the first its representative, with a pair for each of the others."""
    using = instances[0]._state.db or "default"
    of_space = {"space": values["space"]} if "space" in values else {}
    documents = [document(instance, **of_space) for instance in instances]
    values = {"space": space(using), "lowest": 0.9167, "weakest": 0.9167, "size": len(documents), **values}
    made = Cluster.objects.using(using).create(scheme=scheme(using), leader=documents[0], **values)
    for number, (each, instance) in enumerate(zip(documents, instances, strict=True)):
        if number:
            pair(instances[0], instance, exact=made.exact, **of_space)
        Membership.objects.using(using).create(
            **place_of(each), cluster=made, scheme=scheme(using), score=0.9167 if number else 1.0,
            exact=made.exact or not number,
            reason=Membership.Reason.DUPLICATE if number else Membership.Reason.LEADER,
        )  # fmt: skip
    return made


def listed(using: str = "default", **options: Any) -> list[str]:
    """The keys of the queue's items, formed of what is stored. ``options``: of ``QueueQuery``."""
    return [item.item_key for item in waiting(using, **options).items]


def waiting(using: str = "default", **options: Any) -> QueueQuery:
    """The queue of what is stored."""
    rebuild_open_items(using)
    return QueueQuery(using, options.pop("values", {}), **options)

"""Stored rows without the pipeline: documents, clusters and pairs as it would leave them."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from django_neardup.adapters import adapter_for
from django_neardup.models import Cluster, Document, Membership, Pair, Scheme, Space, Verdict
from django_neardup.pipeline.content_objects import canonical_id, content_type_of
from tests.builders import place_of


def scheme(using: str = "default", state: str = Scheme.State.ACTIVE) -> Scheme:
    made, _ = Scheme.objects.using(using).get_or_create(
        profile="default",
        generation=1 if state == Scheme.State.ACTIVE else 2,
        defaults={
            "state": state,
            "algorithm": "neardup",
            "canonisation": "1",
            "language": "ru",
            "secret": "00" * 16,
        },
    )
    return made


def space(using: str = "default") -> Space:
    made, _ = Space.objects.using(using).get_or_create(digest="0" * 32, defaults={"profile": "default"})
    return made


def document(instance: Model) -> Document:
    using, model = instance._state.db or "default", adapter_for(instance).model
    made, _ = Document.objects.using(using).get_or_create(
        content_type_id=content_type_of(model, using).pk,
        object_id=canonical_id(instance.pk),
        defaults={
            "object_key": instance.pk if isinstance(instance.pk, int) else None,
            "space": space(using), "live": True, "state": Document.State.INDEXED,
        },
    )  # fmt: skip
    return made


def cluster(*instances: Model) -> Cluster:
    using = instances[0]._state.db or "default"
    documents = [document(instance) for instance in instances]
    made = Cluster.objects.using(using).create(
        space=space(using), scheme=scheme(using), leader=documents[0], size=len(documents)
    )
    for each in documents:
        Membership.objects.using(using).create(
            **place_of(each), cluster=made, scheme=scheme(using), reason=Membership.Reason.DUPLICATE
        )
    return made


def source_digest(instance: Model) -> str:
    sources = adapter_for(instance).sources([instance.pk], instance._state.db or "default")
    return sources[instance.pk].digest


def pair(one: Model, two: Model, verdict: str = Verdict.DUPLICATE, **values: Any) -> Pair:
    """A current pair; the evidence is turned round where the second document is the older one."""
    using = one._state.db or "default"
    if document(one).pk > document(two).pk:
        one, two = two, one
    values = {
        "score": 0.8317,
        "containment_a": 0.8317,
        "containment_b": 0.8317,
        "scheme": scheme(using),
        **values,
    }
    return Pair.objects.using(using).create(
        a=document(one),
        b=document(two),
        space=space(using),
        verdict=verdict,
        digest_a=source_digest(one),
        digest_b=source_digest(two),
        **values,
    )


def difference(kind: str, a: tuple[str, str], b: tuple[str, str], decides: bool = False) -> dict[str, Any]:
    """One difference of a pair's evidence; each side is (text compared, words in it)."""
    return {"kind": kind, "decides": decides, "a": _side(*a), "b": _side(*b)}


def _side(text: str, words: str) -> dict[str, Any]:
    start = text.index(words)
    return {"text": words.lower(), "span": [start, start + len(words)]}

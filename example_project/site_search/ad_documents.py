"""What the index stores of an advert."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timezone
from typing import Any

from board.models import Ad, live_ads
from django.contrib.contenttypes.models import ContentType

from django_neardup.models import Membership

TEXT = {"type": "text", "analyzer": "russian_words"}
INDEX_BODY: dict[str, Any] = {
    "settings": {
        "number_of_shards": 1,
        "number_of_replicas": 0,
        # A delayed request must not bring a deleted advert back.
        "gc_deletes": "1h",
        "analysis": {
            "char_filter": {"io": {"type": "mapping", "mappings": ["ё => е", "Ё => Е"]}},
            "filter": {"russian_stems": {"type": "stemmer", "language": "russian"}},
            "analyzer": {
                "russian_words": {
                    "tokenizer": "standard",
                    "char_filter": ["io"],
                    "filter": ["lowercase", "russian_stems"],
                }
            },
        },
    },
    "mappings": {
        "dynamic": "strict",
        "properties": {
            "number": {"type": "long"},
            "title": TEXT,
            "text": TEXT,
            "city": {"type": "keyword"},
            "price": {"type": "long"},
            "created": {"type": "date"},
            "cluster": {"type": "keyword"},
            "grouped": {"type": "boolean"},
        },
    },
}


def read_documents(keys: Collection[int]) -> dict[int, dict[str, Any]]:
    """Return the documents of the adverts that everybody may see."""
    kind = ContentType.objects.get_for_model(Ad)
    memberships = Membership.objects.filter(content_type=kind, object_key__in=keys)
    clusters = dict(memberships.values_list("object_key", "cluster"))
    return {ad.pk: _document(ad, clusters.get(ad.pk)) for ad in live_ads().filter(pk__in=keys)}


def _document(ad: Ad, cluster: int | None) -> dict[str, Any]:
    """An advert without a group has a value of its own: OpenSearch would collapse all empty values into one hit."""
    return {
        "number": ad.pk,
        "title": ad.title,
        "text": ad.text,
        "city": ad.city,
        "price": ad.price,
        "created": ad.created.astimezone(timezone.utc).isoformat(timespec="milliseconds"),
        "cluster": f"ad {ad.pk}" if cluster is None else f"cluster {cluster}",
        "grouped": cluster is not None,
    }

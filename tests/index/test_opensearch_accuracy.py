"""The same labelled duplicates are found with keys in the database and in OpenSearch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.management import call_command

from django_neardup.evaluation.corpora import find_set_names, load_corpus
from django_neardup.models import Document, Membership
from tests import services
from tests.index.opensearch_helpers import delete_indexes, ship_all, site_setting
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.long, pytest.mark.django_db(transaction=True)]

FOLDER = Path(os.environ.get("NEARDUP_DATA") or services.ROOT / "tests" / "data")
PAIRS = int(os.environ.get("PAIRS") or 400)
"""Pairs of a set, at most."""
MAX_DIFFERENCE = 0.001


def recall(corpus, is_shipped):
    """Index the texts, and return the share of labelled duplicates that are in one cluster."""
    Ad.objects.all().delete()
    Document.objects.all().delete()
    keys = [*corpus.texts]
    Ad.objects.bulk_create(Ad(text=corpus.texts[key]) for key in keys)
    numbers = dict(zip(keys, Ad.objects.order_by("pk").values_list("pk", flat=True), strict=True))
    call_command("neardup_index", no_progress=True, verbosity=0, restart=True)
    if is_shipped:
        ship_all()
    clusters = dict(Membership.objects.values_list("document__object_key", "cluster"))
    duplicates = [pair for pair in corpus.pairs if pair.is_duplicate]
    hits = [
        clusters.get(numbers[pair.a]) is not None
        and clusters[numbers[pair.a]] == clusters.get(numbers[pair.b])
        for pair in duplicates
    ]
    return sum(hits) / len(hits), len(hits)


@pytest.mark.parametrize("name", find_set_names(FOLDER))
def test_recall_is_that_of_the_database_index(name, settings, opensearch):
    corpus = next(load_corpus(FOLDER, name).parts(PAIRS), None)
    if corpus is None or not any(pair.is_duplicate for pair in corpus.pairs):
        pytest.skip(f"{name} has no labelled duplicates")
    settings.NEARDUP = {}
    in_database, count = recall(corpus, is_shipped=False)
    settings.NEARDUP = site_setting(opensearch)
    in_opensearch, _ = recall(corpus, is_shipped=True)
    delete_indexes(opensearch)
    print(
        f"\n{name}: {count} duplicates, {in_database:.4f} in the database, {in_opensearch:.4f} in OpenSearch"
    )
    assert abs(in_database - in_opensearch) <= MAX_DIFFERENCE

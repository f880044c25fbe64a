"""Clusters of more members than a statement takes parameters."""

import json
import sqlite3
import sys

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.db.queries import pairs as pair_queries
from django_neardup.models import (
    Cluster,
    Decision,
    DecisionMember,
    Document,
    Fingerprint,
    KeyPhrase,
    Membership,
    Pair,
)
from django_neardup.pipeline import documents_of
from django_neardup.pipeline.decision_lookup import decision_scopes_of
from django_neardup.pipeline.key_phrases import request_phrase_search
from django_neardup.pipeline.open_items import log_changed_documents, refresh_open_items
from tests.pipeline.helpers import PIANO, SOFA, cluster, document, post, work
from tests.testapp.models import Ad

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.engines("sqlite"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="sqlite3 sets no limits before Python 3.11"),
]

MOST = 999
"""Parameters that old releases of SQLite take."""


@pytest.fixture
def crowd():
    """The leader of a cluster of one more copies than a statement takes: two that were found, and rows like theirs."""
    leader, copy = post(SOFA), post(SOFA)
    work()
    ads = Ad.objects.bulk_create([Ad(text=SOFA) for _ in range(MOST)])
    documents = like(document(copy), [{"object_id": str(ad.pk), "object_key": ad.pk} for ad in ads])
    for model in (Fingerprint, Membership):
        known = model.objects.get(document=document(copy))
        like(known, [{"document_id": each.pk, **own(each, model)} for each in documents])
    like(Pair.objects.get(), [{"b_id": each.pk} for each in documents])
    Cluster.objects.update(size=len(ads) + 2)
    connection.ensure_connection()
    before = connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, MOST)
    yield leader
    connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)


def like(row, many):
    """Rows like that one but for these columns."""
    model = type(row)
    names = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    values = {name: getattr(row, name) for name in names}
    return model.objects.bulk_create([model(**values | each) for each in many])


def own(made, model):
    return {"object_id": made.object_id, "object_key": made.object_key} if model is Membership else {}


def test_a_leader_of_many_is_deleted(crowd):
    crowd.delete()
    work()
    assert Cluster.objects.get().size == Membership.objects.count() == MOST + 1


def test_a_leader_of_many_becomes_another_text(crowd):
    crowd.text = PIANO
    crowd.save()
    work()
    refresh_open_items("default")
    assert Cluster.objects.get().size == MOST + 1 and cluster(crowd) is None


def test_many_posts_of_one_author_are_shown_and_erased(crowd, capsys):
    Document.objects.update(author="7")
    log_changed_documents(Document.objects.values_list("pk", flat=True), "default")
    refresh_open_items("default")
    Ad.objects.all()._raw_delete("default")
    call_command("neardup_cleanup", "--show-author", "7", "--database", "default")
    assert len(json.loads(capsys.readouterr().out)["databases"]["default"]["documents"]) == MOST + 2
    call_command("neardup_cleanup", "--erase-author", "7", "--yes", "--database", "default")
    assert not Fingerprint.objects.exists() and not Document.objects.exclude(author="").exists()


def test_documents_of_many_objects_are_found(crowd):
    assert len(documents_of(Ad.objects.all(), "default")) == MOST + 2


def test_many_decisions_on_one_post_are_read(crowd):
    first, *others = Document.objects.order_by("pk")
    made = Decision.objects.bulk_create([Decision(kind="different", space_id=first.space_id) for _ in others])
    sides = ((decision, side) for decision, other in zip(made, others) for side in (first, other))
    DecisionMember.objects.bulk_create(
        [DecisionMember(decision=decision, document=side) for decision, side in sides]
    )
    assert len(decision_scopes_of([first.pk], "default")) == len(others) > MOST


def test_a_phrase_is_looked_for_in_many_posts(crowd):
    assert request_phrase_search([KeyPhrase(text="диван")], "default") == MOST + 2
    assert not Document.objects.filter(pending_since=None).exists()


def test_pairs_are_looked_up_by_their_documents_alone():
    """SQLite knows no sizes of indexes: it would read all pairs of the scheme."""
    with CaptureQueriesContext(connection) as queries:
        pair_queries.sides("default", [1, 2, 3], 1)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {queries[-1]['sql']}")
        plan = " ".join(str(row) for row in cursor.fetchall())
    assert "a_id=?" in plan and "b_id=?" in plan and "scheme_id=?" not in plan

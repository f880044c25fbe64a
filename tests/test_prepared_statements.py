"""A site may have PostgreSQL bind and prepare its statements: the server then asks for the type of every parameter."""

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.template import Context, Template

import django_neardup as neardup
from django_neardup.admin.review_queue.queue_query import QueueQuery
from django_neardup.models import Cluster, Document, Key, Pair
from django_neardup.models.fields import DatabaseClock
from django_neardup.moderation import ActionContext, merge
from django_neardup.pipeline import mark_queryset
from django_neardup.pipeline.open_items import rebuild_open_items, refresh_open_items
from django_neardup.pipeline.work_queue import retry_later
from tests.admin.test_queue import reopen
from tests.admin.tools import confirm
from tests.memory.helpers import deleted, repeated
from tests.moderation.tools import site, undone
from tests.pipeline.helpers import (
    CAT,
    PIANO,
    PILES,
    SOFA,
    SOFA_EDITED,
    cluster,
    document,
    pair,
    post,
    snapshot,
    work,
)
from tests.testapp.models import Ad, SlugPost, UuidPost

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.engines("postgresql"),
    pytest.mark.usefixtures("prepared"),
]
OPTIONS = {"server_side_binding": True, "prepare_threshold": 0}
PAGE = "{% load neardup %}{% neardup_group posts visible as groups %}{{ groups|length }}"


@pytest.fixture
def prepared(transactional_db, monkeypatch):
    """The default alias on a connection that prepares every statement; a test that ran none has tested nothing."""
    pytest.importorskip("psycopg", reason="psycopg2 binds no parameters on the server")
    usual = connections["default"]
    monkeypatch.setitem(connections.settings["default"], "OPTIONS", OPTIONS)
    connections["default"] = connections.create_connection("default")
    try:
        yield
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_prepared_statements WHERE statement LIKE %s", ["%neardup_%"])
            assert cursor.fetchall()
    finally:
        connection.close()
        connections["default"] = usual


def sofas():
    return [post(f"{SOFA} {end}", phone="+7 900 000-18-05") for end in ("Звоните.", "Пишите.", "Торг.")]


def doubtful_pair():
    """A doubt: maybe the two posts are one item."""
    posts = [post(PILES.format(code)) for code in ("С140.35", "С90.30")]
    work()
    Pair.objects.filter(pk=pair(*posts).pk).update(doubtful=True)
    return pair(*posts)


def test_posts_are_saved_edited_copied_and_deleted():
    one, two, three = sofas()
    work()
    variants = [post(PILES.format(code)) for code in ("С140.35", "С90.30")]
    copies, other = [post(PIANO), post(PIANO)], post(CAT, sku="A-1")
    work()
    assert cluster(one).size == 3 and cluster(copies[0]).exact and cluster(other) is None
    assert pair(*variants).verdict == "variant"

    three.text = PIANO
    three.save()
    one.delete()
    assert mark_queryset(Ad.objects.all()) == 7
    work()
    assert cluster(copies[0]).size == 3 and cluster(two) is None
    assert Key.objects.filter(document=document(two).pk).exists()


@pytest.mark.parametrize("model", [UuidPost, SlugPost])
def test_keys_that_are_no_numbers(model):
    for name, text in (("а/б", SOFA), ("в=г", SOFA_EDITED)):
        model.objects.create(text=text, **({"slug": name} if model is SlugPost else {}))
    work()
    assert Cluster.objects.get().size == 2
    shown = neardup.collapse(model.objects.order_by("pk"), model.objects.all())
    assert len(shown) == len(shown[:1]) == shown.count() == 1


def test_deleted_posts_are_remembered(settings):
    settings.NEARDUP = {"default": {"BACKEND": None, "MEMORY_DAYS": 30}}
    gone, again = deleted(SOFA), post(SOFA)
    work()
    assert repeated(again) == (gone.pk, True)
    assert neardup.check_many([SOFA], Ad)
    call_command("neardup_cleanup", databases=["default"], verbosity=0)


def test_lists_and_look_ups():
    posts = [*sofas(), post(PIANO)]
    work()
    everything = Ad.objects.order_by("-pk")
    assert Template(PAGE).render(Context({"posts": posts, "visible": Ad.objects.all()})) == "2"
    shown = neardup.collapse(everything, Ad.objects.all())
    assert list(shown) == list(shown[:10]) == posts[:1:-1] and shown.count() == 2
    assert [match.object for match in neardup.find_similar(SOFA_EDITED, Ad, limit=2)]


def test_a_decision_in_the_queue(admin_client):
    one, two, three = sofas()
    doubt = doubtful_pair()
    # The worker may have formed the rows before the pair became a doubt.
    rebuild_open_items("default")
    for order in ("", "score", "size", "age"):
        assert len(QueueQuery("default", {}, *([order] if order else [])).items) == 2
    listed = admin_client.get(
        "/admin/neardup/queue/", {"verdict": "duplicate", "contact": "same", "q": "С140"}
    )
    assert listed.status_code == 200
    for each in (cluster(one), doubt):
        assert confirm(admin_client, "leave", each).status_code == 302
    work()
    refresh_open_items("default")
    assert not Cluster.objects.exists() and not QueueQuery("default", {}).items


def test_reopened_items_stand_first():
    """Their worth is no number of 32 bits, and a driver that is told so cuts it without a word."""
    exact = [post(PIANO), post(PIANO)]
    reopen(doubtful_pair())
    rebuild_open_items("default")
    assert [item.item_key[0] for item in QueueQuery("default", {}).items] == ["p", "c"] and cluster(
        exact[0]
    ).exact


def test_more_than_a_month_by_the_clock():
    row, seconds = document(post(CAT)), 40 * 86_400
    retry_later(Document, row.pk, "default", seconds)
    late = DatabaseClock() - seconds * 1000
    assert Document.objects.filter(leased_until__gt=DatabaseClock() + (seconds - 60) * 1000).exists()
    assert not Document.objects.filter(pending_since__lt=late).exists()


def test_a_merge_and_its_undo():
    one, two, three = sofas()
    work()
    before = site()
    records = merge(one, [two, three], ActionContext())
    work()
    assert list(Ad.objects.all()) == [one] and not Cluster.objects.exists()
    undone(*records)
    work()
    assert site() == before and cluster(one).size == 3


def test_a_first_index_a_later_one_and_a_new_look(settings):
    texts = [SOFA, SOFA_EDITED, PIANO, PIANO, CAT]
    posts = Ad.objects.bulk_create(Ad(text=text) for text in texts)
    call_command("neardup_index", verbosity=0)
    first = snapshot()
    assert Document.objects.count() == len(posts) and len(first["clusters"]) == 2

    Ad.objects.filter(pk=posts[0].pk).update(text=CAT)
    call_command("neardup_index", reconcile=True, verbosity=0)
    assert cluster(posts[0]) == cluster(posts[4]) is not None
    call_command("neardup_index", rebuild=True, verbosity=0)
    assert Pair.objects.exists() and len(snapshot()["clusters"]) == 2

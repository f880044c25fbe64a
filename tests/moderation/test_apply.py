"""The journal, the history, the signals; hiding and deleting."""

import json
from uuid import uuid4

import pytest
from django.contrib.admin.models import CHANGE, DELETION
from django.contrib.auth import get_user_model
from django.db.models.signals import post_delete, post_save, pre_delete

from django_neardup.exceptions import Conflict, MergeRefused
from django_neardup.models import Cluster, Document, MergeRecord, Scheme, Space
from django_neardup.moderation import ActionContext, ShownScore, delete, hide, merge
from django_neardup.signals import post_merge
from tests.moderation.tools import history, pieces, run, snapshot
from tests.testapp import zoo
from tests.testapp.models import Ad, Comment, Invoice, ScopedPost, Tag
from tests.testapp.zoo import Piece

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    return get_user_model().objects.create(username="moderator")


@pytest.fixture
def heard():
    """Which signals came, in their order."""
    found = []

    def listener(name):
        def listen(sender, instance, **kwargs):
            found.append((name, sender, instance.pk))

        return listen

    listeners = {name: listener(name) for name in ("pre_delete", "post_delete", "post_save")}
    signals = {"pre_delete": pre_delete, "post_delete": post_delete, "post_save": post_save}
    for name, signal in signals.items():
        signal.connect(listeners[name])
    yield found
    for name, signal in signals.items():
        signal.disconnect(listeners[name])


def ads(*texts):
    return [Ad.objects.create(text=text) for text in texts]


def test_the_journal_holds_rows_moves_and_pairs(user):
    keeper, loser = ads("keeper", "loser")
    shared, own = Tag.objects.create(name="shared"), Tag.objects.create(name="own")
    keeper.tags.add(shared)
    loser.tags.add(shared, own)
    comment = Comment.objects.create(ad=loser, text="c")
    batch = uuid4()

    (record,) = merge(
        keeper,
        [loser],
        ActionContext(
            user=user, batch_id=batch, cluster_id=7, shown_scores={loser: ShownScore(0.9, "duplicate")}
        ),
    )

    stored = MergeRecord.objects.get()
    assert record == stored
    assert (stored.action, stored.batch, stored.cluster) == ("merge", batch, 7)
    assert (stored.keeper_id, stored.loser_id) == (str(keeper.pk), str(loser.pk))
    assert (stored.score, stored.verdict, stored.by, stored.by_name) == (
        0.9, "duplicate", str(user.pk), "moderator",
    )  # fmt: skip
    rows = {(row["model"], row["pk"]): row["fields"] for row in stored.journal["rows"]}
    assert rows["testapp.ad", loser.pk]["text"] == "loser"
    assert {
        "model": "testapp.comment",
        "pk": comment.pk,
        "field": "ad",
        "from": loser.pk,
        "to": keeper.pk,
    } in (stored.journal["moves"])
    (links,) = stored.journal["m2m"]
    assert links["model"] == "testapp.ad_tags"
    assert [(pair["ad_id"], pair["tag_id"]) for pair in links["pairs"]] == [(loser.pk, own.pk)]
    assert ("testapp.ad_tags") in {row["model"] for row in stored.journal["rows"]}
    json.dumps(stored.journal)


def test_each_loser_has_its_own_record():
    keeper, one, two = ads("keeper", "one", "two")
    for ad in (one, two, two):
        Comment.objects.create(ad=ad, text="c")

    records = run(keeper, one, two)

    assert [len(record.journal["moves"]) for record in records] == [1, 2]
    assert len({record.batch for record in records}) == 1


def test_the_keepers_values_stay_but_for_empty_ones(user):
    keeper, loser = Ad.objects.create(text="keeper"), Ad.objects.create(text="loser", title="title", hits=5)

    run(keeper, loser)

    keeper.refresh_from_db()
    assert (keeper.text, keeper.title, keeper.hits) == ("keeper", "title", 0)


def test_history_on_keeper_and_losers(user):
    keeper, one, two = ads("keeper", "one", "two")

    run(keeper, one, two, user=user)

    assert history() == [("one", DELETION), ("two", DELETION), ("keeper", CHANGE)]


def test_signals_of_the_loser_fire_and_ours_after_the_commit(heard, django_capture_on_commit_callbacks):
    keeper, loser = ads("keeper", "loser")
    key, told = loser.pk, []

    def listen(sender, keeper, loser, record, using, **kwargs):
        told.append((sender, keeper.pk, loser.pk, record.loser_id, using, Ad.objects.filter(pk=key).exists()))

    post_merge.connect(listen)
    try:
        with django_capture_on_commit_callbacks() as callbacks:
            run(keeper, loser)
        assert told == []
        for callback in callbacks:
            callback()
    finally:
        post_merge.disconnect(listen)

    assert told == [(Ad, keeper.pk, key, str(key), "default", False)]
    assert ("pre_delete", Ad, key) in heard
    assert ("post_delete", Ad, key) in heard


def test_a_listener_that_fails_silences_no_other(django_capture_on_commit_callbacks):
    told = []

    def fail(record, **kwargs):
        raise LookupError

    def listen(record, **kwargs):
        told.append(record.loser_text)

    post_merge.connect(fail)
    post_merge.connect(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            run(*ads("keeper", "loser"))
    finally:
        post_merge.disconnect(fail)
        post_merge.disconnect(listen)

    assert told == ["loser"]


def test_the_cluster_is_resolved_at_once():
    keeper, loser = ads("keeper", "loser")
    cluster = a_cluster(keeper)

    run(keeper, loser, cluster_id=cluster.pk, resolves_cluster=True)

    cluster.refresh_from_db()
    assert cluster.state == Cluster.State.RESOLVED


def a_cluster(ad):
    space = Space.objects.create(digest="s", profile="default", labels="testapp.ad")
    scheme = Scheme.objects.create(
        profile="default", algorithm="neardup", canonisation="1", language="ru", secret="x"
    )
    document = Document.objects.get(object_id=str(ad.pk))
    Document.objects.filter(pk=document.pk).update(space=space)
    return Cluster.objects.create(space=space, scheme=scheme, leader=document, size=2)


def test_the_check_runs_under_the_lock_and_stops_everything():
    keeper, loser = ads("keeper", "loser")
    space = a_cluster(keeper).space
    before = snapshot()

    def check():
        assert Space.objects.get(pk=space.pk).lock == 1
        raise Conflict("changed")

    with pytest.raises(Conflict):
        run(keeper, loser, check_unchanged=check)

    assert snapshot() == before


def test_moved_rows_that_are_compared_by_that_column_are_marked(monkeypatch):
    keeper, loser = pieces("keeper", "loser")
    row = zoo.Cascading.objects.create(piece=loser)
    from django_neardup.adapters import Adapter, register, unregister

    register(zoo.Cascading)(type("CascadingNeardup", (Adapter,), {"fields": ["piece_id"]}))
    try:
        run(keeper, loser)
    finally:
        unregister(zoo.Cascading)

    assert Document.objects.filter(object_id=str(row.pk), content_type__model="cascading").exists()


def test_hiding(user):
    one, two = ads("one", "two")

    records = hide([one, two], ActionContext(user=user))

    assert list(Ad.objects.values_list("published", flat=True)) == [False, False]
    assert [record.action for record in records] == ["hide", "hide"]
    assert records[0].journal["rows"][0]["fields"]["published"] is True
    assert history() == [("one", CHANGE), ("two", CHANGE)]


def test_hiding_what_cannot_be_hidden_changes_nothing(user):
    ad, post = Ad.objects.create(text="a"), ScopedPost.objects.create(site=1, text="a")
    before = snapshot()

    with pytest.raises(MergeRefused, match="cannot hide posts"):
        hide([ad, post], ActionContext(user=user))

    assert snapshot() == before


def test_deleting_journals_all_that_goes(user, heard):
    one, two = ads("one", "two")
    Comment.objects.create(ad=one, text="c")

    records = delete([one, two], ActionContext(user=user))

    assert not Ad.objects.exists()
    assert [row["model"] for row in records[0].journal["rows"]] == ["testapp.ad", "testapp.comment"]
    assert history() == [("one", DELETION), ("two", DELETION)]
    assert [event[1] for event in heard if event[0] == "pre_delete" and event[1] is Ad] == [Ad, Ad]


def test_deleting_what_is_protected_changes_nothing(user):
    one, two = ads("one", "two")
    Invoice.objects.create(ad=two)
    before = snapshot()

    with pytest.raises(MergeRefused, match="protects it from deletion"):
        delete([one, two], ActionContext(user=user))

    assert snapshot() == before


def test_deleting_never_takes_the_one_that_stays():
    keeper, loser = pieces("keeper", "loser")
    Piece.objects.filter(pk=keeper.pk).update(twin=loser)
    before = snapshot()

    with pytest.raises(MergeRefused, match="would be deleted with its duplicates"):
        delete([loser], ActionContext(), keeper=keeper)

    assert snapshot() == before


def test_deleting_one_that_goes_with_another(heard):
    one, two = pieces("one", "two")
    Piece.objects.filter(pk=two.pk).update(twin=one)

    delete([one, two], ActionContext())

    assert not Piece.objects.exists()
    assert [event[2] for event in heard if event[0] == "post_delete" and event[1] is Piece].count(two.pk) == 1


def test_soft_deletion_leaves_the_row():
    soft = zoo.Soft.objects.create(text="a")

    delete([soft], ActionContext())

    assert zoo.Soft.everything.get().deleted


@pytest.mark.django_db(databases=["default", "other"])
def test_another_database_keeps_to_itself(user, django_capture_on_commit_callbacks):
    keeper, loser = (Ad.objects.using("other").create(text=text) for text in ("keeper", "loser"))
    Comment.objects.using("other").create(ad=loser, text="c")
    before = {label: rows for label, rows in snapshot().items() if not label.startswith("admin.")}

    with django_capture_on_commit_callbacks(using="other", execute=True):
        run(keeper, loser, user=user, using="other")

    assert Comment.objects.using("other").get().ad == keeper
    assert MergeRecord.objects.using("other").count() == 1
    assert {label: rows for label, rows in snapshot().items() if not label.startswith("admin.")} == before
    assert history() == [("loser", DELETION), ("keeper", CHANGE)]

"""Undo of a deletion and of a hiding."""

import pytest
from django.contrib.auth import get_user_model

from django_neardup.exceptions import Conflict, MergeRefused
from django_neardup.models import Cluster, MergeRecord
from django_neardup.moderation import ActionContext, delete, hide, merge, undo_batch
from tests import builders
from tests.moderation.population import surround
from tests.moderation.tools import history, pieces, run, site, undone
from tests.testapp import zoo
from tests.testapp.models import Ad, Comment, ScopedPost, Tag
from tests.testapp.zoo import Person, Piece

pytestmark = pytest.mark.django_db


def unprotected(piece):
    """Rows of every kind around the piece, but for those that forbid its deletion, or point at nothing after it."""
    surround(piece)
    for model in (zoo.Protecting, zoo.Restricting, zoo.Careless):
        model.objects.filter(piece=piece).delete()


def test_all_that_fell_and_all_that_was_emptied_comes_back():
    Piece.objects.create(code="nobody")
    (piece,) = pieces("piece")
    unprotected(piece)
    Piece.objects.create(code="twin", twin=piece)
    before = site()

    records = delete([piece], ActionContext())
    assert zoo.Setting.objects.get().piece.code == "nobody"
    assert zoo.Nulling.objects.get().piece is None
    (record,) = undone(*records)

    assert site() == before
    assert record.left == []


def test_multi_table_posts_and_their_children():
    poster = zoo.Poster.objects.create(code="poster", paper="a2")
    unprotected(poster)
    zoo.Pixel.objects.create(poster=poster)
    before = site()

    undone(*delete([Piece.objects.get(pk=poster.pk)], ActionContext()))

    assert site() == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("both", [True, False])
def test_posts_that_fall_with_each_other(both, order):
    one, two = pieces("one", "two")
    Piece.objects.filter(pk=two.pk).update(twin=one)
    if both:
        Piece.objects.filter(pk=one.pk).update(twin=two)
    for piece in (one, two):
        zoo.Cascading.objects.create(piece=piece)
    zoo.Rating.objects.create(piece=two, person=Person.objects.create(name="a"))
    before = site()

    records = delete([one, two], ActionContext())
    assert not zoo.Cascading.objects.exists()
    for number in order:
        undone(records[number])

    assert site() == before


@pytest.mark.parametrize("reverse", [True, False])
def test_a_batch_begins_with_those_that_others_point_at(reverse):
    one, two = pieces("one", "two")
    first, second = (two, one) if reverse else (one, two)
    Piece.objects.filter(pk=second.pk).update(twin=first, parent=first)
    before = site()
    records = delete([one, two], ActionContext())

    outcomes = undo_batch(records[0].batch, None, "default")

    assert site() == before
    assert [outcome.record.left for outcome in outcomes] == [[], []]


def test_edits_of_what_was_emptied_are_kept():
    piece, other = pieces("piece", "other")
    edited, gone = (zoo.Nulling.objects.create(piece=piece) for _ in range(2))
    records = delete([piece], ActionContext())
    zoo.Nulling.objects.filter(pk=edited.pk).update(piece=other)
    zoo.Nulling.objects.filter(pk=gone.pk).delete()

    (record,) = undone(*records)

    assert zoo.Nulling.objects.get().piece == other
    assert len(record.left) == 2


def test_a_soft_deletion_is_taken_back_but_for_edits():
    one, two, purged = (zoo.Soft.objects.create(text=text) for text in ("one", "two", "purged"))
    zoo.SoftReply.objects.create(soft=one)
    before = site()
    records = delete([one, two, purged], ActionContext())
    assert zoo.Soft.objects.count() == 0
    zoo.Soft.everything.filter(pk=two.pk).update(text="edited")
    zoo.Soft.everything.filter(pk=purged.pk).delete()

    undone(*records)

    assert zoo.Soft.objects.get(pk=two.pk).text == "edited"
    zoo.Soft.everything.filter(pk=two.pk).update(text="two")
    assert site() == before


def test_a_soft_deleted_post_that_somebody_reactivated_is_left():
    soft = zoo.Soft.objects.create()
    records = delete([soft], ActionContext())
    zoo.Soft.everything.update(deleted=False)

    (record,) = undone(*records)

    assert not zoo.Soft.objects.get().deleted
    assert record.left == []


@pytest.mark.parametrize("act", [hide, delete])
def test_posts_with_adapters(act):
    user = get_user_model().objects.create(username="moderator")
    ads = [Ad.objects.create(text=text) for text in ("one", "two")]
    tag = Tag.objects.create(name="t")
    for ad in ads:
        ad.tags.add(tag), Comment.objects.create(ad=ad, text="c")
    cluster, before = builders.cluster(*ads), site()

    records = act(ads, ActionContext(user=user, cluster_id=cluster.pk, resolves_cluster=True))
    assert not Ad.objects.filter(published=True).exists()
    outcomes = undo_batch(records[0].batch, user, "default")

    assert site() == before
    assert all(outcome.is_done for outcome in outcomes)
    assert Cluster.objects.get().state == Cluster.State.OPEN
    assert [name for name, _flag in history()][-2:] == [outcome.record.loser_text for outcome in outcomes]


def test_a_hidden_post_that_is_gone_cannot_be_shown():
    keeper, ad = Ad.objects.create(text="keeper"), Ad.objects.create(text="one")
    records = hide([ad], ActionContext())
    merge(keeper, [ad], ActionContext())

    with pytest.raises(MergeRefused, match="it was merged or deleted since"):
        undone(*records)


def test_an_adapter_that_cannot_show(monkeypatch):
    from tests.testapp.neardup import AdNeardup

    ad = Ad.objects.create(text="one")
    records = hide([ad], ActionContext())
    monkeypatch.delattr(AdNeardup, "show")
    before = site()

    with pytest.raises(MergeRefused, match="cannot show posts"):
        undone(*records)

    assert site() == before
    assert MergeRecord.objects.get().undone is None


def test_a_model_that_the_site_has_dropped():
    post = ScopedPost.objects.create(site=1, text="a")
    (record,) = delete([post], ActionContext())
    type(record.loser_type).objects.filter(pk=record.loser_type_id).update(model="dropped")
    type(record.loser_type).objects.clear_cache()
    try:
        with pytest.raises(MergeRefused, match="no longer has this model"):
            undone(record)
    finally:
        type(record.loser_type).objects.clear_cache()


@pytest.mark.django_db(databases=["default", "other"])
def test_another_database_keeps_to_itself():
    keeper, loser = (Ad.objects.using("other").create(text=text) for text in ("keeper", "loser"))
    Comment.objects.using("other").create(ad=loser, text="c")
    before = site("other"), site()
    records = run(keeper, loser, using="other")

    undone(*records, using="other")

    assert (site("other"), site()) == before
    with pytest.raises(Conflict):
        undone(*records, using="other")

"""Receivers of signals hear the rows that move: caches and search indexes live on signals."""

import pytest
from django.db.models.signals import post_save, pre_save

from django_neardup import registry
from django_neardup.adapters import Adapter, register
from django_neardup.testing import is_proof
from tests.moderation.tools import pieces, run, site, undone
from tests.testapp import zoo
from tests.testapp.models import Ad, Comment
from tests.testapp.zoo import Soft, SoftReply

pytestmark = pytest.mark.django_db


@pytest.fixture
def connect():
    connected = []

    def connect(signal, sender, receiver):
        signal.connect(receiver, sender=sender, weak=False)
        connected.append((signal, sender, receiver))

    yield connect
    for signal, sender, receiver in connected:
        signal.disconnect(receiver, sender=sender)


def test_moved_rows_are_raw_saves(connect):
    heard = []

    def hear(signal, instance, raw, update_fields, using, **kwargs):
        in_table = zoo.Cascading.objects.values_list("piece", flat=True).get(pk=instance.pk)
        if not is_proof():
            heard.append((signal, instance.piece.code, in_table, raw, update_fields, using))

    keeper, loser = pieces("keeper", "loser")
    keeper_pk, loser_pk = keeper.pk, loser.pk
    zoo.Cascading.objects.create(piece=loser)
    for signal in (pre_save, post_save):
        connect(signal, zoo.Cascading, hear)

    (record,) = run(keeper, loser)
    common = (True, {"piece"}, "default")
    assert heard == [
        (pre_save, "keeper", loser_pk, *common),
        (post_save, "keeper", keeper_pk, *common),
    ]
    heard.clear()
    undone(record)

    assert heard == [(pre_save, "loser", keeper_pk, *common), (post_save, "loser", loser_pk, *common)]


def test_a_summed_number_is_a_raw_save(connect, monkeypatch):
    monkeypatch.setattr(registry, "_registry", {})
    register(Ad)(type("Summing", (Adapter,), {"fields": ["text"], "sum_fields": ["hits"]}))
    keeper, loser = (Ad.objects.create(text="t", hits=hits) for hits in (1, 2))
    heard = []
    connect(post_save, Ad, lambda instance, raw, **kwargs: heard.append((instance.pk, instance.hits, raw)))

    run(keeper, loser)

    assert (keeper.pk, 3, True) in heard


def test_a_receiver_that_dates_the_post_does_not_change_what_comes_back(connect):
    """It saves the post of each reply, and that has an automatic date."""
    connect(post_save, SoftReply, lambda instance, **kwargs: instance.soft.save())
    keeper, loser = Soft.objects.create(text="keeper"), Soft.objects.create(text="loser")
    SoftReply.objects.create(soft=loser)
    before = site()

    (record,) = run(keeper, loser)
    undone(record)

    assert site() == before


def test_a_receiver_that_counts(connect):
    """The number is right after the merge, and as it was after the undo, although it was wrong."""

    def count(instance, **kwargs):
        Ad.objects.filter(pk=instance.ad_id).update(hits=Comment.objects.filter(ad=instance.ad_id).count())

    connect(post_save, Comment, count)
    keeper, loser = Ad.objects.create(text="keeper"), Ad.objects.create(text="loser")
    for ad in (keeper, loser, loser):
        Comment.objects.create(ad=ad, text="c")
    Ad.objects.filter(pk=loser.pk).update(hits=99)
    before = site()

    (record,) = run(keeper, loser)
    assert Ad.objects.get().hits == 3
    undone(record)

    assert site() == before

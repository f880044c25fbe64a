"""Search indexes and caches hear of rows that a merge and its undo change without ``save()``."""

import pytest
from django.db.models.signals import post_delete, post_save

from django_neardup.moderation import ActionContext, delete
from tests.moderation.tools import pieces, run, undone
from tests.testapp.zoo import Nulling, Piece

pytestmark = pytest.mark.django_db


@pytest.fixture
def connect():
    """Connect a receiver for one test, as one of a module."""
    connected = []

    def connect(signal, receiver, module):
        receiver.__module__ = module
        for sender in (Piece, Nulling):
            signal.connect(receiver, sender=sender, weak=False)
            connected.append((signal, receiver, sender))

    yield connect
    for signal, receiver, sender in connected:
        signal.disconnect(receiver, sender=sender)


def test_an_index_hears_of_the_post_and_of_rows_that_moved(connect):
    keeper, loser = pieces("keeper", "loser")
    row = Nulling.objects.create(piece=loser)
    indexed, others = [], []
    connect(post_save, lambda sender, instance, **kwargs: indexed.append(instance), "wagtail.signal_handlers")
    connect(post_save, lambda sender, instance, **kwargs: others.append(instance), "shop.receivers")

    (record,) = run(keeper, loser)
    assert {keeper, row} <= set(indexed)

    indexed.clear()
    others.clear()
    undone(record)
    assert {keeper, loser, row} <= set(indexed)
    # Others hear the raw saves of what comes back and of what moves, once each.
    assert sorted(others, key=str) == sorted([loser, row], key=str)


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_an_index_outside_the_database_is_right_after_a_proof(connect, act):
    """The proof brings the post back, which the index hears. The rollback of the proof it does not hear."""
    keeper, loser = pieces("keeper", "loser")
    index = {keeper.code, loser.code}
    connect(
        post_save,
        lambda sender, instance, **kwargs: index.add(getattr(instance, "code", "")),
        "haystack.signals",
    )
    connect(
        post_delete,
        lambda sender, instance, **kwargs: index.discard(getattr(instance, "code", "")),
        "haystack.signals",
    )

    (record,) = run(keeper, loser) if act == "merge" else delete([loser], ActionContext())
    assert index == {"keeper"}
    undone(record)

    assert index == {"keeper", "loser"}

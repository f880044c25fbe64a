"""Receivers of ``m2m_changed`` hear what a merge and its undo do in the tables that Django has made."""

import pytest
from django.core.exceptions import ValidationError
from django.db.models.signals import m2m_changed

from django_neardup.exceptions import MergeRefused
from django_neardup.testing import is_proof
from tests.moderation.tools import pieces, run, site, undone
from tests.testapp.zoo import Group, Piece

pytestmark = pytest.mark.django_db


@pytest.fixture
def heard():
    """The changes of groups, without those of a proof."""
    changes = []

    def hear(instance, action, model, pk_set, **kwargs):
        if not is_proof():
            names = sorted(group.name for group in model.objects.filter(pk__in=pk_set))
            now = sorted(group.name for group in instance.groups.all())
            changes.append((instance.code, action, names, now))

    m2m_changed.connect(hear, sender=Piece.groups.through)
    yield changes
    m2m_changed.disconnect(hear, sender=Piece.groups.through)


def test_links_that_move_and_that_are_there_already(heard):
    keeper, loser = pieces("keeper", "loser")
    common, own = (Group.objects.create(name=name) for name in ("common", "own"))
    keeper.groups.set([common])
    loser.groups.set([common, own])
    before = site()
    heard.clear()

    (record,) = run(keeper, loser)
    assert heard == [
        ("loser", "pre_remove", ["common"], ["common", "own"]),
        ("loser", "post_remove", ["common"], ["own"]),
        ("loser", "pre_remove", ["own"], ["own"]),
        ("keeper", "pre_add", ["own"], ["common"]),
        ("loser", "post_remove", ["own"], []),
        ("keeper", "post_add", ["own"], ["common", "own"]),
    ]
    heard.clear()
    undone(record)

    assert heard == [
        ("keeper", "pre_remove", ["own"], ["common", "own"]),
        ("loser", "pre_add", ["own"], []),
        ("keeper", "post_remove", ["own"], ["common"]),
        ("loser", "post_add", ["own"], ["own"]),
        ("loser", "pre_add", ["common"], ["own"]),
        ("loser", "post_add", ["common"], ["common", "own"]),
    ]
    assert site() == before


def test_a_receiver_that_allows_only_so_many():
    def check(instance, action, pk_set, **kwargs):
        if action == "pre_add" and instance.groups.count() + len(pk_set) > 1:
            raise ValidationError("One group only.")

    keeper, loser = pieces("keeper", "loser")
    for piece in (keeper, loser):
        piece.groups.add(Group.objects.create(name=piece.code))
    before = site()
    m2m_changed.connect(check, sender=Piece.groups.through)
    try:
        with pytest.raises(MergeRefused, match="One group only"):
            run(keeper, loser)
    finally:
        m2m_changed.disconnect(check, sender=Piece.groups.through)

    assert site() == before

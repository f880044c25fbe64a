"""Faults once found: each test is the shortest way to one."""

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction

from django_neardup import registry
from django_neardup.adapters import adapter_for
from django_neardup.exceptions import NotRegistered
from django_neardup.models import Cluster, Document, Membership, Pair
from django_neardup.pipeline import decide, drain, mark, mark_document, mark_queryset, receivers
from tests.pipeline.families import family
from tests.pipeline.helpers import (
    CAT,
    PIANO,
    SOFA,
    SOFA_EDITED,
    cluster,
    document,
    pair,
    post,
    snapshot,
    work,
)
from tests.pipeline.test_races import rebuild
from tests.testapp.models import Ad, Unregistered

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])
MANY = 44
"""More than a turn aligns."""


@pytest.fixture
def drafts(monkeypatch):
    """Adverts with fewer than no visits are drafts, and not compared."""
    monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda self: Ad.objects.filter(hits__gte=0))


def assert_as_rebuilt():
    by_events = snapshot()
    rebuild()
    assert snapshot() == by_events


def change(ad, **fields):
    for name, value in fields.items():
        setattr(ad, name, value)
    ad.save()
    work()


def test_hiding_the_representative_of_two_keeps_them_together():
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    change(one, published=False)
    assert cluster(one) == cluster(two) is not None
    assert cluster(one).leader == document(two)


def test_whom_a_deletion_leaves_alone_joins_the_next_best():
    first, second = post(SOFA), post(SOFA_EDITED)
    work()
    decide("different", [document(first), document(second)], None, "default")
    third = post(SOFA + " Торг.")
    work()
    assert cluster(third) == cluster(first) is not None and cluster(second) is None
    first.delete()
    work()
    assert cluster(third) == cluster(second) is not None


def test_an_edit_renews_the_score_of_a_member_that_stays():
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    change(two, text=SOFA + " Торг.")
    place = Membership.objects.get(document=document(two))
    assert place.score == pair(one, two).score == cluster(one).lowest == cluster(one).weakest
    change(two, text=SOFA)
    assert Membership.objects.get(document=document(two)).exact and cluster(one).exact


def test_a_members_reason_follows_what_holds_it():
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    decide("same", [document(one), document(two)], None, "default")
    change(two, text=PIANO)
    assert cluster(one) == cluster(two) is not None
    assert Membership.objects.get(document=document(two)).reason == Membership.Reason.DECISION


def test_a_post_whose_adapter_is_gone_leaves_the_places_of_others(settings, monkeypatch):
    """Their scheme is that of their space's profile, which may not be the default one."""
    monkeypatch.setattr(type(adapter_for(Ad)), "profile", "own")
    settings.NEARDUP = {"default": {}, "own": {}}
    ads = post(SOFA), post(SOFA_EDITED), post(SOFA)
    work()
    *others, dropped = map(document, ads)
    monkeypatch.delitem(registry._registry, Ad)
    mark_document(dropped.pk, "default")
    work()
    assert [*Membership.objects.order_by("pk").values_list("document", flat=True)] == [
        row.pk for row in others
    ]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("back", [False, True])
def test_decisions_hold_only_what_is_compared(place, back, drafts):
    posts = [post(text) for text in (SOFA, PIANO, CAT)]
    work()
    for one, two in ((0, 1), (1, 2)):
        decide("same", [document(posts[one]), document(posts[two])], None, "default")
    change(posts[place], hits=-1)
    assert cluster(posts[place]) is None
    if back:
        change(posts[place], hits=0)
        assert len({cluster(each).pk for each in posts}) == 1
    assert_as_rebuilt()


def test_a_deleted_post_bars_nobody():
    one, two, other = post(SOFA), post(SOFA_EDITED), post(PIANO)
    work()
    decide("same", [document(one), document(other)], None, "default")
    decide("different", [document(other), document(two)], None, "default")
    other.delete()
    work()
    assert cluster(one) == cluster(two) is not None
    assert_as_rebuilt()


@pytest.mark.parametrize("act", ["hide and show", "edit and undo", "a new first"])
def test_a_new_leader_of_more_members_than_a_turn_aligns(act):
    early = post(PIANO, published=False)
    posts = [post(text) for text in reordered(MANY)]
    work()
    first, text = posts[0], posts[0].text
    if act == "hide and show":
        change(first, published=False)
        change(first, published=True)
    elif act == "edit and undo":
        change(first, text=CAT)
        change(first, text=text)
    else:
        change(early, text=f"{text} торг", published=True)
    assert [each.size for each in Cluster.objects.all()] == [MANY + (act == "a new first")]


def reordered(number):
    """Copies of one text, each with other neighbours swapped."""
    for place in range(number):
        words, again = family(1), place // 39
        for at in {place % 39, (place % 39 + 5 * again) % 39}:
            words[at], words[at + 1] = words[at + 1], words[at]
        yield " ".join(words)


def test_an_unreadable_member_stops_no_repair(monkeypatch):
    posts = [post(f"{SOFA} {end}") for end in ("Звоните.", "Пишите.", "Торг.", "Срочно.")]
    work()
    kind, bad = type(adapter_for(Ad)), posts[1].pk
    plain = kind.text
    monkeypatch.setattr(
        kind, "text", lambda self, ad: 1 / 0 if ad.pk == bad else plain(self, ad), raising=False
    )
    posts[0].delete()
    for _ in range(8):
        Document.objects.update(leased_until=None)
        drain()
    assert document(posts[1]).state == Document.State.QUARANTINED
    assert Cluster.objects.get().wanted == Cluster.objects.get().done
    for place in Membership.objects.exclude(reason=Membership.Reason.LEADER):
        assert place.score == Pair.objects.get(a=place.cluster.leader, b=place.document).score


def test_a_transaction_managed_by_hand_is_no_error():
    transaction.set_autocommit(False)
    try:
        one = post(SOFA)
        transaction.commit()
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)
    assert document(one).wanted == 1


def test_a_closed_connection_fails_no_save(monkeypatch):
    def closed(*args, **kwargs):
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(receivers, "mark_key", closed)
    assert Ad.objects.filter(pk=post(SOFA).pk).exists()


def test_a_mark_that_takes_the_transaction_with_it_is_told(monkeypatch):
    """A deadlock on MariaDB undoes the whole transaction: silence would be a lost post."""

    def deadlock(*args, **kwargs):
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
        raise OperationalError(1213, "Deadlock found")

    monkeypatch.setattr(receivers, "mark_key", deadlock)
    with pytest.raises(OperationalError), transaction.atomic():
        post(SOFA)
    assert not Ad.objects.exists()


def test_marks_of_an_unregistered_model_are_refused():
    one = Unregistered.objects.create(text=SOFA)
    with pytest.raises(NotRegistered):
        mark(one)
    with pytest.raises(NotRegistered):
        mark_queryset(Unregistered.objects.all())

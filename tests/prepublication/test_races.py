"""Held posts while others look, edit, decide and work at the same time: real transactions on real servers."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection, transaction

from django_neardup.models import Hold
from django_neardup.pipeline import drain
from django_neardup.prepublication import hold, refuse, release
from django_neardup.prepublication.holds import hold_in_state
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, SOFA
from tests.pipeline.test_races import both_at_once
from tests.testapp.models import Ad, Author

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default"]),
    pytest.mark.engines("postgresql", "mariadb"),
]
TRIALS = 15
PAUSE = 0.3
"""Seconds in which the other one would go wrong, if it could."""


def elsewhere(job):
    """Run it in a thread with connections of its own; its answer."""
    answers = []
    both_at_once([lambda: answers.append(job())])
    return answers[0]


@pytest.fixture
def board(adapt):
    """Its show() saves the whole post."""

    def show(self, ad):
        ad.published = True
        ad.save()

    return adapt(show=show, hold_until_checked=True)


def test_a_post_is_seen_by_nobody_between_its_save_and_its_holding(adapt, people, submit):
    seen = []

    def hide(self, ad):
        seen.append((connection.in_atomic_block, elsewhere(Ad.objects.count)))
        ad.published = False
        ad.save(update_fields=["published"])

    adapt(hide=hide, hold_until_checked=True)
    form = submit(people.ann, text=SOFA)
    assert form.is_valid()
    form.save()
    assert seen == [(True, 0)]
    assert not Ad.objects.get().published


@pytest.mark.parametrize("acts", [(release, release), (release, refuse), (refuse, refuse)])
def test_decided_twice_at_once_is_told_once(acts, board, publish):
    for number in range(TRIALS):
        ad = publish(" ".join(family(number)))
        hold(ad)
        board.told.clear()
        both_at_once([lambda act=act: act(Ad.objects.get(pk=ad.pk)) for act in acts])
        shown = Ad.objects.get(pk=ad.pk).published
        assert shown == (release in acts)
        told = [what for what, pk in board.told if pk == ad.pk]
        assert told.count("published") == int(shown)
        assert told.count("refused") <= 1
        assert Hold.objects.filter(document__object_id=str(ad.pk)).exists() is not shown


def test_of_twins_that_are_checked_at_once_one_is_published(board, publish):
    ann, bob = Author.objects.create(name="Ann"), Author.objects.create(name="Bob")
    type(board).publication = [{"action": "hold"}]
    publish(CAT)
    for number in range(TRIALS):
        words = family(number)
        twins = []
        for text, author in ((" ".join(words), ann), (" ".join([*words, "торг"]), bob)):
            with transaction.atomic():
                twins.append(Ad.objects.create(text=text, author=author))
                hold_in_state(twins[-1], "checking")
        both_at_once([lambda: drain(limit=1), lambda: drain(limit=1)])
        drain()
        assert Ad.objects.filter(pk__in=[ad.pk for ad in twins], published=True).count() == 1


def test_an_edit_under_way_is_not_lost_and_not_published_unchecked(board, publish):
    type(board).publication = [{"action": "hold"}]
    publish(SOFA, Author.objects.create(name="Bob"))
    ad = Ad.objects.create(text=CAT, author=Author.objects.create(name="Ann"))
    hold_in_state(ad, "checking")
    edited = threading.Event()

    def edit():
        with transaction.atomic():
            again = Ad.objects.select_for_update().get(pk=ad.pk)
            again.text = SOFA
            again.save()
            edited.set()
            time.sleep(PAUSE)

    def work():
        assert edited.wait(20)
        drain(limit=1)

    both_at_once([edit, work])
    drain()
    now = Ad.objects.get(pk=ad.pk)
    assert (now.text, now.published) == (SOFA, False)
    assert Hold.objects.get().state == "review"


def test_a_post_that_is_deleted_while_it_is_published(board, publish):
    for number in range(TRIALS):
        ad = publish(" ".join(family(number)))
        hold(ad)
        both_at_once([lambda: release(ad), lambda: Ad.objects.filter(pk=ad.pk).delete()])
        assert not Ad.objects.filter(pk=ad.pk).exists()
    drain()
    assert not Hold.objects.exists()

"""Two people at once: one of them decides, the other is told."""

import threading

import pytest
from django.db import connections

from django_neardup.exceptions import Conflict
from django_neardup.models import Document, MergeRecord, Space
from django_neardup.moderation import ActionContext, delete, merge
from tests.testapp.models import Ad, Comment

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*functions):
    """Run them in threads that start together; what each returned, or the conflict it met. Other errors are raised."""
    barrier, found = threading.Barrier(len(functions)), [None] * len(functions)

    def run(place, function):
        barrier.wait()
        try:
            found[place] = function()
        except Exception as error:
            found[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in found:
        if isinstance(each, Exception) and not isinstance(each, Conflict):
            raise each
    return found


@pytest.mark.parametrize("round_", range(5))
@pytest.mark.parametrize("in_a_space", [True, False])
def test_two_merges_of_one_post(in_a_space, round_):
    first, second, loser = (Ad.objects.create(text=text) for text in ("first", "second", "loser"))
    comment = Comment.objects.create(ad=loser, text="c")
    if in_a_space:
        Document.objects.update(space=Space.objects.create(digest="s", profile="default"))

    found = at_once(
        lambda: merge(first, [loser], ActionContext()), lambda: merge(second, [loser], ActionContext())
    )

    comment.refresh_from_db()
    assert sum(isinstance(each, Conflict) for each in found) == 1
    winner = second if isinstance(found[0], Conflict) else first
    assert comment.ad == winner
    assert MergeRecord.objects.get().keeper_id == str(winner.pk)


@pytest.mark.parametrize("round_", range(5))
def test_a_merge_and_a_deletion_of_its_keeper(round_):
    keeper, loser = (Ad.objects.create(text=text) for text in ("keeper", "loser"))
    Comment.objects.create(ad=loser, text="c")
    Document.objects.update(space=Space.objects.create(digest="s", profile="default"))

    found = at_once(
        lambda: merge(keeper, [loser], ActionContext()), lambda: delete([keeper], ActionContext())
    )

    if isinstance(found[0], Conflict):
        assert list(Ad.objects.all()) == [loser]
        assert Comment.objects.get().ad == loser
    else:
        assert not Ad.objects.filter(pk=loser.pk).exists()
        assert Comment.objects.count() == Ad.objects.filter(pk=keeper.pk).count()

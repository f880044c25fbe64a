"""Two people at once, one of whom takes back."""

import pytest

from django_neardup.exceptions import Conflict
from django_neardup.models import Document, MergeRecord, Space
from django_neardup.moderation import ActionContext, merge
from django_neardup.moderation.undo.restore import undo
from tests.moderation.test_races import at_once
from tests.moderation.tools import run
from tests.testapp.models import Ad, Comment

pytestmark = pytest.mark.django_db(transaction=True)


def a_merge(in_a_space):
    keeper, loser, other = (Ad.objects.create(text=text) for text in ("keeper", "loser", "other"))
    comment = Comment.objects.create(ad=loser, text="c")
    if in_a_space:
        Document.objects.update(space=Space.objects.create(digest="s", profile="default"))
    (record,) = run(keeper, loser)
    return record, keeper, loser, other, comment


@pytest.mark.parametrize("round_", range(3))
@pytest.mark.parametrize("in_a_space", [True, False])
def test_two_undos_of_one_merge(in_a_space, round_):
    record, _keeper, loser, _other, comment = a_merge(in_a_space)

    found = at_once(*[lambda: undo(record, None, "default")] * 2)

    comment.refresh_from_db()
    assert sum(isinstance(each, Conflict) for each in found) == 1
    assert comment.ad == loser
    assert MergeRecord.objects.get().undone


@pytest.mark.parametrize("round_", range(3))
def test_an_undo_and_a_merge_of_the_keeper(round_):
    record, keeper, loser, other, comment = a_merge(in_a_space=True)

    found = at_once(lambda: undo(record, None, "default"), lambda: merge(other, [keeper], ActionContext()))

    assert not any(isinstance(each, Conflict) for each in found)
    comment.refresh_from_db()
    assert comment.ad == loser
    assert set(Ad.objects.all()) == {loser, other}
    undo(MergeRecord.objects.get(undone=None), None, "default")
    assert set(Ad.objects.all()) == {loser, other, keeper}
    comment.refresh_from_db()
    assert comment.ad == loser

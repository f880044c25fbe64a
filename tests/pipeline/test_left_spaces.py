"""A post has left its space, and its own turn has not come yet: nothing of it is shown or stored there."""

from __future__ import annotations

import pytest

import django_neardup as neardup
from django_neardup.models import Pair
from django_neardup.pipeline import drain
from tests.pipeline.helpers import SOFA, SOFA_EDITED, cluster, document, work
from tests.testapp.models import ScopedPost

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

FOUND = {
    "find_similar": lambda post: neardup.find_similar(post),
    "check_many": lambda post: neardup.check_many([post], ScopedPost)[0].matches,
}


@pytest.mark.parametrize("find", FOUND.values(), ids=FOUND)
@pytest.mark.parametrize(
    "text", [SOFA, SOFA_EDITED, f"{SOFA} Торг."], ids=["an exact copy", "edited", "longer"]
)
def test_a_look_up_does_not_find_it(find, text):
    """An exact copy and edited ones: of copies the texts are not aligned."""
    stays, moves = (ScopedPost.objects.create(site=1, text=SOFA) for _ in range(2))
    work()
    item = ScopedPost(site=1, text=text)
    assert {match.object.pk for match in find(item)} == {stays.pk, moves.pk}
    moves.site = 2
    moves.save()
    assert {match.object.pk for match in find(item)} == {stays.pk}
    # An edit alone is no reason to leave a post out.
    stays.text = f"{SOFA} Срочно."
    stays.save()
    assert {match.object.pk for match in find(item)} == {stays.pk}


def test_its_new_words_are_no_evidence():
    moved = ScopedPost.objects.create(site=1, text=SOFA)
    work()
    words = SOFA_EDITED.replace("диван", "диван-тайнабета")
    ScopedPost.objects.filter(pk=moved.pk).update(site=2, text=words)
    copy = ScopedPost.objects.create(site=1, text=f"{SOFA} Торг.")
    drain(limit=1)
    assert not Pair.objects.exists() and document(moved).recheck
    work()
    assert document(moved).space_id != document(copy).space_id
    assert not Pair.objects.exists() and cluster(copy) is None


def test_an_edited_candidate_is_evidence():
    """The control: it was edited without a mark, and stays in the space."""
    edited = ScopedPost.objects.create(site=1, text=SOFA)
    work()
    ScopedPost.objects.filter(pk=edited.pk).update(text=SOFA_EDITED.replace("диван", "диван-тайнабета"))
    ScopedPost.objects.create(site=1, text=f"{SOFA} Торг.")
    drain(limit=1)
    assert "тайнабета" in str(Pair.objects.get().evidence)

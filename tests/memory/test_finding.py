"""``find_similar`` before publication: one's own deleted posts, and others' that were shown."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import django_neardup as neardup
from tests.memory.helpers import deleted
from tests.pipeline.helpers import PIANO, PILES, SOFA, SOFA_EDITED, post, work
from tests.testapp.models import Ad, Author

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])


def said(text, **more):
    """Of each deleted post that is found: whether it is exact, and one's own."""
    matches = neardup.find_similar(text, Ad, **more)
    assert all((each.object is None) == (each.deleted is not None) for each in matches)
    return [(each.verdict, each.exact, each.own) for each in matches if each.object is None]


@pytest.fixture
def author(memory):
    return Author.objects.create(name="Анна")


def test_ones_own_deleted_post_is_found(author):
    deleted(SOFA, author=author)
    (match,) = neardup.find_similar(SOFA, Ad, author=author)
    assert (match.object, match.url, match.title, match.hints) == (None, "", "", [])
    assert match.own and match.exact and abs((match.deleted - timezone.now()).total_seconds()) < 300
    assert said(SOFA_EDITED, author=author, visible=Ad.objects.none()) == [("related", False, True)]
    assert said(PIANO, author=author) == []
    assert said(Ad(text=SOFA, author=author)) == [("duplicate", True, True)]


def test_others_are_told_only_where_all_may_be_seen(author):
    deleted(SOFA, author=author)
    for by in (None, 10**6):
        assert said(SOFA, author=by) == [("duplicate", True, False)]
        assert said(SOFA, author=by, visible=Ad.objects.all()) == []


def test_what_was_hidden_when_it_was_deleted_is_its_authors_own_affair(author):
    deleted(SOFA, author=author, published=False)
    assert said(SOFA) == [] and said(SOFA, author=author) == [("duplicate", True, True)]


def test_another_model_number_is_another_advert(author):
    deleted(PILES.format("С140.35"))
    assert said(PILES.format("С90.30")) == [] and said("Срочно! " + PILES.format("С140.35"))


def test_living_ones_come_first_and_the_likest_deleted_one_is_enough(author):
    deleted(SOFA_EDITED, author=author), deleted(SOFA, author=author), deleted(SOFA)
    here = post(SOFA)
    work()
    found = neardup.find_similar(SOFA, Ad, author=author)
    assert [each.object for each in found] == [here, None, None]
    assert [(each.exact, each.own) for each in found[1:]] == [(True, True), (True, False)]
    assert [each.object for each in neardup.find_similar(SOFA, Ad, author=author, limit=1)] == [here]


def test_a_batch_finds_them_too(author):
    deleted(SOFA, author=author)
    one, two = neardup.check_many([SOFA, PIANO], Ad, author=author)
    assert [each.own for each in one.matches] == [True] and two.matches == []


def test_nothing_is_asked_where_nothing_is_remembered(author, memory):
    deleted(SOFA)
    memory(0)
    with CaptureQueriesContext(connection) as queries:
        assert said(SOFA) == []
    assert not [query for query in queries if "forget_at" in query["sql"]]

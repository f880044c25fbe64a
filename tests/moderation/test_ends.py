"""Where merges lead, whichever of its models a post was merged as."""

from itertools import product

import pytest

from django_neardup import registry
from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.moderation.final_keepers import find_final_keepers
from django_neardup.moderation.undo.restore import undo
from tests.testapp.models import Article, LongArticle
from tests.testapp.neardup import ArticleNeardup, NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db
TITLES = "abcd"


class Hidden(ArticleNeardup):
    def hide(self, article):
        """The tests look at the record alone."""

    show = hide


def articles():
    for text in TITLES:
        LongArticle.objects.create(text=text)
    return Article, LongArticle


def notices():
    """Each child's own key is another post's."""
    made = [Notice.objects.create(text=text) for text in TITLES]
    for place, notice in enumerate(made):
        Bulletin(number=made[place - 1].pk, notice=notice, text=notice.text).save()
    return Notice, Bulletin


@pytest.fixture(params=[articles, notices], ids=["its parent's key", "a key of its own"])
def models(request, monkeypatch):
    """A parent and a child, as either of which posts are merged."""
    monkeypatch.setitem(registry._registry, Article, Hidden(Article))
    monkeypatch.setitem(registry._registry, Notice, NoticeNeardup(Notice))
    return request.param()


def merged(model, keeper, loser):
    (record,) = merge(model.objects.get(text=keeper), [model.objects.get(text=loser)], ActionContext())
    return record


def texts_of(*records):
    """The texts of the posts that they lead to."""
    rows = MergeRecord.objects.filter(pk__in=[each.pk for each in records])
    ends = find_final_keepers(rows, "default")
    return [model.objects.get(pk=key).text for model, key in (ends[each.pk] for each in records)]


@pytest.mark.parametrize("way", [*product([0, 1], repeat=3)], ids=str)
def test_a_chain_is_followed_by_whichever_model_its_merges_name(way, models):
    first, second, third = (models[place] for place in way)
    one, two, three = merged(first, "b", "a"), merged(second, "c", "b"), merged(third, "d", "c")
    assert texts_of(one, two, three) == ["d", "d", "d"]
    undo(three, None, "default")
    assert texts_of(one, two) == ["c", "c"]


@pytest.mark.parametrize("way", [*product([0, 1], repeat=2)], ids=str)
def test_a_keeper_that_was_deleted_is_nowhere(way, models):
    first, second = (models[place] for place in way)
    record = merged(first, "b", "a")
    delete([second.objects.get(text="b")], ActionContext())
    assert not find_final_keepers([record], "default")


def test_a_keeper_that_was_hidden_is_still_the_end(models):
    record = merged(models[1], "b", "a")
    hide([models[0].objects.get(text="b")], ActionContext())
    assert texts_of(record) == ["b"]


def test_a_query_a_link(models, django_assert_max_num_queries):
    parent, child = models
    rows = [merged(parent, "b", "a"), merged(child, "d", "c"), merged(parent, "d", "b")]
    find_final_keepers(rows, "default")  # content types are remembered
    with django_assert_max_num_queries(5):
        found = find_final_keepers(rows, "default")
    assert len(set(found.values())) == 1 and len(found) == 3

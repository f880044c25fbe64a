"""The page of a merged post's similar ones leads to that of the post it is part of now."""

import pytest
from django.urls import reverse

from django_neardup import registry
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.moderation.undo.restore import undo
from tests.testapp.models import Ad, Unregistered
from tests.testapp.neardup import NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]


def ads(number):
    return [Ad.objects.create(title="Диван", text="Продаю угловой диван") for _ in range(number)]


def address(model, key):
    return reverse("neardup:similar", args=[model._meta.label_lower, str(key)])


def asked(client, model, key):
    """The address that the answer leads to; its status where it leads nowhere."""
    answer = client.get(address(model, key))
    return answer.headers["Location"] if answer.status_code == 302 else answer.status_code


def test_a_merged_post_leads_to_its_keeper_and_an_undo_ends_that(client):
    keeper, loser = ads(2)
    key = loser.pk
    (record,) = merge(keeper, [loser], ActionContext())
    assert asked(client, Ad, key) == address(Ad, keeper.pk) and asked(client, Ad, keeper.pk) == 200
    assert client.get(address(Ad, key)).headers["X-Robots-Tag"] == "noindex"
    undo(record, None, "default")
    assert asked(client, Ad, key) == 200


def test_however_often_the_keeper_was_merged_on(client):
    last, middle, first = ads(3)
    keys = middle.pk, first.pk
    merge(middle, [first], ActionContext())
    merge(last, [middle], ActionContext())
    assert [asked(client, Ad, key) for key in keys] == [address(Ad, last.pk)] * 2


def test_a_keeper_that_the_visitor_may_not_see_is_not_told(client):
    keeper, loser = ads(2)
    key = loser.pk
    merge(keeper, [loser], ActionContext())
    hide([keeper], ActionContext())
    assert asked(client, Ad, key) == 404


def test_a_deleted_post_leads_nowhere(client):
    _keeper, loser = ads(2)
    key = loser.pk
    delete([loser], ActionContext())
    assert asked(client, Ad, key) == 404


def test_a_child_with_a_key_of_its_own_is_known_by_its_parents(client, monkeypatch):
    monkeypatch.setitem(registry._registry, Notice, NoticeNeardup(Notice))
    Notice.objects.create(text="ничего")  # so that the keys of the two differ
    keeper, loser = (Bulletin.objects.create(text="Продаю угловой диван") for _ in range(2))
    keys = keeper.notice_id, loser.notice_id
    merge(keeper, [loser], ActionContext())
    assert asked(client, Notice, keys[1]) == address(Notice, keys[0])


@pytest.mark.parametrize("key", ["0", "x", "-1", "9" * 40, "1.0", "\0"])
def test_what_was_never_there_leads_nowhere(client, key):
    assert asked(client, Ad, key) == 404


def test_what_is_not_ours_leads_nowhere(client):
    assert asked(client, Unregistered, 1) == 404

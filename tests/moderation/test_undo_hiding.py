"""Undo of a hiding: a post is shown if it was published before, and with the last of its hidings."""

from itertools import permutations

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from django_neardup import registry
from django_neardup.models import Document, Space
from django_neardup.moderation import ActionContext, hide, merge, plan_undo, undo_batch
from django_neardup.moderation.undo.restore import _spaces, undo
from django_neardup.pipeline import drain, mark
from tests.admin.tools import told
from tests.moderation.test_races import at_once
from tests.moderation.tools import site, undone
from tests.pipeline.helpers import SOFA
from tests.testapp.models import Ad
from tests.testapp.neardup import NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db

UNPUBLISHED = "The post was not published before it was hidden: it stays unchanged."
AGAIN = "The post was hidden again since: it is shown when that is undone, too."


def published():
    return list(Ad.objects.filter(published=True).order_by("pk").values_list("text", flat=True))


def test_a_draft_stays_one():
    ads = Ad.objects.create(text="draft", published=False), Ad.objects.create(text="one")
    before = site()

    records = undone(*hide(ads, ActionContext()))

    assert site() == before
    assert [record.left for record in records] == [[UNPUBLISHED], []]


def test_what_is_unpublished_costs_one_query_a_model(django_assert_num_queries):
    from django_neardup.moderation.actions import _live_posts

    ads = [Ad.objects.create(text=text, published=text != "draft") for text in ("draft", "one", "two")]

    with django_assert_num_queries(1):
        assert _live_posts(ads, "default") == set(ads[1:])


def test_a_post_of_an_earlier_batch_stays_hidden():
    ads = Ad.objects.create(text="one"), Ad.objects.create(text="two")
    (first,), second = hide(ads[:1], ActionContext()), hide(ads, ActionContext())

    undo_batch(second[0].batch, None, "default")
    assert published() == ["two"]

    undo_batch(first.batch, None, "default")
    assert published() == ["one", "two"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_last_of_its_hidings_shows_it(order):
    ad = Ad.objects.create(text="one")
    records = [record for _ in range(3) for record in hide([ad], ActionContext())]

    shown = []
    for number in order:
        undone(records[number])
        shown.append(published())

    assert shown == [[], [], ["one"]]


def test_a_draft_that_is_hidden_twice_stays_one():
    ad = Ad.objects.create(text="draft", published=False)
    records = [*hide([ad], ActionContext()), *hide([ad], ActionContext())]

    found = undone(*records)

    assert published() == []
    assert [record.left for record in found] == [[UNPUBLISHED], [UNPUBLISHED]]


def test_what_somebody_published_in_between_is_shown():
    ad = Ad.objects.create(text="draft", published=False)
    (first,) = hide([ad], ActionContext())
    Ad.objects.update(published=True)
    (second,) = hide([ad], ActionContext())

    undone(first)
    assert published() == []
    undone(second)
    assert published() == ["draft"]


def test_a_record_of_before_shows_its_post():
    (record,) = hide([Ad.objects.create(text="one")], ActionContext())
    del record.journal["shown"]
    record.save()

    undone(record)

    assert published() == ["one"]


def test_the_plan_says_which():
    one, draft = Ad.objects.create(text="one"), Ad.objects.create(text="draft", published=False)
    first, third = hide([one, draft], ActionContext())
    (second,) = hide([one], ActionContext())

    plans = [plan_undo(record, "default") for record in (first, second, third)]

    assert [(plan.should_show, plan.left_messages) for plan in plans] == [
        (False, [AGAIN]),
        (False, [UNPUBLISHED]),
        (False, [UNPUBLISHED]),
    ]
    assert plans[0].later_hide_record == second


@pytest.mark.django_db(databases=["default", "other"])
def test_in_another_database():
    ads = [Ad.objects.using("other").create(text=text, published=text == "one") for text in ("one", "draft")]
    before = site("other"), site()

    undone(*hide(ads, ActionContext(using="other")), using="other")

    assert (site("other"), site()) == before


def test_the_history_says_whether_it_is_shown():
    user = get_user_model().objects.create_superuser("root")
    ads = Ad.objects.create(text="one"), Ad.objects.create(text="draft", published=False)

    undone(*hide(ads, ActionContext(user=user)), by=user)

    said = user.logentry_set.order_by("pk").values_list("change_message", flat=True)
    assert list(said)[2:] == [
        "Shown again: the hiding as a near-duplicate was undone. [neardup]",
        "The hiding as a near-duplicate was undone; the post stays unchanged. [neardup]",
    ]


def test_the_page_says_so_before_and_after(admin_client):
    (record,) = hide([Ad.objects.create(text="draft", published=False)], ActionContext())
    url = reverse("admin:neardup_mergerecord_undo", args=[record.batch])
    page = admin_client.get(url).content.decode()
    assert UNPUBLISHED in page
    assert "The post is shown again." not in page

    answer = admin_client.post(url, {"record": record.pk})

    assert told(answer) == ["Undone: 1 post.", "1 post was not shown again: the reason is below."]
    assert UNPUBLISHED in admin_client.get(url).content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(3))
@pytest.mark.parametrize("in_a_space", [True, False])
def test_two_undone_at_once_show_it(in_a_space, round_):
    ad = Ad.objects.create(text="one")
    if in_a_space:
        Document.objects.update(space=Space.objects.create(digest="s", profile="default"))
    first, second = [*hide([ad], ActionContext()), *hide([ad], ActionContext())]

    found = at_once(*(lambda record=record: undo(record, None, "default") for record in (first, second)))

    assert [each.pk for each in found] == [first.pk, second.pk]
    assert published() == ["one"]


@pytest.mark.parametrize("by", [0, 7])
@pytest.mark.parametrize("first", [Notice, Bulletin])
def test_a_hiding_of_the_post_as_a_child_counts(first, by, monkeypatch):
    monkeypatch.setitem(registry._registry, Notice, NoticeNeardup(Notice))
    notice = Notice.objects.create(text="one")
    child = Bulletin(number=notice.pk + by, notice=notice)
    child.save_base(raw=True)
    again = Bulletin if first is Notice else Notice
    (record,), _second = (hide([model.objects.get()], ActionContext()) for model in (first, again))

    assert undone(record)[0].left == [AGAIN]
    assert not Notice.objects.get().published


def test_the_locks_of_a_child_with_a_key_of_its_own_are_its_parents(monkeypatch):
    monkeypatch.setitem(registry._registry, Notice, NoticeNeardup(Notice))
    keeper, loser = (Bulletin.objects.create(number=77 + city, text=SOFA, city=city) for city in (1, 2))
    mark(keeper), mark(loser)
    drain()
    spaces = set(Document.objects.values_list("space", flat=True))

    (record,) = merge(keeper, [loser], ActionContext())

    assert len(spaces) == 2 and _spaces(record, "default") == spaces

"""Undo through later merges, whichever is undone first."""

from datetime import date
from itertools import permutations, product

import pytest
from django.db.models.signals import post_delete

from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from tests.moderation.population import CLASHING, surround
from tests.moderation.tools import pieces, run, site, undone
from tests.testapp import zoo
from tests.testapp.models import Note
from tests.testapp.offers import Click, Offer, Promotion
from tests.testapp.zoo import Bulletin, Group, Notice, Person, Piece

pytestmark = pytest.mark.django_db


def a_chain(shared="", choice="loser"):
    """``one`` merged into ``two``, ``two`` into ``three``: the tables before, and both records."""
    posts = one, two, three = pieces("one", "two", "three")
    for post in posts if shared else [one, two]:
        surround(post, shared)
    Piece.objects.filter(pk=two.pk).update(parent=one)
    before = site()
    choices = dict.fromkeys(CLASHING, choice)
    first = merge(two, [one], ActionContext(), choices=choices)
    second = merge(three, [two], ActionContext(), choices=choices)
    return before, posts, [*first, *second]


@pytest.mark.parametrize("choice", ["keeper", "loser"])
@pytest.mark.parametrize("shared", ["", "x"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_orders_lead_back(order, shared, choice):
    before, _posts, records = a_chain(shared, choice)

    for number in order:
        undone(records[number])

    assert site() == before


def test_the_first_comes_back_with_what_was_its_own():
    one, two, three = pieces("one", "two", "three")
    rows = [zoo.Cascading.objects.create(piece=piece) for piece in (one, two, three)]
    (first,), (second,) = run(two, one), run(three, two)

    undone(first)
    assert [row.piece_id for row in zoo.Cascading.objects.order_by("pk")] == [one.pk, three.pk, three.pk]
    (second,) = undone(second)

    assert [row.piece_id for row in zoo.Cascading.objects.order_by("pk")] == [one.pk, two.pk, three.pk]
    assert second.left == []
    assert len(rows) == 3


def test_a_second_merge_of_what_came_back_is_another_matter():
    one, two, three = pieces("one", "two", "three")
    row = zoo.Cascading.objects.create(piece=one)
    (first,), (second,) = run(two, one), run(three, two)
    undone(first)
    (third,) = run(three, one)

    undone(second)
    row.refresh_from_db()
    assert row.piece_id == three.pk
    undone(third)

    row.refresh_from_db()
    assert row.piece_id == one.pk


def test_a_link_that_a_later_merge_dropped_comes_back():
    one, two, three = pieces("one", "two", "three")
    group = Group.objects.create(name="g")
    one.groups.add(group), three.groups.add(group)
    (first,), (second,) = run(two, one), run(three, two)

    undone(first)
    assert set(group.piece_set.all()) == {one, three}
    undone(second)

    assert set(group.piece_set.all()) == {one, three}


def test_a_value_of_a_keeper_that_was_merged_itself_comes_back_with_it():
    one, two, three = (Piece.objects.create(code=code, text=code) for code in ("one", "two", "three"))
    before = site()
    (first,) = merge(two, [one], ActionContext(), values={"text": one.pk})
    (second,) = run(three, two)

    undone(first)
    assert Piece.objects.get(pk=one.pk).text == "one"
    undone(second)

    assert site() == before


def test_what_fell_with_a_deleted_keeper_comes_back_with_its_own_post():
    one, two = pieces("one", "two")
    passport = zoo.Passport.objects.create(piece=one, number="7")
    zoo.Stamp.objects.create(passport=passport), zoo.Cascading.objects.create(piece=two)
    zoo.Nulling.objects.create(piece=one), zoo.Nulling.objects.create(piece=two)
    before = site()
    (first,) = run(two, one)
    (second,) = delete([two], ActionContext())

    (first,) = undone(first)
    assert zoo.Passport.objects.get().pk == one.pk
    assert zoo.Stamp.objects.get().passport_id == one.pk
    assert not zoo.Cascading.objects.exists()
    assert first.left == []
    undone(second)

    assert site() == before


def test_what_comes_back_points_at_the_post_that_its_target_was_merged_into():
    parent, heir, keeper, child = pieces("parent", "heir", "keeper", "child")
    Piece.objects.filter(pk=child.pk).update(parent=parent)
    before = site()
    (first,), (second,) = run(keeper, child), run(heir, parent)

    (first,) = undone(first)
    assert Piece.objects.get(pk=child.pk).parent == heir
    assert len(first.left) == 1
    undone(second)

    assert site() == before


def test_what_comes_back_points_at_nothing_until_its_target_does():
    parent, child = pieces("parent", "child")
    Piece.objects.filter(pk=child.pk).update(parent=parent)
    before = site()
    (first,), (second,) = delete([child], ActionContext()), delete([parent], ActionContext())

    (first,) = undone(first)
    assert Piece.objects.get(pk=child.pk).parent is None
    assert first.left == [
        f"Piece, parent №\xa0{child.pk}: its target no longer exists, the reference stays empty."
    ]
    undone(second)

    assert site() == before


def test_a_row_that_moved_and_was_merged_itself():
    parent, keeper, child, other = pieces("parent", "keeper", "child", "other")
    Piece.objects.filter(pk=child.pk).update(parent=parent)
    before = site()
    (first,), (second,) = run(keeper, parent), run(other, child)

    (first,) = undone(first)
    assert first.left == []
    undone(second)

    assert site() == before


def test_edits_between_two_merges_are_kept():
    one, two, three, four = pieces("one", "two", "three", "four")
    row = zoo.Cascading.objects.create(piece=one)
    (first,) = run(two, one)
    zoo.Cascading.objects.update(piece=four)
    (second,) = run(three, two)

    for record in undone(first, second):
        assert len(record.left) == (1 if record.pk == first.pk else 0)

    row.refresh_from_db()
    assert row.piece_id == four.pk


def test_a_keeper_that_others_were_merged_into_is_not_disturbed():
    keeper, one, two = pieces("keeper", "one", "two")
    for post in (one, two):
        zoo.Rating.objects.create(piece=post, person=Person.objects.create(name=post.code))
    before = site()
    (first,), (second,) = run(keeper, one), run(keeper, two)

    undone(first)
    assert set(zoo.Rating.objects.values_list("piece", flat=True)) == {one.pk, keeper.pk}
    undone(second)

    assert site() == before
    assert not MergeRecord.objects.filter(undone=None).exists()


@pytest.mark.parametrize("second", [Notice, Bulletin])
@pytest.mark.parametrize("first", [Notice, Bulletin])
class TestChildrenWithKeysOfTheirOwn:
    """Posts that are merged and deleted by whichever of their models."""

    @pytest.fixture(autouse=True)
    def bulletins(self):
        """Each one's number is another's key as its parent's post; the last one is about the first."""
        notices = [Notice.objects.create(text=text) for text in ("one", "two", "three", "four")]
        for place, notice in enumerate(notices):
            about = notices[0] if place == 3 else None
            Bulletin(number=notices[place - 1].pk, notice=notice, text=notice.text, about=about).save()
            Note.objects.create(target=notice, text=notice.text)

    @staticmethod
    def merged(loser, keeper, model):
        return merge(model.objects.get(text=keeper), [model.objects.get(text=loser)], ActionContext())[0]

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_both_orders_lead_back(self, order, first, second):
        before = site()
        records = [self.merged("one", "two", first), self.merged("two", "three", second)]

        for number in order:
            assert undone(records[number])[0].left == []

        assert site() == before

    def test_what_comes_back_points_at_the_post_that_its_target_was_merged_into(self, first, second):
        before = site()
        (gone,) = delete([second.objects.get(text="four")], ActionContext())
        merges = [self.merged("one", "two", first), self.merged("two", "three", second)]

        undone(gone)
        assert Notice.objects.get(text="four").about == Notice.objects.get(text="three")
        undone(*merges)

        assert site() == before

    def test_what_was_deleted_since_comes_back_as_it_was_before_the_merge(self, first, second):
        before = site()
        merged = self.merged("one", "two", first)
        (gone,) = delete([second.objects.get(text="four")], ActionContext())

        assert undone(merged)[0].left == []
        undone(gone)

        assert site() == before


def test_a_row_whose_place_a_later_merge_has_filled_comes_back_with_that_one():
    keeper, one, two = offers = [Offer.objects.create(title=title) for title in ("keeper", "one", "two")]
    for day, offer in enumerate(offers, 1):
        Promotion.objects.create(offer=offer, until=date(2026, 12, day))
    before = site()
    (first,), (second,) = (_merged_with_its_own(keeper, loser) for loser in (one, two))

    (first,) = undone(first)
    assert [words for words in first.left if "is restored together with its owner" in words]
    assert Promotion.objects.get(offer=keeper).until.day == 3
    undone(second)

    assert site() == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_row_whose_owner_a_later_deletion_took_along_comes_back_with_it(order, listen):
    """The owner was no row of the post: a receiver has deleted it."""
    person = Person.objects.create(name="both")
    one, two = pieces("one", "two")
    zoo.Opinion.objects.create(piece=one, person=person, choice=Group.objects.create(name="g"))
    before = site()
    (first,) = delete([one], ActionContext())
    listen(post_delete, lambda sender, **kwargs: Person.objects.filter(pk=person.pk).delete(), Piece)
    (second,) = delete([two], ActionContext())
    records = [first, second]

    for number in order:
        undone(records[number])

    assert site() == before


def _merged_with_its_own(keeper, loser):
    """Of rows that claim one place the loser's stay."""
    clashes = plan_merge(keeper, [loser], "default").conflicts
    return merge(keeper, [loser], ActionContext(), choices={clash.choice_key: "loser" for clash in clashes})


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=str)
def test_rows_of_one_place_go_back_in_any_order(order):
    keeper, *losers = offers = [
        Offer.objects.create(title=title) for title in ("keeper", "one", "two", "three")
    ]
    for day, offer in enumerate(offers, 1):
        Click.objects.create(promotion=Promotion.objects.create(offer=offer, until=date(2026, 12, day)))
    before = site()
    records = [_merged_with_its_own(keeper, loser)[0] for loser in losers]

    for number in order:
        undone(records[number])
        there = {promotion.offer_id: promotion.until.day for promotion in Promotion.objects.all()}
        assert all(there[offer.pk] == day for day, offer in enumerate(losers, 2) if offer.pk in there)
        assert keeper.pk in there

    assert site() == before


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=str)
def test_values_of_one_keeper_go_back_in_any_order(order):
    keeper, *losers = (Piece.objects.create(code=code, text=code) for code in "kabc")
    before = site()
    records = [merge(keeper, [loser], ActionContext(), values={"text": loser.pk})[0] for loser in losers]
    standing = ["k", "a", "b", "c"]

    for number in order:
        (record,) = undone(records[number])
        assert any("set by a later merge" in words for words in record.left) == (
            standing[-1] != "abc"[number]
        )
        standing.remove("abc"[number])
        assert Piece.objects.get(pk=keeper.pk).text == standing[-1]

    assert site() == before


@pytest.mark.parametrize("models", [*product([Notice, Bulletin], repeat=2)])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
def test_a_value_goes_back_by_whichever_model_the_keeper_was_merged(models, order):
    keys = {text: Bulletin.objects.create(text=text, city=city).notice_id for city, text in enumerate("kab")}
    before = site()
    records = []
    for model, text in zip(models, "ab", strict=True):
        keeper, loser = (_as(model, keys[name]) for name in ("k", text))
        records += merge(keeper, [loser], ActionContext(), values={"city": loser.pk})

    undone(records[order[0]])
    assert Notice.objects.get(pk=keys["k"]).city == [2, 1][order[0]]
    undone(records[order[1]])

    assert site() == before


def _as(model, key):
    return model.objects.get(**{"pk" if model is Notice else "notice": key})

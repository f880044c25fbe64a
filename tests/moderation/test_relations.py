"""Every kind of relation comes to the keeper."""

import pytest
from django.contrib.contenttypes.models import ContentType

from django_neardup.moderation.relations import rows_of
from tests.moderation.tools import kind, pieces, run
from tests.testapp import zoo
from tests.testapp.models import Article, LongArticle
from tests.testapp.zoo import Group, Person, Piece

pytestmark = pytest.mark.django_db

COLUMNS = [
    zoo.Cascading, zoo.Protecting, zoo.Restricting, zoo.Nulling, zoo.Defaulting, zoo.Careless, zoo.ByCode, zoo.Single,
    zoo.Boost,
]  # fmt: skip


@pytest.mark.parametrize("model", COLUMNS, ids=lambda model: model.__name__)
def test_a_column_is_moved_whatever_its_deletion_would_do(model):
    keeper, loser, other = pieces("keeper", "loser", "other")
    row, alien = model.objects.create(piece=loser), model.objects.create(piece=other)

    run(keeper, loser)

    assert model.objects.get(pk=row.pk).piece == keeper
    assert model.objects.get(pk=alien.pk).piece == other
    assert not Piece.objects.filter(pk=loser.pk).exists()


def test_rows_of_several_losers_come_together():
    keeper, one, two = pieces("keeper", "one", "two")
    rows = [zoo.Cascading.objects.create(piece=piece) for piece in (one, two, two, keeper)]

    run(keeper, one, two)

    assert zoo.Cascading.objects.filter(piece=keeper).count() == len(rows)
    assert list(Piece.objects.all()) == [keeper]


def test_forward_and_reverse_many_to_many_are_joined():
    keeper, loser = pieces("keeper", "loser")
    shared, own = Group.objects.create(name="shared"), Group.objects.create(name="own")
    keeper.groups.add(shared)
    loser.groups.add(shared, own)

    run(keeper, loser)

    assert set(keeper.groups.all()) == {shared, own}
    assert Piece.groups.through.objects.count() == 2


def test_many_to_many_with_oneself_never_joins_the_keeper_with_itself():
    keeper, loser, friend = pieces("keeper", "loser", "friend")
    keeper.friends.add(loser, friend)
    loser.friends.add(friend)
    loser.follows.add(keeper, friend)
    friend.follows.add(loser)

    run(keeper, loser)

    assert list(keeper.friends.all()) == [friend]
    assert list(friend.friends.all()) == [keeper]
    assert list(keeper.follows.all()) == [friend]
    assert list(friend.follows.all()) == [keeper]


def test_a_through_row_that_the_keeper_has_already_goes():
    keeper, loser = pieces("keeper", "loser")
    shared, own = zoo.Shelf.objects.create(), zoo.Shelf.objects.create()
    kept = zoo.ShelfItem.objects.create(shelf=shared, piece=keeper, place=1)
    zoo.ShelfItem.objects.create(shelf=shared, piece=loser, place=2)
    moved = zoo.ShelfItem.objects.create(shelf=own, piece=loser, place=3)

    record = run(keeper, loser)[0]

    assert list(zoo.ShelfItem.objects.order_by("pk").values_list("pk", "piece")) == [
        (kept.pk, keeper.pk),
        (moved.pk, keeper.pk),
    ]
    assert {"shelf": shared.pk, "piece": loser.pk, "place": 2} in [
        row["fields"] for row in record.journal["rows"]
    ]


def test_a_through_table_that_may_hold_a_piece_twice_loses_nothing():
    keeper, loser = pieces("keeper", "loser")
    basket = zoo.Basket.objects.create()
    zoo.BasketItem.objects.create(basket=basket, piece=keeper, count=1)
    zoo.BasketItem.objects.create(basket=basket, piece=loser, count=5)
    zoo.BasketItem.objects.create(basket=basket, piece=loser, count=1)

    run(keeper, loser)

    rows = zoo.BasketItem.objects.filter(piece=keeper).order_by("count").values_list("count", flat=True)
    assert list(rows) == [1, 5]


def test_references_to_oneself_move_and_the_keepers_own_is_emptied():
    keeper, loser, child = pieces("keeper", "loser", "child")
    Piece.objects.filter(pk=child.pk).update(parent=loser, twin=loser)
    Piece.objects.filter(pk=keeper.pk).update(parent=loser)

    run(keeper, loser)

    child.refresh_from_db(), keeper.refresh_from_db()
    assert child.parent == child.twin == keeper
    assert keeper.parent is None


def test_losers_that_point_at_one_another_go_together():
    keeper, one, two = pieces("keeper", "one", "two")
    Piece.objects.filter(pk=two.pk).update(parent=one, twin=one)
    Piece.objects.filter(pk=one.pk).update(parent=one)

    run(keeper, one, two)

    assert list(Piece.objects.all()) == [keeper]


def test_generic_references_move_with_and_without_a_generic_relation():
    keeper, loser = pieces("keeper", "loser")
    person = Person.objects.create(name="a")
    remark = zoo.Remark.objects.create(about=loser)
    alien = zoo.Remark.objects.create(kind=kind(Person), key=str(loser.pk))
    vote = zoo.Vote.objects.create(about=zoo.PieceProxy.objects.get(pk=loser.pk), person=person)

    run(keeper, loser)

    assert zoo.Remark.objects.get(pk=remark.pk).about == keeper
    assert zoo.Remark.objects.get(pk=alien.pk).key == str(loser.pk)
    vote.refresh_from_db()
    assert (vote.object_id, vote.content_type) == (keeper.pk, kind(zoo.PieceProxy, for_concrete_model=False))


def test_looking_for_generic_references_makes_no_content_types():
    keeper, loser = pieces("keeper", "loser")
    kind(Piece)
    ContentType.objects.filter(app_label="testapp", model="pieceproxy").delete()

    run(keeper, loser)

    assert not ContentType.objects.filter(app_label="testapp", model="pieceproxy").exists()


def test_a_row_whose_key_is_the_posts_gets_the_keepers_key_and_takes_along_what_points_at_it():
    keeper, loser = pieces("keeper", "loser")
    passport = zoo.Passport.objects.create(piece=loser, number="7")
    stamp, remark = zoo.Stamp.objects.create(passport=passport), zoo.Remark.objects.create(about=passport)

    run(keeper, loser)

    assert zoo.Passport.objects.get().pk == keeper.pk
    stamp.refresh_from_db(), remark.refresh_from_db()
    assert stamp.passport.number == "7"
    assert remark.key == str(keeper.pk)


def test_a_column_of_a_composite_key_moves():
    keeper, loser = pieces("keeper", "loser")
    person = Person.objects.create(name="a")
    zoo.Pin.objects.create(piece=loser, person=person)

    record = run(keeper, loser)[0]

    assert zoo.Pin.objects.get().pk == (keeper.pk, person.pk)
    assert record.journal["moves"][0]["pk"] == [loser.pk, person.pk]


def test_a_child_row_comes_to_a_keeper_that_has_none():
    keeper = Piece.objects.create(code="keeper")
    poster = zoo.Poster.objects.create(code="loser", paper="a2")
    pixel = zoo.Pixel.objects.create(poster=poster)
    cascading = zoo.Cascading.objects.create(piece=poster)

    run(keeper, Piece.objects.get(code="loser"))

    assert list(Piece.objects.values_list("code", flat=True)) == ["keeper"]
    assert zoo.Poster.objects.get().paper == "a2"
    assert zoo.Poster.objects.get().pk == keeper.pk
    pixel.refresh_from_db(), cascading.refresh_from_db()
    assert pixel.poster_id == cascading.piece_id == keeper.pk


@pytest.mark.parametrize("as_parent", [True, False])
def test_children_of_one_kind_merge_under_both_their_models(as_parent):
    keeper, loser = (zoo.Poster.objects.create(code=code, paper=code) for code in ("keeper", "loser"))
    pixel, cascading = zoo.Pixel.objects.create(poster=loser), zoo.Cascading.objects.create(piece=loser)
    remarks = [zoo.Remark.objects.create(kind=kind(model), key=loser.pk) for model in (Piece, zoo.Poster)]
    given = [Piece.objects.get(pk=each.pk) if as_parent else each for each in (keeper, loser)]

    record = run(*given)[0]

    assert zoo.Poster.objects.get() == keeper
    assert Piece.objects.count() == 1
    for row in (pixel, cascading, *remarks):
        row.refresh_from_db()
    assert (pixel.poster_id, cascading.piece_id) == (keeper.pk, keeper.pk)
    assert {remark.key for remark in remarks} == {str(keeper.pk)}
    assert {row["model"] for row in record.journal["rows"]} == {"testapp.piece", "testapp.poster"}


def test_a_plain_post_merges_into_a_child():
    keeper = LongArticle.objects.create(text="keeper", source="paper")
    loser = Article.objects.create(text="loser")

    run(Article.objects.get(pk=keeper.pk), loser)

    assert LongArticle.objects.get().source == "paper"
    assert Article.objects.count() == 1


def test_rows_that_managers_hide_move_and_soft_deletion_is_the_models_own():
    keeper, loser = zoo.Soft.objects.create(), zoo.Soft.objects.create()
    zoo.SoftReply.everything.create(soft=loser, deleted=True)

    run(keeper, loser)

    assert zoo.SoftReply.everything.get().soft == keeper
    assert zoo.Soft.everything.get(pk=loser.pk).deleted
    assert not zoo.Soft.everything.get(pk=keeper.pk).deleted


def test_rows_are_read_from_the_database():
    """Packages that cache querysets leave out those that are read for writing."""
    rows = rows_of(Piece, "default").filter(code="x").values("pk")

    assert rows._for_write

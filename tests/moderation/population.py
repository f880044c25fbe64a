"""A row of every kind around a piece."""

from __future__ import annotations

from tests.testapp import zoo
from tests.testapp.zoo import Group, Person, Piece

CLASHING = ("testapp.single", "testapp.passport", "testapp.boost", "testapp.alias", "testapp.vote")
"""Models of which a piece has one: where two have, somebody must choose."""


def surround(piece: Piece, name: str = "") -> None:
    """Point at the piece in every way there is; rows of one name say the same of any piece."""
    name = name or piece.code
    for model in (
        zoo.Cascading, zoo.Protecting, zoo.Restricting, zoo.Nulling, zoo.Defaulting, zoo.Setting, zoo.Careless,
        zoo.ByCode, zoo.Leaflet, zoo.Single, zoo.Boost,
    ):  # fmt: skip
        model.objects.create(piece=piece)
    person, _ = Person.objects.get_or_create(name=name)
    passport = zoo.Passport.objects.create(piece=piece, number=f"passport of {piece.code}")
    zoo.Stamp.objects.create(passport=passport)
    zoo.Remark.objects.create(about=passport)
    zoo.Remark.objects.create(about=piece)
    zoo.Vote.objects.create(about=piece, person=person)
    zoo.Rating.objects.create(piece=piece, person=person)
    zoo.Pin.objects.create(piece=piece, person=person)
    zoo.Alias.objects.create(piece=piece, name=name)
    shelf, _ = zoo.Shelf.objects.get_or_create()
    zoo.ShelfItem.objects.create(shelf=shelf, piece=piece, place=3)
    basket, _ = zoo.Basket.objects.get_or_create()
    for count in (1, 2):
        zoo.BasketItem.objects.create(basket=basket, piece=piece, count=count)
    _join(piece, name)


def _join(piece: Piece, name: str) -> None:
    """Many-to-many relations, and pieces that point at this one."""
    group, _ = Group.objects.get_or_create(name=name)
    friend, _ = Piece.objects.get_or_create(code=f"friend of {name}")
    piece.groups.add(group)
    piece.friends.add(friend)
    piece.follows.add(friend)
    friend.follows.add(piece)
    Piece.objects.create(code=f"child of {piece.code}", parent=piece)

"""django-polymorphic: posts of one class and of two, whose managers give objects of the class of each row."""

import pytest
from django.conf import settings

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, delete, merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.packages.app import kinds
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("polymorphic" not in settings.PACKAGES, reason="django-polymorphic is not in SITES"),
]


def make_book(title, pages=1):
    book = kinds.Book.objects.create(title=title, pages=pages)
    kinds.ItemNote.objects.create(item=book)
    kinds.BookReview.objects.create(book=book)
    return book


def make_record(title):
    record = kinds.Record.objects.create(title=title, minutes=1)
    kinds.ItemNote.objects.create(item=record)
    return record


def make_item(title):
    item = kinds.Item.objects.create(title=title)
    kinds.ItemNote.objects.create(item=item)
    return item


def as_item(post):
    """The post under the class that all have in common."""
    return kinds.Item.objects.non_polymorphic().get(pk=post.pk)


def classes():
    return {item.title: type(item).__name__ for item in kinds.Item.objects.all()}


@pytest.mark.parametrize(
    "read", [lambda post: post, lambda post: kinds.Item.objects.get(pk=post.pk), as_item]
)
def test_two_of_one_class(read):
    keeper, loser = make_book("keeper", 1), make_book("loser", 2)
    before = rows()

    (record,) = merge(read(keeper), [read(loser)], ActionContext())
    assert kinds.ItemNote.objects.filter(item=keeper).count() == 2
    assert kinds.BookReview.objects.filter(book=keeper).count() == 2
    assert not kinds.Item.objects.filter(pk=loser.pk).exists()
    record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []
    assert classes() == {"keeper": "Book", "loser": "Book"}


@pytest.mark.parametrize("read", [lambda post: post, as_item])
def test_two_classes_are_not_merged(read):
    keeper, loser = make_book("keeper"), make_record("loser")
    before = rows()

    with pytest.raises(MergeRefused, match=r"another (kind|model)"):
        merge(read(keeper), [read(loser)], ActionContext())

    assert rows() == before


@pytest.mark.parametrize("swapped", [False, True])
def test_a_parent_and_a_child(swapped):
    """The keeper has the class that it had, or the merge is refused."""
    posts = make_item("plain"), make_book("book")
    keeper, loser = reversed(posts) if swapped else posts
    before = rows()

    try:
        (record,) = merge(as_item(keeper), [as_item(loser)], ActionContext())
    except MergeRefused as refused:
        assert refused.reasons
    else:
        assert len(classes()) == 1
        assert all(type(item)._meta.label == classes_by_row()[item.pk] for item in kinds.Item.objects.all())
        record = undo(record, None, "default")
        assert record.left == []

    assert rows() == before
    assert classes() == {"plain": "Item", "book": "Book"}


def classes_by_row():
    """The label of the most derived table that has a row of each item."""
    labels = {item.pk: "app.Item" for item in kinds.Item.objects.non_polymorphic()}
    for model in (kinds.Book, kinds.Record):
        labels |= dict.fromkeys(
            model.objects.non_polymorphic().values_list("pk", flat=True), model._meta.label
        )
    return labels


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(order):
    keeper, one, two = make_book("keeper", 1), make_book("one", 2), make_book("two", 3)
    before = rows()
    records = [record for loser in (one, two) for record in merge(keeper, [loser], ActionContext())]

    for number in order:
        undo(records[number], None, "default")

    assert rows() == before


@pytest.mark.parametrize("read", [lambda post: post, as_item])
@pytest.mark.parametrize("make", [make_book, make_record, make_item])
def test_a_deleted_post_comes_back(make, read):
    post = make("post")
    before = rows()

    (record,) = delete([read(post)], ActionContext())
    record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []
